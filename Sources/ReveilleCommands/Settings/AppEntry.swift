package import ReveilleCore

/// One entry of the list of apps: `name`, `name=shape`, and behind the shape `+shared` or `+unproven`.
///
/// A name is a bundle id, an Android package, or the origin of a web app.
package enum AppEntry {
    /// Reads an entry.
    package static func parse(_ entry: String) throws(UsageError) -> App {
        let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let identifier = String(parts[0])
        guard isBundleID(identifier) || isOrigin(identifier) else {
            throw UsageError(
                "'\(clipped(identifier))' is no app; letters, digits, '.', '-' and '_' make a bundle id or package, such as "
                    + "com.example.mail, and a web app is named by its origin, such as https://mail.example.com")
        }
        var shape = Shape.reveille
        var sharesInstalls = false
        var provesSubscriptions = true
        if parts.count == 2 {
            var words = parts[1].split(separator: "+", omittingEmptySubsequences: false)
            let word = String(words.removeFirst())
            guard let named = Shape(rawValue: word) else {
                let words = Shape.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("'\(clipped(word))' is no shape; shapes are \(words)")
            }
            shape = named
            for word in words {
                switch word {
                case "shared": sharesInstalls = true
                case "unproven": provesSubscriptions = false
                default:
                    throw UsageError("'+\(clipped(String(word)))' is unknown; '+shared' and '+unproven' are known")
                }
            }
        }
        return App(
            identifier: identifier, topics: [identifier], shape: shape, sharesInstalls: sharesInstalls,
            provesSubscriptions: provesSubscriptions)
    }

    static func isBundleID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 155
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// An origin as browsers write it: scheme, name in lower case, and the port if it is not the usual one.
    static func isOrigin(_ text: String) -> Bool {
        guard text.hasPrefix("https://") else { return false }
        let parts = text.dropFirst("https://".count).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, isBundleID(String(host)), host == host.lowercased() else {
            return false
        }
        return parts.count == 1 || UInt16(parts[1]).map { $0 > 0 && $0 != 443 && String($0) == parts[1] } ?? false
    }

    private static func clipped(_ text: String) -> String { String(text.prefix(60)) }
}
