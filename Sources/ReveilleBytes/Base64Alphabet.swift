/// What the forms of RFC 4648 base64 share: an alphabet in both directions and the arithmetic on groups of six bits.
struct Base64Alphabet: Sendable {
    /// The 64 characters, in order of their values.
    private let characters: [UInt8]
    /// The value of each byte, or `Base64Alphabet.invalid`.
    private let values: [UInt8]

    private static let invalid: UInt8 = 0xFF
    static let padding = UInt8(ascii: "=")

    /// RFC 4648 section 4.
    static let standard = Base64Alphabet(last: "+", "/")
    /// RFC 4648 section 5.
    static let urlSafe = Base64Alphabet(last: "-", "_")

    private init(last secondToLast: Unicode.Scalar, _ last: Unicode.Scalar) {
        var characters = Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
        characters += Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
        characters += Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
        characters += [UInt8(ascii: secondToLast), UInt8(ascii: last)]
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.characters = characters
        self.values = values
    }

    func encode(_ bytes: UnsafeBufferPointer<UInt8>, padded: Bool) -> String {
        let unpaddedCount = (bytes.count * 8 + 5) / 6
        let count = padded ? (bytes.count + 2) / 3 * 4 : unpaddedCount
        return String(unsafeUninitializedCapacity: count) { text in
            var written = 0
            var bits: UInt32 = 0
            var bitCount: UInt32 = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                bitCount += 8
                while bitCount >= 6 {
                    bitCount -= 6
                    text[written] = characters[Int(bits >> bitCount) & 0x3F]
                    written += 1
                }
            }
            if bitCount > 0 {
                text[written] = characters[Int(bits << (6 - bitCount)) & 0x3F]
                written += 1
            }
            while written < count {
                text[written] = Self.padding
                written += 1
            }
            return count
        }
    }

    /// Decodes characters without padding.
    ///
    /// - Returns: nil for a foreign character, a length of 1 modulo 4, or unused bits that are not zero.
    func decode(unpadded text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in text {
            let value = values[Int(character)]
            guard value != Self.invalid else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        let leftOver = bits & (1 << bitCount - 1)
        return bitCount < 6 && leftOver == 0 ? bytes : nil
    }
}
