package import ReveilleBytes
internal import ReveilleCrypto

/// The key from which every key of a store is derived; it never leaves the process and is never stored in the store.
package struct MasterKey: Sendable {
    /// Octets of a master key.
    package static let octets = 32

    let secret: SecretBytes

    /// Takes the key's octets; nil unless there are ``octets`` of them.
    package init?(_ secret: SecretBytes) {
        guard secret.count == Self.octets else { return nil }
        self.secret = secret
    }

    /// Draws a new key from the system's randomness.
    package static func generate() -> MasterKey {
        MasterKey(drawn: SecretBytes(count: octets) { SecureRandom.fill($0) })
    }

    private init(drawn secret: SecretBytes) {
        self.secret = secret
    }

    /// Sixteen hexadecimal digits that tell keys apart and say nothing of the key: stored beside the data, and named to the
    /// operator when a store and a key do not belong together.
    package var checkValue: String {
        Hex.encode(HMACSHA256(key: secret).authenticate(Array("reveille master key check".utf8)).prefix(8))
    }

    /// Takes the key from 64 hexadecimal digits; nil for anything else.
    package init?(text: SecretText) {
        guard let octets = Hex.decode(text.reveal()) else { return nil }
        self.init(SecretBytes(octets))
    }

    /// The key as 64 hexadecimal digits, for the file that keeps it.
    package func text() -> SecretText {
        SecretText(secret.withUnsafeBytes { Hex.encode($0) })
    }
}

/// The master key in use, and those that values may still be sealed under.
package struct MasterKeys: Sendable {
    /// Seals what is written now.
    package let current: MasterKey
    /// Open what was written before a rotation and is not sealed anew yet.
    package let former: [MasterKey]

    /// Names the keys.
    package init(current: MasterKey, former: [MasterKey] = []) {
        self.current = current
        self.former = former
    }

    /// All keys, the current one first.
    package var all: [MasterKey] { [current] + former }
}
