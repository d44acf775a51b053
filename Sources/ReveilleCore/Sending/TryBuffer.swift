/// The request of one try, in memory that a connection keeps for one of its streams and uses again.
///
/// A lane writes into it when the connection pulls; nothing is allocated per try. Pointers stay valid
/// until the connection hands the buffer out for another try. Confined to the connection's event loop.
package final class TryBuffer {
    /// Room for the longest device token that registration takes, in hexadecimal digits.
    package static let hexadecimalCapacity = 2 * DeviceToken.maximumOctets
    /// Room for the payload; the sender refuses larger ones before the first byte leaves.
    package static let payloadCapacity = APNsPayload.maximumOctets

    /// What the request is addressed to, ``addressCount`` octets of it: for APNs the hexadecimal digits of the device token, for
    /// push services the octets of a ``PushSubscription``; for FCM nothing, the payload names the token.
    package let address: UnsafeMutablePointer<UInt8>
    /// How many octets ``address`` has room for.
    package let addressCapacity: Int
    /// The request's UUID in its 36 characters: `apns-id` and idempotency key.
    package let requestID: UnsafeMutablePointer<UInt8>
    /// The characters of the collapse id, ``collapseCount`` of them.
    package let collapse: UnsafeMutablePointer<UInt8>

    // What is written for each try lies in memory of its own: a stored property that other modules set is checked for exclusive
    // access each time, which costs more than the rest of the try.
    private struct Values {
        var addressCount = 0
        var collapseCount = 0
        var payloadCount = 0
        var expirationSeconds: Int64 = 0
        var tag: UInt64 = 0
        var leaseUntilMilliseconds = Int64.max
        var mode = WakeMode.privateAlert
        var payload: UnsafeMutableBufferPointer<UInt8>
    }

    private let values: UnsafeMutablePointer<Values>
    private var presentTopic = Topic.none

    /// Makes an empty buffer.
    package init(
        addressCapacity: Int = TryBuffer.hexadecimalCapacity, payloadCapacity: Int = APNsPayload.largestShapeOctets
    ) {
        self.addressCapacity = addressCapacity
        address = .allocate(capacity: addressCapacity)
        requestID = .allocate(capacity: 36)
        collapse = .allocate(capacity: CollapseID.maximumOctets)
        values = .allocate(capacity: 1)
        values.initialize(to: Values(payload: .allocate(capacity: payloadCapacity)))
    }

    /// How many octets of ``address`` count.
    package var addressCount: Int {
        get { values.pointee.addressCount }
        set { values.pointee.addressCount = newValue }
    }

    /// How many octets of ``collapse`` count; 0 sends no collapse id.
    package var collapseCount: Int {
        get { values.pointee.collapseCount }
        set { values.pointee.collapseCount = newValue }
    }

    /// The payload, ``payloadCount`` octets of it.
    package var payload: UnsafeMutableBufferPointer<UInt8> { values.pointee.payload }

    /// How many octets of ``payload`` count.
    package var payloadCount: Int {
        get { values.pointee.payloadCount }
        set { values.pointee.payloadCount = newValue }
    }

    /// When the provider may drop it, in seconds since 1970 UTC.
    package var expirationSeconds: Int64 {
        get { values.pointee.expirationSeconds }
        set { values.pointee.expirationSeconds = newValue }
    }

    /// Alert or background; decides push type and priority.
    package var mode: WakeMode {
        get { values.pointee.mode }
        set { values.pointee.mode = newValue }
    }

    /// The topic.
    package var topic: Topic {
        get { presentTopic }
        set { presentTopic = newValue }
    }

    /// The lane's own mark for the wake, given back with the answer.
    package var tag: UInt64 {
        get { values.pointee.tag }
        set { values.pointee.tag = newValue }
    }

    /// When the request must have left, in milliseconds of the steady clock: another process may send the wake afterwards.
    package var leaseUntilMilliseconds: Int64 {
        get { values.pointee.leaseUntilMilliseconds }
        set { values.pointee.leaseUntilMilliseconds = newValue }
    }

    deinit {
        address.deallocate()
        requestID.deallocate()
        collapse.deallocate()
        payload.deallocate()
        values.deallocate()
    }

    /// Makes room for a payload of `octets`.
    ///
    /// Contents are lost; allocates only when it grows.
    package func reservePayload(octets: Int) {
        guard octets > payload.count else { return }
        payload.deallocate()
        values.pointee.payload = .allocate(capacity: octets)
        payloadCount = 0
    }
}

/// A topic whose octets stay at one address for the life of the program, so that a header can refer to them.
package final class Topic: Sendable {
    /// The empty topic of a buffer not yet written.
    package static let none = Topic("")
    /// The text.
    package let text: String
    // Written once in init and freed in deinit; read-only in between.
    nonisolated(unsafe) private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Copies `text` to a fixed address.
    package init(_ text: String) {
        self.text = text
        storage = .allocate(capacity: text.utf8.count)
        _ = storage.initialize(from: text.utf8)
    }

    deinit {
        storage.deallocate()
    }

    /// The octets, valid as long as the topic lives.
    package var octets: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(storage) }
}
