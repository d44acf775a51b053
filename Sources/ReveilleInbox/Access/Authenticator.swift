package import ReveilleBytes

/// Tells who a bearer token stands for; one for each form of token.
///
/// Tokens of a user's own sign-in become one more of these.
package protocol Authenticator: Sendable {
    /// Looks at a token.
    ///
    /// - Returns: what it found; `.otherForm` lets the next authenticator look.
    func authenticate(_ token: SecretText) async throws(InboxError) -> Authentication
}

/// What an authenticator found.
package enum Authentication: Sendable {
    /// The token is valid.
    case caller(Caller)
    /// The token has this authenticator's form and is unknown, forged or revoked.
    case refused
    /// The token was valid and is too old.
    case expired
    /// The token has another form.
    case otherForm
}

/// The beginnings of tokens, so that people and secret scanners tell them apart.
package enum TokenPrefix {
    /// A producer's token.
    package static let producer = "rvp_"
    /// A profile's token.
    package static let profile = "rvu_"
    /// A device's display token.
    package static let display = "rvd_"
    /// An admin's token.
    package static let admin = "rva_"
    /// The longest bearer token looked at, in octets; a JWT of a large identity provider fits.
    package static let maximumTokenOctets = 8_192
}
