package import ReveilleCore

/// One entry of the list of apps: `bundle.id`, `bundle.id=shape` or `bundle.id=shape+shared`.
package enum AppEntry {
    /// Reads an entry.
    package static func parse(_ entry: String) throws(UsageError) -> App {
        let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let identifier = String(parts[0])
        guard isBundleID(identifier) else {
            throw UsageError(
                "'\(clipped(identifier))' is no bundle id; letters, digits, '.' and '-' make one, "
                    + "such as com.example.mail")
        }
        var shape = Shape.reveille
        var sharesInstalls = false
        if parts.count == 2 {
            var words = parts[1].split(separator: "+", omittingEmptySubsequences: false)
            let word = String(words.removeFirst())
            guard let named = Shape(rawValue: word) else {
                let words = Shape.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("'\(clipped(word))' is no shape; shapes are \(words)")
            }
            shape = named
            for word in words {
                guard word == "shared" else {
                    throw UsageError("'+\(clipped(String(word)))' is unknown; only '+shared' is")
                }
                sharesInstalls = true
            }
        }
        return App(
            identifier: identifier, topics: [identifier], shape: shape, sharesInstalls: sharesInstalls)
    }

    static func isBundleID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 155
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func clipped(_ text: String) -> String { String(text.prefix(60)) }
}
