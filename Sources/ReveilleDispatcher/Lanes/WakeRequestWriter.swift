package import ReveilleCore
package import ReveilleStorage

/// Opens sealed addresses of devices, on any thread.
package protocol TokenOpening: Sendable {
    /// Writes the hexadecimal digits of the token that `sealed` holds for a device, and returns how many there are.
    func writeHexadecimal(
        _ sealed: [UInt8], device: DeviceRow, into target: UnsafeMutableBufferPointer<UInt8>
    ) throws(StoreError) -> Int

    /// Writes the octets of the address that `sealed` holds for a device, and returns how many there are.
    func write(
        _ sealed: [UInt8], device: DeviceRow, into target: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> Int
}

extension TokenVault: TokenOpening {}

/// Writes the request of a wake into a connection's buffer, from the wake's frozen row alone: every try of a wake writes the
/// same octets, but for a relative time to live, which shrinks.
///
/// Loop-confined; allocates nothing once a topic was seen.
final class WakeRequestWriter {
    private let provider: ProviderKind
    private let tokens: any TokenOpening
    private let ids: PublicIDs
    /// Nil where nothing has a series.
    private let collapses: CollapseMaker?
    /// Bounded by the operator's list of topics.
    private var topics: [String: Topic] = [:]
    /// Where an FCM token is opened, before it is written into the message.
    private let scratch: UnsafeMutableBufferPointer<UInt8>

    init(provider: ProviderKind, tokens: any TokenOpening, ids: PublicIDs, collapses: CollapseMaker?) {
        self.provider = provider
        self.tokens = tokens
        self.ids = ids
        self.collapses = collapses
        scratch = .allocate(capacity: FCMTarget.maximumOctets + 1)
    }

    deinit {
        scratch.deallocate()
    }

    /// Writes the request.
    ///
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    /// - Throws: `unreadableValue` when the sealed address does not open.
    func write(_ wake: LeasedWake, into buffer: TryBuffer, now: Int64) throws(StoreError) {
        ids.writeRequestID(of: wake.wake, into: buffer.requestID)
        buffer.expirationSeconds = wake.expiresAtMilliseconds / 1_000
        buffer.mode = wake.mode
        buffer.topic = topic(wake.topic)
        switch provider {
        case .apns:
            buffer.addressCount = try tokens.writeHexadecimal(
                wake.sealedToken, device: wake.device,
                into: UnsafeMutableBufferPointer(start: buffer.address, count: buffer.addressCapacity))
            buffer.collapseCount = write(wake.collapse, into: buffer.collapse)
            writePayload(into: buffer, fields(of: wake), APNsPayload.write)
        case .fcm:
            buffer.addressCount = 0
            buffer.collapseCount = 0
            try writeMessage(of: wake, into: buffer, lifeSeconds: wake.expiresAtMilliseconds / 1_000 - now / 1_000)
        case .webPush, .unifiedPush:
            buffer.addressCount = try tokens.write(
                wake.sealedToken, device: wake.device,
                into: UnsafeMutableRawBufferPointer(start: buffer.address, count: buffer.addressCapacity))
            buffer.collapseCount = isOfSeries(wake) ? write(wake.collapse, into: buffer.collapse) : 0
            writePayload(into: buffer, fields(of: wake), WebPushPayload.write)
        }
    }

    private func fields(of wake: LeasedWake) -> PayloadFields {
        PayloadFields(
            shape: wake.shape, mode: wake.mode, reason: wake.reason,
            serverDeviceID: ids.payloadServerDeviceID(of: wake.device),
            deliveryID: wake.delivery.map { ids.payloadDeliveryID(of: $0, for: wake.device) } ?? PayloadID(),
            verificationCode: wake.verificationCode.flatMap(PayloadID.init))
    }

    /// Writes a payload, with more room when it needs it.
    private func writePayload(
        into buffer: TryBuffer, _ fields: PayloadFields,
        _ write: (borrowing PayloadFields, UnsafeMutableBufferPointer<UInt8>) -> Int?
    ) {
        if let count = write(fields, buffer.payload) {
            buffer.payloadCount = count
            return
        }
        buffer.reservePayload(octets: TryBuffer.payloadCapacity)
        // A test holds that every shape fits the largest payload.
        buffer.payloadCount = write(fields, buffer.payload) ?? 0
    }

    private func writeMessage(of wake: LeasedWake, into buffer: TryBuffer, lifeSeconds: Int64) throws(StoreError) {
        let count = try tokens.write(
            wake.sealedToken, device: wake.device, into: UnsafeMutableRawBufferPointer(scratch))
        guard count > 1, let kind = FCMTarget.Kind(rawValue: scratch[0]) else { throw StoreError(.unreadableValue) }
        let address = UnsafeBufferPointer(rebasing: scratch[1..<count])
        writePayload(into: buffer, fields(of: wake)) { fields, target in
            FCMPayload.write(fields, to: kind, address: address, lifeSeconds: lifeSeconds, into: target)
        }
    }

    /// Whether later notifications of the same series shall take its place: only then a push service is told a topic, which is
    /// one more thing it would know otherwise.
    private func isOfSeries(_ wake: LeasedWake) -> Bool {
        guard let collapses, let collapse = wake.collapse, let delivery = wake.delivery else { return false }
        return collapse != collapses.collapseID(of: wake.device, subject: .delivery(delivery))
            && collapse != collapses.collapseID(of: wake.device, subject: .wake(wake.wake))
    }

    private func write(_ collapse: CollapseID?, into target: UnsafeMutablePointer<UInt8>) -> Int {
        guard let text = collapse?.text, text.utf8.count <= CollapseID.maximumOctets else { return 0 }
        var count = 0
        for octet in text.utf8 {
            target[count] = octet
            count += 1
        }
        return count
    }

    private func topic(_ text: String) -> Topic {
        if let topic = topics[text] { return topic }
        let topic = Topic(text)
        topics[text] = topic
        return topic
    }
}
