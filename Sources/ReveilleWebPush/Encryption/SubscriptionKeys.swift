package import ReveilleBytes
internal import ReveilleCrypto

/// The keys of a subscription: where its messages are encrypted to (RFC 8291 section 2.1).
package struct SubscriptionKeys: Sendable {
    /// Size of the authentication secret in bytes.
    package static let authenticationSecretBytes = 16

    /// Why keys were refused.
    package enum Fault: String, Error, CaseIterable, Sendable {
        /// `p256dh` is not base64url of an uncompressed point of P-256, or the point is not on the curve.
        case publicKey = "p256dh"
        /// `auth` is not base64url of 16 bytes.
        case authenticationSecret = "auth"
    }

    /// The receiver's point, uncompressed.
    package let publicPoint: [UInt8]
    /// What only sender and receiver know.
    package let authenticationSecret: SecretBytes

    /// Reads the texts that browsers and distributors hand out.
    ///
    /// Padding and the standard alphabet are taken too, as some clients send them; what is stored is made from the bytes.
    package init(p256dh: String, auth: String) throws(Fault) {
        guard let point = Base64URL.decodeLeniently(p256dh), (try? P256PublicKey(x963: point)) != nil else {
            throw .publicKey
        }
        guard let secret = Base64URL.decodeLeniently(auth), secret.count == Self.authenticationSecretBytes else {
            throw .authenticationSecret
        }
        publicPoint = point
        authenticationSecret = SecretBytes(secret)
    }
}
