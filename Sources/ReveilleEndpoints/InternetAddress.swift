/// An IPv4 or IPv6 address as its octets, without port or zone.
package enum InternetAddress: Hashable, Sendable {
    case ipv4(UInt32)
    case ipv6(high: UInt64, low: UInt64)

    /// Takes 4 or 16 octets in network order; nil for another number.
    package init?(octets: [UInt8]) {
        func number(_ octets: ArraySlice<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
        switch octets.count {
        case 4: self = .ipv4(UInt32(number(octets[...])))
        case 16: self = .ipv6(high: number(octets[..<8]), low: number(octets[8...]))
        default: return nil
        }
    }

    /// Reads four decimal numbers from 0 to 255 without leading zeros, or an IPv6 address (RFC 4291 section 2.2) without zone.
    ///
    /// None of the other forms that `inet_aton` takes.
    package init?(_ text: String) {
        let octets = Array(text.utf8)
        if let address = Self.ipv4(octets[...]) {
            self = .ipv4(address)
        } else if octets.contains(UInt8(ascii: ":")), let groups = Self.ipv6(octets) {
            func half(_ groups: ArraySlice<UInt16>) -> UInt64 { groups.reduce(0) { $0 << 16 | UInt64($1) } }
            self = .ipv6(high: half(groups[..<4]), low: half(groups[4...]))
        } else {
            return nil
        }
    }

    private static func ipv4(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let number = DecimalNumber.read(part, maximum: 255) else { return nil }
            address = address << 8 | UInt32(number)
        }
        return address
    }

    /// The eight groups; an IPv4 address may stand for the last two.
    private static func ipv6(_ text: [UInt8]) -> [UInt16]? {
        var halves: [ArraySlice<UInt8>] = [text[...]]
        if let gap = firstDoubleColon(text) { halves = [text[..<gap], text[(gap + 2)...]] }
        var groups: [[UInt16]] = []
        for (index, half) in halves.enumerated() {
            guard let read = readGroups(half, mayEndInIPv4: index == halves.count - 1) else { return nil }
            groups.append(read)
        }
        guard groups.count == 2 else { return groups[0].count == 8 ? groups[0] : nil }
        let missing = 8 - groups[0].count - groups[1].count
        // The gap stands for one group at least.
        guard missing >= 1 else { return nil }
        return groups[0] + [UInt16](repeating: 0, count: missing) + groups[1]
    }

    private static func firstDoubleColon(_ text: [UInt8]) -> Int? {
        text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
    }

    private static func readGroups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if let group = group(part) {
                groups.append(group)
            } else if mayEndInIPv4, index == parts.count - 1, let address = ipv4(part) {
                groups += [UInt16(address >> 16), UInt16(truncatingIfNeeded: address)]
            } else {
                return nil
            }
        }
        return groups.count <= 8 ? groups : nil
    }

    private static func group(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(digits.count) else { return nil }
        var group: UInt16 = 0
        for digit in digits {
            guard let value = ASCIILetters.hexadecimalValue(of: digit) else { return nil }
            group = group << 4 | UInt16(value)
        }
        return group
    }
}
