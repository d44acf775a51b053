internal import ReveilleBytes
package import ReveilleCore
internal import ReveilleCrypto

extension SubscriptionKeys {
    /// The subscription of these keys at an endpoint that the policy has taken; nil when the URL is empty or too long.
    package func subscription(endpoint: String) -> PushSubscription? {
        PushSubscription(
            endpoint: endpoint, publicKey: publicPoint, secret: authenticationSecret.withUnsafeBytes { Array($0) })
    }
}

extension PushSubscription {
    /// Whether messages can be encrypted for it: its public key is a point of the curve (RFC 8291 section 7).
    package var hasUsableKey: Bool { (try? P256PublicKey(x963: publicKey)) != nil }
}
