/// Hexadecimal text (RFC 4648 section 8): written in lower case, read in either case.
package enum Hex {
    /// The lower-case hexadecimal form, two characters a byte.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.withContiguousBytes { source in
            String(unsafeUninitializedCapacity: source.count * 2) { target in
                if let start = target.baseAddress { encode(UnsafeRawBufferPointer(source), into: start) }
                return source.count * 2
            }
        }
    }

    /// Writes the lower-case form of `source` into `target`, which must have room for twice as many bytes.
    ///
    /// Allocates nothing, for the hot road of a sender.
    package static func encode(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
    ) {
        let out = UnsafeMutableRawPointer(target)
        var index = 0
        while index + 4 <= source.count {
            let word = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: index, as: UInt32.self))
            out.storeBytes(of: digits(of: word).littleEndian, toByteOffset: index * 2, as: UInt64.self)
            index += 4
        }
        while index < source.count {
            target[index * 2] = digit(source[index] >> 4)
            target[index * 2 + 1] = digit(source[index] & 0xF)
            index += 1
        }
    }

    /// The eight digits of four bytes, the lowest byte of each first.
    ///
    /// All at once by arithmetic on one word: the bytes are spread out, their halves put side by side, and what is above nine
    /// moved from the digits to the letters.
    static func digits(of word: UInt32) -> UInt64 {
        var bytes = UInt64(word)
        bytes = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF
        bytes = (bytes | bytes << 8) & 0x00FF_00FF_00FF_00FF
        let low: UInt64 = 0x000F_000F_000F_000F
        let halves = (bytes >> 4) & low | (bytes & low) << 8
        let isLetter = ((halves + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return halves + 0x3030_3030_3030_3030 + isLetter * 0x27
    }

    /// The bytes that `text` spells, or nil when it holds an odd number of digits or anything but digits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(utf8: text.utf8)
    }

    /// The bytes that ASCII `digits` spell, or nil when they are not an even number of hexadecimal digits.
    package static func decode(utf8 digits: some Sequence<UInt8>) -> [UInt8]? {
        digits.withContiguousBytes { digits in
            guard digits.count % 2 == 0 else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(digits.count / 2)
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
                bytes.append(high << 4 | low)
            }
            return bytes
        }
    }

    /// The value of one hexadecimal digit in ASCII, or nil.
    package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x41 + 10
        case 0x61...0x66: character - 0x61 + 10
        default: nil
        }
    }

    /// The lower-case ASCII digit of a value below 16.
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x61 + value - 10
    }
}
