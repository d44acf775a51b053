/// A set of ASCII characters as two words, so that a test is one shift.
///
/// Bytes from 0x80 are never members.
struct ByteClass: Sendable {
    private let low: UInt64
    private let high: UInt64

    /// The characters of a literal.
    init(_ characters: StaticString) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        characters.withUTF8Buffer { buffer in
            for byte in buffer where byte < 0x80 {
                if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
            }
        }
        self.low = low
        self.high = high
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte & 0x40 == 0 ? low : high
        return byte < 0x80 && (word >> UInt64(byte & 0x3F)) & 1 == 1
    }

    func containsAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes where !contains(byte) { return false }
        return true
    }

    /// tchar, RFC 9110 section 5.6.2.
    static let token = ByteClass(
        "!#$%&'*+-.^_`|~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    /// The characters of a path and query, RFC 3986: pchar, "/" and "?"; "%" is checked apart.
    static let target = ByteClass(
        "-._~!$&'()*+,;=:@/?%ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    /// A registered name or IPv4 address as clients send it: IDNs arrive in their ASCII form, and percent-encoding or
    /// sub-delims in a host only help those who want two readers to disagree.
    static let host = ByteClass(
        "-._~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    /// The inside of an IP literal's brackets.
    static let addressLiteral = ByteClass("0123456789ABCDEFabcdef:.")
    static let digit = ByteClass("0123456789")
    static let hexDigit = ByteClass("0123456789ABCDEFabcdef")
}

/// Characters with a meaning for framing.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let percent: UInt8 = 0x25
    static let asterisk: UInt8 = 0x2A
    static let comma: UInt8 = 0x2C
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let questionMark: UInt8 = 0x3F
    static let openingBracket: UInt8 = 0x5B
    static let closingBracket: UInt8 = 0x5D
    static let delete: UInt8 = 0x7F

    /// The value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
