package import ReveilleCore
package import ReveilleStorage

/// Opens sealed device tokens, on any thread.
package protocol TokenOpening: Sendable {
    /// Writes the hexadecimal digits of the token that `sealed` holds for a device, and returns how many there are.
    func writeHexadecimal(
        _ sealed: [UInt8], device: DeviceRow, into target: UnsafeMutableBufferPointer<UInt8>
    ) throws(StoreError) -> Int
}

extension TokenVault: TokenOpening {}

/// Writes the request of a wake into a connection's buffer, from the wake's frozen row alone: every try of a wake writes the
/// same octets.
///
/// Loop-confined; allocates nothing once a topic was seen.
final class WakeRequestWriter {
    private let tokens: any TokenOpening
    private let ids: PublicIDs
    /// Bounded by the operator's list of topics.
    private var topics: [String: Topic] = [:]

    init(tokens: any TokenOpening, ids: PublicIDs) {
        self.tokens = tokens
        self.ids = ids
    }

    /// Writes the request.
    ///
    /// - Throws: `unreadableValue` when the sealed token does not open.
    func write(_ wake: LeasedWake, into buffer: TryBuffer) throws(StoreError) {
        buffer.tokenCount = try tokens.writeHexadecimal(
            wake.sealedToken, device: wake.device,
            into: UnsafeMutableBufferPointer(start: buffer.token, count: TryBuffer.tokenCapacity))
        ids.writeRequestID(of: wake.wake, into: buffer.requestID)
        buffer.collapseCount = write(wake.collapse, into: buffer.collapse)
        buffer.expirationSeconds = wake.expiresAtMilliseconds / 1_000
        buffer.mode = wake.mode
        buffer.topic = topic(wake.topic)
        buffer.payloadCount = writePayload(wake, into: buffer)
    }

    private func writePayload(_ wake: LeasedWake, into buffer: TryBuffer) -> Int {
        let fields = PayloadFields(
            shape: wake.shape, mode: wake.mode, reason: wake.reason,
            serverDeviceID: ids.payloadServerDeviceID(of: wake.device),
            deliveryID: wake.delivery.map { ids.payloadDeliveryID(of: $0, for: wake.device) } ?? PayloadID(),
            verificationCode: wake.verificationCode.flatMap(PayloadID.init))
        if let count = APNsPayload.write(fields, into: buffer.payload) { return count }
        buffer.reservePayload(octets: TryBuffer.payloadCapacity)
        // A test holds that every shape fits the largest payload.
        return APNsPayload.write(fields, into: buffer.payload) ?? 0
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
