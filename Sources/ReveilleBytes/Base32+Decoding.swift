extension Base32 {
    /// The bytes that `text` spells, or nil.
    ///
    /// Strict, so that no two texts mean the same bytes in one case: no padding, no foreign character, no length that
    /// cannot occur, unused bits zero. Lower case is read as upper case.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 5 / 8)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        // Five or more bits over mean a character too many; the bits over must be zero.
        guard bitCount < 5, bits & ((1 << UInt32(bitCount)) - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
        default: nil
        }
    }
}
