internal import ReveilleEndpoints

/// Whom a push service may write to about this server (RFC 8292 section 2.1): a `mailto:` or `https:` URL of the operator.
///
/// Read strictly, since Apple refuses every wake for a subject that is none, such as `mailto:mailto:…` or `https://localhost`.
package struct VAPIDSubject: Sendable, Hashable {
    /// The longest subject, in octets.
    package static let maximumOctets = 320

    /// The URL.
    package let text: String

    /// Reads a subject; nil when no push service would take it.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumOctets, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        if text.hasPrefix("mailto:") {
            guard Self.isAddress(text.dropFirst("mailto:".count)) else { return nil }
        } else {
            guard text.hasPrefix("https://"), let url = try? EndpointURL(text, kind: .webPush), Self.isPublic(url.host)
            else { return nil }
        }
        self.text = text
    }

    private static func isAddress(_ text: Substring) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(where: { ":,;?&<>\"".contains($0) }),
            let url = try? EndpointURL("https://\(parts[1])/", kind: .webPush)
        else { return false }
        return url.host.text == parts[1].lowercased() && isPublic(url.host)
    }

    private static func isPublic(_ host: EndpointHost) -> Bool {
        switch host {
        case .address: false
        case .name(let name): name.contains(".")
        }
    }
}
