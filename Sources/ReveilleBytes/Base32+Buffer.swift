extension Base32 {
    /// Writes the unpadded text of `source` into `target`, eight characters for five bytes, without allocating.
    ///
    /// - Returns: the characters written; `target` must have room for them.
    @discardableResult
    package static func encode(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var bits: UInt32 = 0
        var bitCount = 0
        var written = 0
        for byte in source {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                target[written] = character(bits >> UInt32(bitCount) & 0x1F)
                written += 1
            }
        }
        if bitCount > 0 {
            target[written] = character(bits << UInt32(5 - bitCount) & 0x1F)
            written += 1
        }
        return written
    }

    @inline(__always)
    private static func character(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + value - 26
    }
}
