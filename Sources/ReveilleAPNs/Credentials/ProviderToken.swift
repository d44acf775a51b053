internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON
package import ReveilleRuntime

/// One signed provider token, as the value of `authorization`.
///
/// The octets stay at one address for the token's life, so that requests can refer to them, and are erased at its end. It
/// cannot be printed.
package final class ProviderToken: Sendable {
    /// Rises with each token of a credential.
    package let generation: Int
    /// The time of issue in the token: whole seconds.
    package let issuedAt: WallInstant
    /// When it was signed, on the clock that measures its age.
    package let signedAt: MonotonicInstant
    private let value: SecretBytes

    /// Signs a token (Apple, "Establishing a token-based connection to APNs"): ES256, `kid`, `iss`, `iat`, nothing else.
    init(_ credential: APNsCredential, generation: Int, wall: WallInstant, monotonic: MonotonicInstant) {
        self.generation = generation
        issuedAt = WallInstant(seconds: wall.seconds)
        signedAt = monotonic
        var header = JSONWriter()
        header.beginObject()
        header.key("alg")
        header.string("ES256")
        header.key("kid")
        header.string(credential.keyID)
        header.endObject()
        var claims = JSONWriter()
        claims.beginObject()
        claims.key("iss")
        claims.string(credential.teamID)
        claims.key("iat")
        claims.integer(wall.seconds)
        claims.endObject()
        let text = "bearer " + JWT.signES256(headerJSON: header.bytes, claimsJSON: claims.bytes, key: credential.key)
        value = SecretBytes(Array(text.utf8))
    }

    /// The value of `authorization`, valid as long as the token lives.
    package var authorization: UnsafeBufferPointer<UInt8> { value.unsafeBytes }
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹provider token \(generation)›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
