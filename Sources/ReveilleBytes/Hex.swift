/// Hexadecimal text (RFC 4648 section 8): written in lower case, read in either case.
package enum Hex {
    /// The lower-case hexadecimal form, two characters a byte.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            characters.append(digit(byte >> 4))
            characters.append(digit(byte & 0xF))
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Writes the lower-case form of `source` into `target`, which must have room for twice as many bytes.
    ///
    /// Allocates nothing, for the hot road of a sender.
    package static func encode(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>
    ) {
        var next = target
        for byte in source {
            next[0] = digit(byte >> 4)
            next[1] = digit(byte & 0xF)
            next += 2
        }
    }

    /// The bytes that `text` spells, or nil when it holds an odd number of digits or anything but digits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(utf8: text.utf8)
    }

    /// The bytes that ASCII `digits` spell, or nil when they are not an even number of hexadecimal digits.
    package static func decode(utf8 digits: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.underestimatedCount / 2)
        var pendingHigh: UInt8?
        for character in digits {
            guard let value = value(of: character) else { return nil }
            if let high = pendingHigh {
                bytes.append(high << 4 | value)
                pendingHigh = nil
            } else {
                pendingHigh = value
            }
        }
        return pendingHigh == nil ? bytes : nil
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
