internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON
package import ReveilleRuntime

/// The request for an access token: an assertion signed with the service account's key (RFC 7523; Google, "Using OAuth 2.0 for
/// Server to Server Applications").
package enum TokenGrant {
    /// The narrowest scope that sends messages.
    package static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The longest life of an assertion that Google takes.
    package static let lifeSeconds: Int64 = 3_600
    /// The type of the body.
    package static let contentType = "application/x-www-form-urlencoded"

    /// The body of a request made now; each request has an assertion of its own time.
    package static func body(_ account: ServiceAccount, now: WallInstant) -> [UInt8] {
        // A JWT has no character that a form would have to escape.
        Array(
            ("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
                + assertion(account, now: now)).utf8)
    }

    /// The signed assertion.
    package static func assertion(_ account: ServiceAccount, now: WallInstant) -> String {
        var header = JSONWriter()
        header.beginObject()
        header.key("alg")
        header.string("RS256")
        header.key("typ")
        header.string("JWT")
        if let keyID = account.keyID {
            header.key("kid")
            header.string(keyID)
        }
        header.endObject()
        var claims = JSONWriter()
        claims.beginObject()
        claims.key("iss")
        claims.string(account.clientEmail)
        claims.key("scope")
        claims.string(scope)
        claims.key("aud")
        claims.string(account.tokenURL)
        claims.key("iat")
        claims.integer(now.seconds)
        claims.key("exp")
        claims.integer(now.seconds + lifeSeconds)
        claims.endObject()
        return JWT.signRS256(headerJSON: header.bytes, claimsJSON: claims.bytes, key: account.key)
    }
}
