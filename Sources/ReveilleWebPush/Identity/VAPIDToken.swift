internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON
internal import ReveilleRuntime

/// One signed token for one push service, as the value of `authorization`.
///
/// The octets stay at one address for the token's life, so that requests can refer to them, and are erased at its end. It
/// cannot be printed.
package final class VAPIDToken: Sendable {
    /// The time in its `exp`.
    let expiresAt: WallInstant
    /// When it was signed, on the clock that measures its age.
    let signedAt: MonotonicInstant
    private let value: SecretBytes

    /// Signs a token (RFC 8292 section 2): ES256, `aud`, `exp` and `sub`, nothing else.
    init(
        _ key: VAPIDKey, subject: VAPIDSubject, origin: String, expiresAt: WallInstant, monotonic: MonotonicInstant
    ) {
        self.expiresAt = expiresAt
        signedAt = monotonic
        var claims = JSONWriter()
        claims.beginObject()
        claims.key("aud")
        claims.string(origin)
        claims.key("exp")
        claims.integer(expiresAt.seconds)
        claims.key("sub")
        claims.string(subject.text)
        claims.endObject()
        let token = JWT.signES256(
            headerJSON: Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8), claimsJSON: claims.bytes, key: key.pair)
        value = SecretBytes(Array("vapid t=\(token), k=\(key.publicKey)".utf8))
    }

    /// The value of `authorization` (RFC 8292 section 3), valid as long as the token lives.
    package var authorization: UnsafeBufferPointer<UInt8> { value.unsafeBytes }
}

extension VAPIDToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹VAPID token›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
