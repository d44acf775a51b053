/// The host and port of a provider, from an `https` URL that an operator wrote.
package struct ProviderAddress: Hashable, Sendable {
    package let host: String
    package let port: UInt16

    /// Names a host and port.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `https://host[:port]`, nothing more.
    package init?(parsing text: String) {
        guard text.hasPrefix("https://") else { return nil }
        var rest = text.dropFirst("https://".count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var host = rest
        var port: UInt16 = 443
        if let colon = rest.lastIndex(of: ":") {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else { return nil }
            port = number
            host = rest[..<colon]
        }
        let allowed = host.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard !host.isEmpty, host.utf8.count <= 253, allowed else { return nil }
        self.init(host: String(host), port: port)
    }

    /// The value of `:authority`.
    package var authority: String { port == 443 ? host : "\(host):\(port)" }
}
