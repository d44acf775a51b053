/// Writes frames of RFC 6455, each message in one.
package enum WebSocketWriter {
    /// The longest reason of a close, in octets (section 5.5).
    package static let maximumReasonBytes = 123

    /// The frame of a message or control frame.
    ///
    /// - Parameters:
    ///   - event: what to say; a control frame's payload of more than 125 octets is cut.
    ///   - mask: four fresh random octets for a client's frame; nil for a server's.
    package static func frame(_ event: WebSocketEvent, mask: [UInt8]? = nil) -> [UInt8] {
        switch event {
        case .text(let text): frame(opcode: 1, Array(text.utf8), mask)
        case .binary(let bytes): frame(opcode: 2, bytes, mask)
        case .ping(let bytes): frame(opcode: 9, Array(bytes.prefix(125)), mask)
        case .pong(let bytes): frame(opcode: 10, Array(bytes.prefix(125)), mask)
        case .close(let code, let reason): frame(opcode: 8, closePayload(code, reason), mask)
        }
    }

    private static func closePayload(_ code: UInt16, _ reason: String) -> [UInt8] {
        guard WebSocketCloseCode.isAllowed(code) else { return [] }
        var reason = reason
        while reason.utf8.count > maximumReasonBytes { reason.removeLast() }
        return [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
    }

    private static func frame(opcode: UInt8, _ payload: [UInt8], _ mask: [UInt8]?) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | opcode]
        let flag: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ..<126: bytes.append(flag | UInt8(payload.count))
        case ..<65_536: bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(flag | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        guard let mask else { return bytes + payload }
        precondition(mask.count == 4, "a mask has four octets")
        bytes += mask
        for (index, octet) in payload.enumerated() { bytes.append(octet ^ mask[index & 3]) }
        return bytes
    }
}
