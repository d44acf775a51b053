package import ReveilleBytes
package import ReveilleCore

/// The secrets that a store draws at its first use and keeps, sealed under the master key, as long as it lives: ids, cursors
/// and tokens in the hands of clients depend on them, so a rotation of the master key leaves them as they are.
package struct StoreSecrets: Sendable {
    /// The numbers under which they are kept.
    package enum Name: Int64, CaseIterable, Sendable {
        case collapse = 1
        case publicIDs = 2
        case displayTokens = 3
        case tokenHash = 4
        case cursor = 5
        case request = 6
        case vapid = 7
    }

    /// Octets of each.
    package static let octets = 32

    /// Ids for strangers.
    package let publicIDs: PublicIDs
    /// Places in change logs.
    package let cursors: CursorSeal
    /// Tokens of devices.
    package let displayTokens: DisplayTokens
    /// Fingerprints of requests.
    package let requestHash: RequestHash
    /// Collapse ids.
    package let collapse: CollapseKey
    /// What the store's pair for push services is made of (RFC 8292): 32 octets.
    package let vapid: SecretBytes
    /// Finds bearer tokens.
    package let credentialHash: KeyedHash
    /// Finds device tokens of APNs.
    private let deviceTokenHash: KeyedHash
    /// Finds the addresses of all other providers, apart from those: a device token may have any octets.
    private let addressHash: KeyedHash
    /// Compares installation keys.
    package let installationHash: KeyedHash
    /// Finds idempotency keys.
    package let idempotencyHash: KeyedHash

    /// Takes the stored secrets; nil when one is missing.
    package init?(_ secrets: [Name: SecretBytes]) {
        guard let collapse = secrets[.collapse], let publicIDs = secrets[.publicIDs],
            let displayTokens = secrets[.displayTokens], let tokenHash = secrets[.tokenHash],
            let cursor = secrets[.cursor],
            let request = secrets[.request], let vapid = secrets[.vapid]
        else { return nil }
        self.publicIDs = PublicIDs(permutation: BlockCipherPermutation(key: publicIDs))
        cursors = CursorSeal(key: cursor)
        self.displayTokens = DisplayTokens(key: displayTokens)
        self.vapid = vapid
        requestHash = RequestHash(key: request, purpose: "request")
        idempotencyHash = KeyedHash(key: request, purpose: "idempotency")
        self.collapse = CollapseKey(key: collapse)
        credentialHash = KeyedHash(key: tokenHash, purpose: "credential")
        deviceTokenHash = KeyedHash(key: tokenHash, purpose: "device token")
        addressHash = KeyedHash(key: tokenHash, purpose: "device address")
        installationHash = KeyedHash(key: tokenHash, purpose: "installation key")
    }

    /// Finds the devices that have an address.
    package func hash(of address: DeviceAddress) -> [UInt8] {
        switch address {
        case .apns: deviceTokenHash.hash(address.identity)
        case .fcm: addressHash.hash(Array("fcm ".utf8) + address.identity)
        case .push: addressHash.hash(Array("push ".utf8) + address.identity)
        }
    }
}
