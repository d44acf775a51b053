internal import ReveilleBytes
internal import ReveilleStorage

/// The form of bearer tokens: a prefix that names the holder's kind, then base64url of 32 random octets.
enum CredentialTexts {
    static let octets = 32

    static func prefix(_ holder: CredentialHolder) -> String {
        switch holder {
        case .producer: "rvp_"
        case .profile: "rvu_"
        case .admin: "rva_"
        }
    }

    /// Whether a text has the form of a token at all.
    static func isToken(_ text: String) -> Bool {
        let text = text.utf8
        guard text.count == 4 + 43,
            text.starts(with: "rvp_".utf8) || text.starts(with: "rvu_".utf8) || text.starts(with: "rva_".utf8)
        else { return false }
        return Base64URL.decode(utf8: text.dropFirst(4))?.count == octets
    }
}

/// A set of scopes as the database keeps it.
enum ScopeBits {
    private static func bit(_ scope: Scope) -> Int64 {
        switch scope {
        case .notify: 1
        case .mailEvents: 2
        case .mintProfiles: 4
        }
    }

    static func pack(_ scopes: Set<Scope>) -> Int64 { scopes.reduce(0) { $0 | bit($1) } }
    static func unpack(_ bits: Int64) -> Set<Scope> { Set(Scope.allCases.filter { bits & bit($0) != 0 }) }
}
