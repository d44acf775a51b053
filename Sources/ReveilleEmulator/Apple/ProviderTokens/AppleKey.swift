package import ReveilleCrypto

/// A signing key as Apple knows it: the public half of a `.p8` file and what may be done with it.
package struct AppleKey: Sendable {
    /// The team that owns the key: the `iss` of its tokens.
    package let teamID: String
    /// The name of the key: the `kid` of its tokens.
    package let keyID: String
    /// The half that verifies.
    package let publicKey: P256PublicKey
    /// Where the key is valid; used elsewhere it is answered with BadEnvironmentKeyIdInToken.
    package let environments: Set<AppleEnvironment>
    /// The topics of a topic-specific key; nil for a team-scoped one.
    package let topics: Set<String>?
    /// Keys with the same family may share a connection; nil for a key that is related to itself only.
    package let family: String?

    /// Describes a key.
    package init(
        teamID: String, keyID: String, publicKey: P256PublicKey,
        environments: Set<AppleEnvironment> = Set(AppleEnvironment.allCases),
        topics: Set<String>? = nil, family: String? = nil
    ) {
        self.teamID = teamID
        self.keyID = keyID
        self.publicKey = publicKey
        self.environments = environments
        self.topics = topics
        self.family = family
    }
}

/// Which provider tokens are good.
package enum AcceptedProviderTokens: Sendable {
    /// Those signed with one of these keys.
    case signedBy([AppleKey])
    /// Any well-formed token of the right age, whoever signed it: for senders with a throw-away key.
    case anyKey
    /// Any bearer text: for load generators that cannot sign.
    case unchecked
}
