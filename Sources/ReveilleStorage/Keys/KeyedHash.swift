internal import ReveilleBytes
internal import ReveilleCrypto

/// A hash under a secret of the store: finds or compares a value without keeping it.
package struct KeyedHash: Sendable {
    /// Octets of a hash.
    package static let octets = HMACSHA256.byteCount

    private let code: HMACSHA256

    init(key: SecretBytes, purpose: String) {
        code = HMACSHA256(key: HKDFSHA256.derive(secret: key, info: Array(purpose.utf8), count: 32))
    }

    /// The hash of some octets.
    package func hash(_ bytes: [UInt8]) -> [UInt8] {
        code.authenticate(bytes)
    }

    /// The hash of a text.
    package func hash(_ text: String) -> [UInt8] {
        code.authenticate(Array(text.utf8))
    }
}

/// The keyed hash of requests, for idempotency fingerprints.
package typealias RequestHash = KeyedHash
