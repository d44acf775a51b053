/// One HTTP/2 frame as it lies on the wire (RFC 9113 section 4.1), legal or not.
package struct RawFrame: Sendable, Equatable {
    /// The frame types of RFC 9113 section 6.
    package enum Kind: UInt8, Sendable {
        case data = 0
        case headers = 1
        case priority = 2
        case resetStream = 3
        case settings = 4
        case pushPromise = 5
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
        case unknown = 0x77
    }

    package static let endStream: UInt8 = 0x1
    package static let acknowledges: UInt8 = 0x1
    package static let endHeaders: UInt8 = 0x4
    package static let padded: UInt8 = 0x8

    package var kind: Kind
    package var flags: UInt8
    package var stream: UInt32
    package var payload: [UInt8]

    package init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// The frame with its header.
    package var bytes: [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
            + [kind.rawValue, flags] + RawHTTP2.bytes(stream) + payload
    }

    /// The error code of RST_STREAM or GOAWAY.
    package var errorCode: UInt32? {
        switch kind {
        case .resetStream where payload.count == 4: RawHTTP2.number(payload[...])
        case .goAway where payload.count >= 8: RawHTTP2.number(payload[4..<8])
        default: nil
        }
    }

    /// The `:status` of an answer to a client that has set its header table to 0.
    package var status: Int? {
        guard kind == .headers else { return nil }
        var block = payload[...]
        while let first = block.first, first & 0xE0 == 0x20 { block = block.dropFirst() }
        guard let first = block.first else { return nil }
        let known = [8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500]
        if first & 0x80 != 0 { return known[Int(first & 0x7F)] }
        guard first == 0x08 || first == 0x48 || first == 0x18, block.count > 2 else { return nil }
        let length = block[block.startIndex + 1]
        let text = block.dropFirst(2).prefix(Int(length & 0x7F))
        if length & 0x80 == 0 { return Int(String(decoding: text, as: UTF8.self)) }
        return RawHTTP2.huffmanDigits(text)
    }
}

/// Frames of a client that keeps no rule by itself.
package enum RawHTTP2 {
    /// The client's connection preface.
    package static let magic = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The preface and SETTINGS that switch header compression's table off, so that answers can be read without one.
    package static let opening = magic + settings([(1, 0)]).bytes

    package static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) }
    }

    package static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    package static func settings(_ entries: [(UInt16, UInt32)]) -> RawFrame {
        RawFrame(
            .settings,
            entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + bytes($0.1) })
    }

    package static let settingsAcknowledgement = RawFrame(.settings, flags: RawFrame.acknowledges)

    /// A header block of literals without indexing.
    package static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0x00] + text($0.0) + text($0.1) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    /// The pseudo-header fields of a request.
    package static func request(
        _ method: String = "GET", path: String = "/", scheme: String = "http",
        authority: String = "example.org"
    ) -> [(String, String)] {
        [
            (":method", method), (":scheme", scheme), (":authority", authority), (":path", path),
        ]
    }

    /// HEADERS, and CONTINUATION frames where 16 KiB do not hold the block.
    package static func headers(
        _ stream: UInt32, _ fields: [(String, String)], endsStream: Bool = true
    ) -> [UInt8] {
        var rest = block(fields)[...]
        var flags = endsStream ? RawFrame.endStream : 0
        var kind = RawFrame.Kind.headers
        var bytes: [UInt8] = []
        repeat {
            let piece = [UInt8](rest.prefix(16_384))
            rest = rest.dropFirst(piece.count)
            if rest.isEmpty { flags |= RawFrame.endHeaders }
            bytes += RawFrame(kind, flags: flags, stream: stream, piece).bytes
            kind = .continuation
            flags = 0
        } while !rest.isEmpty
        return bytes
    }

    package static func data(
        _ stream: UInt32, _ payload: [UInt8], endsStream: Bool = false
    ) -> RawFrame {
        RawFrame(.data, flags: endsStream ? RawFrame.endStream : 0, stream: stream, payload)
    }

    package static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> RawFrame {
        RawFrame(.resetStream, stream: stream, bytes(code))
    }

    package static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> RawFrame {
        RawFrame(.windowUpdate, stream: stream, bytes(increment))
    }

    package static func ping(_ number: UInt8 = 0) -> RawFrame {
        RawFrame(.ping, [0, 0, 0, 0, 0, 0, 0, number])
    }

    /// Cuts whole frames off the front of what a server sent.
    ///
    /// Frames of unknown kind are left out.
    package static func takeFrames(from bytes: inout [UInt8]) -> [RawFrame] {
        var frames: [RawFrame] = []
        while bytes.count >= 9 {
            let count = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
            guard bytes.count >= 9 + count else { break }
            if let kind = RawFrame.Kind(rawValue: bytes[3]) {
                frames.append(
                    RawFrame(
                        kind, flags: bytes[4], stream: number(bytes[5..<9]) & 0x7FFF_FFFF,
                        [UInt8](bytes[9..<(9 + count)])))
            }
            bytes.removeFirst(9 + count)
        }
        return frames
    }

    /// Digits in the Huffman code of RFC 7541 appendix B: 0, 1 and 2 take five bits, the others six.
    static func huffmanDigits(_ bytes: ArraySlice<UInt8>) -> Int? {
        var bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }[...]
        var number = 0
        while bits.count >= 5 {
            let five = bits.prefix(5).reduce(0) { $0 << 1 | Int($1) }
            if five <= 2 {
                number = number * 10 + five
                bits = bits.dropFirst(5)
                continue
            }
            guard bits.count >= 6 else { break }
            let six = bits.prefix(6).reduce(0) { $0 << 1 | Int($1) }
            guard (0x19...0x1F).contains(six) else { break }
            number = number * 10 + six - 0x16
            bits = bits.dropFirst(6)
        }
        return number
    }
}
