/// A provider token whose signature was verified once.
///
/// Its age is judged anew at each use.
struct ProviderToken: Sendable {
    /// What makes two texts the same token: signatures are random, claims are not.
    struct Identity: Hashable, Sendable {
        let keyID: String
        let teamID: String
        let issuedAt: Int64
    }

    let identity: Identity
    let environments: Set<AppleEnvironment>?
    let topics: Set<String>?
    let family: String?
    /// Whether age and changes count; false only for texts that nobody verified.
    let isChecked: Bool

    /// Seconds that a token is good for after its issue ("Establishing a token-based connection to APNs").
    static let lifetime: Int64 = 3600
    /// Seconds that the sender's clock may be ahead.
    ///
    /// Apple gives no number.
    static let allowedClockSkew: Int64 = 60

    /// Whether a connection that was authenticated with `other` may also use this token.
    func isRelated(to other: ProviderToken) -> Bool {
        guard identity.teamID == other.identity.teamID else { return false }
        if identity.keyID == other.identity.keyID { return true }
        guard let family else { return false }
        return family == other.family
    }

    /// Refuses a token that is too old, or not yet issued, `now` (seconds since 1970).
    func checkAge(at now: Int64) throws(AppleRefusal) {
        guard isChecked else { return }
        guard identity.issuedAt <= now + Self.allowedClockSkew else {
            throw AppleRefusal(.invalidProviderToken, .jwtIsFromTheFuture)
        }
        guard now - identity.issuedAt <= Self.lifetime else {
            throw AppleRefusal(.expiredProviderToken, .jwtIsTooOld)
        }
    }

    /// Refuses a key that is not for `environment`.
    func checkEnvironment(_ environment: AppleEnvironment) throws(AppleRefusal) {
        guard let environments, !environments.contains(environment) else { return }
        throw AppleRefusal(.badEnvironmentKeyIDInToken, .jwtKeyIsOfOtherEnvironment)
    }
}
