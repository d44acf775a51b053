internal import ReveilleBytes

/// A way of reading captured octets before they are searched: what an encoder did is undone wherever it looks like one.
package enum View: String, CaseIterable, Sendable {
    case asIs = "as they are"
    case percentDecoded = "percent-decoded"
    case unescaped = "with backslash escapes undone"
    case quotedPrintable = "from quoted-printable"
    case entities = "with character references undone"
    /// Lines and groups joined: MIME breaks base64, people break hexadecimal.
    case joined = "with blanks and colons left out"

    /// The octets so read; nil when that changes nothing.
    package func read(_ octets: [UInt8]) -> [UInt8]? {
        switch self {
        case .asIs: octets
        case .percentDecoded: Self.replacing(UInt8(ascii: "%"), in: octets) { Self.hexPair($0) }
        case .unescaped: Self.replacing(UInt8(ascii: "\\"), in: octets) { Self.escape($0) }
        case .quotedPrintable: Self.replacing(UInt8(ascii: "="), in: octets) { Self.quotedPrintable($0) }
        case .entities: Self.replacing(UInt8(ascii: "&"), in: octets) { Self.entity($0) }
        case .joined: Self.joined(octets)
        }
    }

    private static func joined(_ octets: [UInt8]) -> [UInt8]? {
        let rest = octets.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 && $0 != UInt8(ascii: ":") }
        return rest.count == octets.count ? nil : rest
    }

    /// Replaces what begins with `mark` by what `decode` makes of what follows it: octets, and how many it used up.
    private static func replacing(
        _ mark: UInt8, in octets: [UInt8], _ decode: (ArraySlice<UInt8>) -> (octets: [UInt8], used: Int)?
    ) -> [UInt8]? {
        guard octets.contains(mark) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(octets.count)
        var index = 0
        var changed = false
        while index < octets.count {
            if octets[index] == mark, let (decoded, used) = decode(octets[(index + 1)...].prefix(12)) {
                result += decoded
                index += 1 + used
                changed = true
            } else {
                result.append(octets[index])
                index += 1
            }
        }
        return changed ? result : nil
    }

    private static func hexPair(_ rest: ArraySlice<UInt8>) -> (octets: [UInt8], used: Int)? {
        let digits = rest.prefix(2).compactMap(Hex.value(of:))
        return digits.count == 2 ? ([digits[0] << 4 | digits[1]], 2) : nil
    }

    private static func quotedPrintable(_ rest: ArraySlice<UInt8>) -> (octets: [UInt8], used: Int)? {
        if rest.starts(with: [0x0D, 0x0A]) { return ([], 2) }
        if rest.first == 0x0A { return ([], 1) }
        return hexPair(rest)
    }

    /// `\u0041`, `\u{41}`, `\x41`, `\101` and a backslash before anything else that needs none.
    private static func escape(_ rest: ArraySlice<UInt8>) -> (octets: [UInt8], used: Int)? {
        guard let kind = rest.first else { return nil }
        let after = rest.dropFirst()
        switch kind {
        case UInt8(ascii: "u") where after.first == UInt8(ascii: "{"):
            let digits = after.dropFirst().prefix { Hex.value(of: $0) != nil }
            guard after.dropFirst(digits.count + 1).first == UInt8(ascii: "}") else { return nil }
            return scalar(digits, radix: 16).map { ($0, digits.count + 3) }
        case UInt8(ascii: "u"): return scalar(after.prefix(4), radix: 16).map { ($0, 5) }
        case UInt8(ascii: "x"): return hexPair(after).map { ($0.octets, 3) }
        case UInt8(ascii: "0")...UInt8(ascii: "7"): return scalar(rest.prefix(3), radix: 8).map { ($0, 3) }
        case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "\""): return ([kind], 1)
        default: return nil
        }
    }

    /// `&#65;` and `&#x41;`.
    private static func entity(_ rest: ArraySlice<UInt8>) -> (octets: [UInt8], used: Int)? {
        guard rest.first == UInt8(ascii: "#"), let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let number = rest[(rest.startIndex + 1)..<end]
        let isHex = number.first == UInt8(ascii: "x") || number.first == UInt8(ascii: "X")
        return scalar(isHex ? number.dropFirst() : number, radix: isHex ? 16 : 10)
            .map { ($0, end - rest.startIndex + 1) }
    }

    private static func scalar(_ digits: ArraySlice<UInt8>, radix: Int) -> [UInt8]? {
        guard let number = UInt32(String(decoding: digits, as: UTF8.self), radix: radix),
            let scalar = Unicode.Scalar(number)
        else { return nil }
        return Array(String(Character(scalar)).utf8)
    }
}
