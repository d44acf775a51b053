/// The 36-character text of a UUID (RFC 9562 section 4), without Foundation.
package enum UUIDText {
    /// The number of bytes in a UUID.
    package static let byteCount = 16
    /// The number of characters in its text.
    package static let characterCount = 36

    /// The lower-case text, grouped 8-4-4-4-12.
    ///
    /// - Precondition: `bytes` holds exactly 16 bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        precondition(bytes.count == byteCount, "a UUID has 16 bytes")
        let source = Array(bytes)
        return String(unsafeUninitializedCapacity: characterCount) { target in
            guard let start = target.baseAddress else { return 0 }
            source.withUnsafeBytes { encode($0, into: start) }
            return characterCount
        }
    }

    /// Writes the lower-case text, 36 bytes of ASCII, into `target` without allocating.
    ///
    /// - Precondition: `source` holds exactly 16 bytes.
    package static func encode(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
    ) {
        precondition(source.count == byteCount, "a UUID has 16 bytes")
        var next = target
        for (index, byte) in source.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                next[0] = UInt8(ascii: "-")
                next += 1
            }
            next[0] = Hex.digit(byte >> 4)
            next[1] = Hex.digit(byte & 0xF)
            next += 2
        }
    }

    /// The 16 bytes that `text` spells in the 8-4-4-4-12 form and either case, or nil.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count == characterCount else { return nil }
        var digits: [UInt8] = []
        digits.reserveCapacity(byteCount * 2)
        for (index, character) in characters.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                digits.append(character)
            }
        }
        return Hex.decode(utf8: digits)
    }
}
