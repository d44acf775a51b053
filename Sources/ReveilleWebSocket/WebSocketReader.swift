/// Reads the frames of RFC 6455, strictly: octets in, whole messages and control frames out.
///
/// Bounded by its limits. After a failure it reads nothing more.
package struct WebSocketReader: Sendable {
    private struct Header {
        let isFinal: Bool
        let opcode: UInt8
        let payloadBytes: Int
        let mask: [UInt8]
        let headerBytes: Int
    }

    /// The longest payload of a control frame (section 5.5).
    private static let maximumControlBytes = 125

    private let role: WebSocketRole
    private let limits: WebSocketLimits
    private var input: [UInt8] = []
    private var message: [UInt8] = []
    /// The opcode of the message whose fragments come; nil between messages.
    private var opcode: UInt8?
    private var fragments = 0
    private var hasEnded = false

    /// A reader for one side of a connection.
    package init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
        self.role = role
        self.limits = limits
    }

    /// Takes octets and gives what they complete; nothing any more after a close.
    package mutating func receive(_ bytes: some Sequence<UInt8>) throws(WebSocketFailure) -> [WebSocketEvent] {
        guard !hasEnded else { return [] }
        input.append(contentsOf: bytes)
        var events: [WebSocketEvent] = []
        var position = 0
        defer { input.removeFirst(min(position, input.count)) }
        do throws(WebSocketFailure) {
            while !hasEnded, let header = try header(at: position) {
                let start = position + header.headerBytes
                guard input.count - start >= header.payloadBytes else { break }
                var payload = Array(input[start..<start + header.payloadBytes])
                if !header.mask.isEmpty {
                    for index in payload.indices { payload[index] ^= header.mask[index & 3] }
                }
                position = start + header.payloadBytes
                if let event = try event(header, payload) { events.append(event) }
            }
        } catch {
            hasEnded = true
            throw error
        }
        return events
    }

    /// The header of the next frame, checked; nil when it is not complete.
    private func header(at position: Int) throws(WebSocketFailure) -> Header? {
        guard input.count - position >= 2 else { return nil }
        let first = input[position]
        let second = input[position + 1]
        guard first & 0x70 == 0 else { throw .protocolError }
        let isFinal = first & 0x80 != 0
        let opcode = first & 0x0F
        let isControl = opcode >= 8
        guard [0, 1, 2, 8, 9, 10].contains(opcode) else { throw .protocolError }
        let isMasked = second & 0x80 != 0
        switch role {
        case .server: guard isMasked else { throw .protocolError }
        case .client: guard !isMasked else { throw .protocolError }
        }
        var length = UInt64(second & 0x7F)
        if isControl, !isFinal || length > Self.maximumControlBytes { throw .protocolError }
        var headerBytes = 2
        if length >= 126 {
            let count = length == 126 ? 2 : 8
            guard input.count - position >= 2 + count else { return nil }
            length = input[(position + 2)..<(position + 2 + count)].reduce(0) { $0 << 8 | UInt64($1) }
            // The shortest form is required (section 5.2).
            guard length >= (count == 2 ? 126 : 65_536), length >> 63 == 0 else { throw .protocolError }
            headerBytes += count
        }
        if !isControl {
            guard (opcode == 0) == (self.opcode != nil) else { throw .protocolError }
            let room = limits.maximumMessageBytes - message.count
            guard length <= UInt64(max(room, 0)), fragments < limits.maximumFragments else { throw .tooLarge }
        }
        var mask: [UInt8] = []
        if isMasked {
            guard input.count - position >= headerBytes + 4 else { return nil }
            mask = Array(input[(position + headerBytes)..<(position + headerBytes + 4)])
            headerBytes += 4
        }
        return Header(
            isFinal: isFinal, opcode: opcode, payloadBytes: Int(length), mask: mask, headerBytes: headerBytes)
    }

    private mutating func event(_ header: Header, _ payload: [UInt8]) throws(WebSocketFailure) -> WebSocketEvent? {
        switch header.opcode {
        case 8: return try close(payload)
        case 9: return .ping(payload)
        case 10: return .pong(payload)
        default: break
        }
        if header.opcode != 0 { opcode = header.opcode }
        message += payload
        fragments += 1
        guard header.isFinal else { return nil }
        let isText = opcode == 1
        let whole = message
        message = []
        fragments = 0
        opcode = nil
        guard isText else { return .binary(whole) }
        guard let text = String(validating: whole, as: UTF8.self) else { throw .badText }
        return .text(text)
    }

    private mutating func close(_ payload: [UInt8]) throws(WebSocketFailure) -> WebSocketEvent {
        hasEnded = true
        guard !payload.isEmpty else { return .close(code: WebSocketCloseCode.absent, reason: "") }
        guard payload.count >= 2 else { throw .protocolError }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketCloseCode.isAllowed(code) else { throw .protocolError }
        guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else { throw .badText }
        return .close(code: code, reason: reason)
    }
}
