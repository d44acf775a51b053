/// An endpoint that a client gave: an `https` URL, read so strictly that no two readers can differ about its host.
///
/// Whoever has it can send, so it prints nothing of itself. Path and query stay octet for octet as they came: push services
/// compare tokens in them undecoded.
package struct EndpointURL: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The host.
    package let host: EndpointHost
    /// The port, 443 when none is named.
    package let port: UInt16
    /// Path and query as they came, `/` when there is no path: what stands in a request.
    package let target: String

    /// Reads a URL of a kind; which hosts and ports may be used is the policy's to say.
    package init(_ text: String, kind: EndpointKind) throws(EndpointFault) {
        let octets = Array(text.utf8)
        try Self.checkOctets(octets, kind)
        let rest = try Self.behindScheme(octets)
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        if authority.isEmpty { throw .syntax }
        if rest.contains(UInt8(ascii: "#")) { throw .fragment }
        if authority.contains(UInt8(ascii: "@")) { throw .userInfo }
        let (hostText, portText) = try Self.split(authority)
        port = try Self.readPort(portText)
        host = try EndpointHost(hostText)
        let target = String(decoding: rest[end...], as: UTF8.self)
        self.target = target.hasPrefix("/") ? target : "/" + target
    }

    /// Whether path or query can tell one receiver from another.
    package var hasIdentifier: Bool { target != "/" }

    /// What stands in the `Host` field, and in `:authority`: the port only when it is not 443.
    package var authority: String { port == 443 ? host.text : "\(host.text):\(port)" }

    /// The origin (RFC 6454 section 6.2), the audience of a VAPID token.
    package var origin: String { "https://\(authority)" }

    /// Says that there is a URL.
    package var description: String { "EndpointURL(…)" }
    /// Says that there is a URL.
    package var debugDescription: String { description }

    private static func checkOctets(_ octets: [UInt8], _ kind: EndpointKind) throws(EndpointFault) {
        if octets.isEmpty { throw .syntax }
        if octets.count > kind.maximumOctets { throw .length }
        if octets.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { throw .controlOrSpace }
        if octets.contains(where: { $0 >= 0x80 }) { throw .nonASCII }
        if octets.contains(UInt8(ascii: "\\")) { throw .backslash }
    }

    private static func behindScheme(_ octets: [UInt8]) throws(EndpointFault) -> ArraySlice<UInt8> {
        guard let colon = octets.firstIndex(of: UInt8(ascii: ":")),
            octets[..<colon].map(ASCIILetters.lowered).elementsEqual("https".utf8)
        else { throw .scheme }
        let rest = octets[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else { throw .syntax }
        return rest.dropFirst(2)
    }

    /// Host and, when there is a colon behind it, port.
    private static func split(
        _ authority: ArraySlice<UInt8>
    ) throws(EndpointFault) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
        let colon = UInt8(ascii: ":")
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .syntax }
            let behind = authority[(bracket + 1)...]
            guard behind.isEmpty || behind.first == colon else { throw .syntax }
            return (authority[...bracket], behind.isEmpty ? nil : behind.dropFirst())
        }
        guard let end = authority.firstIndex(of: colon) else { return (authority, nil) }
        // An address of IPv6 without its brackets is no host with a port.
        if end == authority.startIndex || InternetAddress(String(decoding: authority, as: UTF8.self)) != nil {
            throw .syntax
        }
        return (authority[..<end], authority[(end + 1)...])
    }

    private static func readPort(_ text: ArraySlice<UInt8>?) throws(EndpointFault) -> UInt16 {
        guard let text else { return 443 }
        guard let port = DecimalNumber.read(text, maximum: Int(UInt16.max)), port > 0 else { throw .port }
        return UInt16(port)
    }
}
