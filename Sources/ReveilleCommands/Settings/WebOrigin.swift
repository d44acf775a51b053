/// An origin as browsers write it in the `Origin` field (RFC 6454 section 6.2): what is written otherwise would never match.
package enum WebOrigin {
    /// What is wrong with an entry of the list of origins, as the end of a sentence; nil when nothing is.
    package static func problem(_ entry: String) -> String? {
        let secure = entry.hasPrefix("https://")
        guard secure || entry.hasPrefix("http://") else { return "must begin with https:// or http://" }
        let rest = entry.dropFirst(secure ? 8 : 7)
        if rest.contains("/") || rest.contains("?") || rest.contains("#") || rest.contains("@") {
            return "must be a scheme and host without a path, such as https://app.example.org"
        }
        var host = rest
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            guard let port = UInt16(rest[rest.index(after: colon)...]), port > 0 else {
                return "has no port behind ':'"
            }
            if port == (secure ? 443 : 80) { return "must not name the usual port: browsers leave it out" }
            host = rest[..<colon]
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? host.dropFirst().dropLast() : host
        if name.isEmpty { return "has no host" }
        if name.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
            return "must be in small letters, as browsers write it"
        }
        guard name.utf8.allSatisfy({ isHostOctet($0, isBracketed) }) else {
            return "has a character that no host has; '*' stands for nothing here"
        }
        return nil
    }

    private static func isHostOctet(_ octet: UInt8, _ isBracketed: Bool) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): true
        case UInt8(ascii: "-"): !isBracketed
        case UInt8(ascii: ":"): isBracketed
        default: false
        }
    }
}
