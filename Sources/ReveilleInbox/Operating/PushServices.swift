package import ReveilleEndpoints

/// What registrations of subscriptions are judged by, and what apps are told of it.
package struct PushServices: Sendable {
    /// One pair by which push services know this server.
    package struct Key: Hashable, Sendable {
        /// Its short name; the credential of lanes.
        package let id: String
        /// The public key, base64url of the uncompressed point.
        package let publicKey: String

        /// Names a pair.
        package init(id: String, publicKey: String) {
            self.id = id
            self.publicKey = publicKey
        }
    }

    /// Which endpoints may be sent to.
    package let policy: EndpointPolicy
    /// The present pair first; subscriptions made with a former one stay good.
    package let keys: [Key]

    /// Judges by a policy and the server's pairs.
    package init(policy: EndpointPolicy, keys: [Key]) {
        self.policy = policy
        self.keys = keys
    }

    /// The pair of a public key, in base64url with or without padding; the present one for nil.
    func key(_ publicKey: String?) -> Key? {
        guard let publicKey else { return keys.first }
        let text = publicKey.prefix { $0 != "=" }
        return keys.first { $0.publicKey == text }
    }
}
