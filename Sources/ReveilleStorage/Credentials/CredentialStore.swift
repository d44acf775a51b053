package import ReveilleCore

/// Producers, profiles and the tokens that stand for them; only keyed hashes of tokens are kept.
package protocol CredentialStore: Sendable {
    /// Makes a producer; nil when the name is taken.
    func createProducer(name: String) async throws(StoreError) -> ProducerRow?
    /// Finds a producer by its name.
    func producer(name: String) async throws(StoreError) -> ProducerRow?
    /// All producers with their names.
    func producers() async throws(StoreError) -> [(row: ProducerRow, name: String)]

    /// Makes a token of 32 random octets and returns its text, the only time it can be seen: `rvp_` for a producer, `rvu_`
    /// for a profile, `rva_` for an admin, then base64url.
    func createToken(
        _ holder: CredentialHolder, scopes: Set<Scope>, label: String
    ) async throws(StoreError) -> (credential: CredentialRow, token: String)
    /// Finds the holder of a token; nil when it is unknown or revoked. Cached; a revocation in this
    /// process counts at once, one in another process within five seconds.
    func credential(token: String) async throws(StoreError) -> Credential?
    /// Revokes a token; idempotent. False when the holder has no such token.
    func revoke(_ credential: CredentialRow, of holder: CredentialHolder)
        async throws(StoreError) -> Bool
    /// Revokes a token by its text: of several that revoke it at once, one does.
    func revoke(token: String) async throws(StoreError) -> Revocation
    /// Whether a token was revoked; true for one that never was. Cached like ``credential(token:)``.
    func isRevoked(_ credential: CredentialRow) async throws(StoreError) -> Bool

    /// The profile of a producer, made when it does not exist.
    func profile(_ name: String, of producer: ProducerRow) async throws(StoreError) -> ProfileRow
    /// The profile of a producer, nil when it does not exist.
    func existingProfile(_ name: String, of producer: ProducerRow) async throws(StoreError)
        -> ProfileRow?
    /// The push mode of a profile.
    func pushMode(of profile: ProfileRow) async throws(StoreError) -> PushMode
    /// Sets the push mode of a profile: a hard gate over its devices.
    func setPushMode(_ mode: PushMode, of profile: ProfileRow) async throws(StoreError)
}

/// What became of the wish to revoke a token.
package enum Revocation: Hashable, Sendable {
    case revoked
    case wasRevokedBefore
    case unknownToken
}

/// What a producer token may do.
package enum Scope: String, CaseIterable, Hashable, Sendable {
    case notify
    case mailEvents = "mail:events"
    case mintProfiles = "profiles:mint"
}

/// Whom a token stands for.
package enum CredentialHolder: Hashable, Sendable {
    case producer(ProducerRow)
    case profile(ProfileRow)
    case admin
}

/// A valid token's meaning.
package struct Credential: Hashable, Sendable {
    package let row: CredentialRow
    package let holder: CredentialHolder
    package let scopes: Set<Scope>
    /// When it was minted, in milliseconds since 1970; a profile token's sign-in time.
    package let createdAtMilliseconds: Int64

    /// Describes a credential.
    package init(
        row: CredentialRow, holder: CredentialHolder, scopes: Set<Scope>,
        createdAtMilliseconds: Int64
    ) {
        self.row = row
        self.holder = holder
        self.scopes = scopes
        self.createdAtMilliseconds = createdAtMilliseconds
    }
}
