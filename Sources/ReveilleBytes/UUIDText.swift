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
        let out = UnsafeMutableRawPointer(target)
        let hyphen = UInt8(ascii: "-")
        out.storeBytes(of: digits(source, 0), toByteOffset: 0, as: UInt64.self)
        target[8] = hyphen
        storeHalves(of: digits(source, 4), into: out, at: 9, 14)
        target[13] = hyphen
        target[18] = hyphen
        storeHalves(of: digits(source, 8), into: out, at: 19, 24)
        target[23] = hyphen
        out.storeBytes(of: digits(source, 12), toByteOffset: 28, as: UInt64.self)
    }

    private static func digits(_ source: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        let word = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        return Hex.digits(of: word).littleEndian
    }

    /// Stores four digits at one place and the next four at another.
    private static func storeHalves(
        of digits: UInt64, into out: UnsafeMutableRawPointer, at first: Int, _ second: Int
    ) {
        withUnsafeBytes(of: digits) { digits in
            out.storeBytes(of: digits.load(as: UInt32.self), toByteOffset: first, as: UInt32.self)
            out.storeBytes(of: digits.load(fromByteOffset: 4, as: UInt32.self), toByteOffset: second, as: UInt32.self)
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
