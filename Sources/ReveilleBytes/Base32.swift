/// Base32 in upper case and without padding (RFC 4648 section 6).
package enum Base32 {
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The unpadded text of `bytes`, eight characters for five bytes.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.underestimatedCount * 8 + 4) / 5)
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(characters[Int(bits >> UInt32(bitCount)) & 0x1F])
            }
        }
        if bitCount > 0 { text.append(characters[Int(bits << UInt32(5 - bitCount)) & 0x1F]) }
        return String(decoding: text, as: UTF8.self)
    }
}
