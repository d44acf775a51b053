internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleInbox
internal import ReveilleStorage
internal import ReveilleWebPush

/// The pairs by which push services know this server.
enum VAPIDKeys {
    /// The pair that a store keeps since its first use.
    ///
    /// Of the octets that were drawn nearly all are a private key (FIPS 186-5 section A.2.2); of the few that are none the next
    /// number is made by hashing, the same at every start.
    static func own(_ secrets: StoreSecrets) -> VAPIDKey {
        var scalar = secrets.vapid
        while true {
            if let key = try? VAPIDKey(scalar: scalar) { return key }
            scalar = SecretBytes(scalar.withUnsafeBytes { SHA256Digest.hash(Array($0)) })
        }
    }

    /// What registrations and the capability answer need of pairs.
    static func services(_ keys: [VAPIDKey]) -> [PushServices.Key] {
        keys.map { PushServices.Key(id: $0.id, publicKey: $0.publicKey) }
    }
}
