/// Names that mean something in a local network, or nothing anywhere, although a resolver may answer for them.
enum SpecialNames {
    /// The name and everything under it (RFC 6761, 6762, 7686, 8375, 9476, and what private networks use).
    static let all: Set<String> = [
        "localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "arpa", "test",
        "invalid", "example", "onion", "alt", "svc",
    ]

    static func contain(_ name: String) -> Bool {
        guard let last = name.split(separator: ".").last else { return false }
        return all.contains(String(last))
    }
}
