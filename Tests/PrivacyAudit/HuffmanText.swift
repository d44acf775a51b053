/// Letters, digits and the signs of ids in the code of HTTP/2's header compression (RFC 7541 appendix B).
///
/// The code is canonical: the symbols of a length count up, in the order given here.
enum HuffmanText {
    private static let groups: [(length: Int, first: UInt32, symbols: String)] = [
        (5, 0b00000, "012aceiost"), (6, 0b010100, " %-./3456789=A_bdfghlmnpru"),
        (7, 0b1011100, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"), (8, 0b11111000, "&*,;XZ"),
    ]

    private static let codes: [UInt8: (length: Int, code: UInt32)] = {
        var codes: [UInt8: (length: Int, code: UInt32)] = [:]
        for group in groups {
            for (number, symbol) in group.symbols.utf8.enumerated() {
                codes[symbol] = (group.length, group.first + UInt32(number))
            }
        }
        return codes
    }()

    /// The octets that depend on `text` alone when its code begins at bit `start` of an octet; none when a symbol is missing.
    static func encode(_ text: [UInt8], from start: Int) -> [UInt8] {
        var bits = [Bool](repeating: false, count: start)
        for symbol in text {
            guard let (length, code) = codes[symbol] else { return [] }
            for bit in (0..<length).reversed() { bits.append(code >> UInt32(bit) & 1 == 1) }
        }
        let first = start == 0 ? 0 : 1
        let end = bits.count / 8
        guard first < end else { return [] }
        return (first..<end).map { octet in
            bits[(octet * 8)..<(octet * 8 + 8)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }
}
