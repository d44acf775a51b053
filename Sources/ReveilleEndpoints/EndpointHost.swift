/// The host of an endpoint: a name in lower case, or an address.
package enum EndpointHost: Hashable, Sendable {
    case name(String)
    case address(InternetAddress, text: String)

    /// As it stands in the URL, in lower case, IPv6 addresses in brackets.
    package var text: String {
        switch self {
        case .name(let name): name
        case .address(_, let text): text
        }
    }

    /// What is looked up, and what the certificate must name: as in the URL, but IPv6 addresses without brackets.
    package var connectionName: String {
        switch self {
        case .name(let name): name
        case .address(_, let text): text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
        }
    }

    /// The longest name (RFC 1035 section 2.3.4, less what only stands on the wire).
    private static let maximumNameOctets = 253
    private static let maximumLabelOctets = 63

    /// Reads what stands before the port; brackets are part of it.
    init(_ text: ArraySlice<UInt8>) throws(EndpointFault) {
        if text.first == UInt8(ascii: "[") {
            self = try Self.bracketed(text)
            return
        }
        if text.contains(UInt8(ascii: "%")) { throw .percentHost }
        var name = text.map(ASCIILetters.lowered)
        let endsInDot = name.last == UInt8(ascii: ".")
        if endsInDot { name.removeLast() }
        guard Self.isName(name) else { throw .syntax }
        if endsInDot { throw .trailingDot }
        let lowered = String(decoding: name, as: UTF8.self)
        guard Self.endsInNumber(name) else {
            self = .name(lowered)
            return
        }
        guard let address = InternetAddress(lowered) else { throw .nonCanonicalAddress }
        self = .address(address, text: lowered)
    }

    private static func bracketed(_ text: ArraySlice<UInt8>) throws(EndpointFault) -> EndpointHost {
        guard text.last == UInt8(ascii: "]"), text.count > 2 else { throw .syntax }
        let inner = text.dropFirst().dropLast()
        if inner.contains(UInt8(ascii: "%")) { throw .zoneID }
        let lowered = String(decoding: inner.map(ASCIILetters.lowered), as: UTF8.self)
        guard case .ipv6(let high, let low)? = InternetAddress(lowered) else { throw .syntax }
        return .address(.ipv6(high: high, low: low), text: "[\(lowered)]")
    }

    /// Letters, digits and hyphens between dots, no hyphen at the ends of a label (RFC 1123 section 2.1).
    private static func isName(_ name: [UInt8]) -> Bool {
        guard !name.isEmpty, name.count <= maximumNameOctets else { return false }
        let hyphen = UInt8(ascii: "-")
        return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...maximumLabelOctets).contains(label.count)
                && label.allSatisfy { ASCIILetters.isLetterOrDigit($0) || $0 == hyphen }
                && label.first != hyphen && label.last != hyphen
        }
    }

    /// Whether libraries would try to read the name as an IPv4 address (WHATWG URL, "ends in a number").
    private static func endsInNumber(_ name: [UInt8]) -> Bool {
        guard let last = name.split(separator: UInt8(ascii: ".")).last else { return false }
        return last.allSatisfy(ASCIILetters.isDigit) || last.starts(with: "0x".utf8)
    }
}
