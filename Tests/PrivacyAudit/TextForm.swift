internal import ReveilleBytes

/// A way of writing octets that a search for the octets themselves would not see.
package enum TextForm: Hashable, Sendable, CustomStringConvertible {
    case plain
    case reversed
    case utf16LittleEndian
    case utf16BigEndian
    case hexadecimal
    /// `102, 111`: how Swift prints an array of octets.
    case decimalList
    /// With the position, 0 to 4, of the text in a group of five octets.
    case base32(Int)
    /// With the position, 0 to 2, of the text in a group of three octets.
    case base64(Int)
    case base64URL(Int)
    /// The code of HTTP/2's header compression (RFC 7541 appendix B), beginning at a bit of an octet, 0 to 7.
    case huffman(Int)

    /// All of them.
    package static let all: [TextForm] =
        [.plain, .reversed, .utf16LittleEndian, .utf16BigEndian, .hexadecimal, .decimalList]
        + (0..<5).map { .base32($0) } + (0..<3).flatMap { [.base64($0), .base64URL($0)] }
        + (0..<8).map { .huffman($0) }

    /// The forms that a hash may have.
    package static let ofHashes: [TextForm] = all.filter { form in
        switch form {
        case .utf16LittleEndian, .utf16BigEndian, .huffman: false
        case .plain, .reversed, .hexadecimal, .decimalList, .base32, .base64, .base64URL: true
        }
    }

    /// Whether upper and lower case mean the same in this form.
    var ignoresCase: Bool {
        switch self {
        case .plain, .reversed, .utf16LittleEndian, .utf16BigEndian, .hexadecimal, .decimalList, .base32: true
        case .base64, .base64URL, .huffman: false
        }
    }

    /// The octets as they would be found, whatever stands around them; none when the form cannot write them.
    package func encode(_ octets: [UInt8]) -> [UInt8] {
        switch self {
        case .plain: octets
        case .reversed: octets.reversed()
        case .utf16LittleEndian: octets.flatMap { [$0, 0] }
        case .utf16BigEndian: octets.flatMap { [0, $0] }
        case .hexadecimal: Array(Hex.encode(octets).utf8)
        case .decimalList: Array(octets.map(String.init).joined(separator: ", ").utf8)
        case .base32(let position): Self.inside(octets, at: position, bits: 5, Base32.encode)
        case .base64(let position):
            Self.inside(octets, at: position, bits: 6) { Base64.encode($0) }
        case .base64URL(let position):
            Self.inside(octets, at: position, bits: 6) { Base64URL.encode($0) }
        case .huffman(let bit): HuffmanText.encode(octets, from: bit)
        }
    }

    /// The characters that depend on `octets` alone when they begin at `position` of a group.
    private static func inside(
        _ octets: [UInt8], at position: Int, bits: Int, _ encode: ([UInt8]) -> String
    ) -> [UInt8] {
        let shifted = [UInt8](repeating: 0, count: position) + octets
        let first = (position * 8 + bits - 1) / bits
        let end = shifted.count * 8 / bits
        return Array(Array(encode(shifted).utf8)[first..<max(first, end)])
    }

    package var description: String {
        switch self {
        case .plain: "plain"
        case .reversed: "reversed"
        case .utf16LittleEndian: "UTF-16LE"
        case .utf16BigEndian: "UTF-16BE"
        case .hexadecimal: "hexadecimal"
        case .decimalList: "list of octets"
        case .base32(let position): "base32 at \(position)"
        case .base64(let position): "base64 at \(position)"
        case .base64URL(let position): "base64url at \(position)"
        case .huffman(let bit): "Huffman code at \(bit)"
        }
    }
}
