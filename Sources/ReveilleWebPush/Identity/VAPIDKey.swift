package import ReveilleBytes
internal import ReveilleCrypto

/// The key pair by which push services know this server (RFC 8292): made once, because every subscription is made with it and takes
/// no other.
///
/// It cannot be printed.
package struct VAPIDKey: Sendable {
    /// Octets of the private scalar.
    package static let scalarBytes = 32

    /// The pair; never used to encrypt (RFC 8292 section 3.2).
    let pair: P256PrivateKey
    /// A short stable name for stores, logs and lanes: 16 hexadecimal digits of the public key's hash.
    package let id: String
    /// The public key as browsers and distributors take it: base64url of the uncompressed point, 87 characters.
    package let publicKey: String

    private init(_ pair: P256PrivateKey) {
        self.pair = pair
        let point = pair.publicKey.x963
        id = Hex.encode(SHA256Digest.hash(point).prefix(8))
        publicKey = Base64URL.encode(point)
    }

    /// Makes a new pair.
    package static func generate() -> VAPIDKey { VAPIDKey(.generate()) }

    /// Takes the scalar back that ``scalar`` gave.
    package init(scalar: SecretBytes) throws(VAPIDKeyError) {
        do {
            self.init(try P256PrivateKey(rawScalar: scalar))
        } catch {
            throw .unusableKey
        }
    }

    /// Reads a pair that another program made: the private key as base64url of its 32 octets, as tools for Web Push print it, or a key
    /// file (PKCS#8 or SEC 1, PEM or DER in base64).
    ///
    /// - Parameter publicKey: the public key that came with it, if any; it must be the private key's own.
    package init(importing text: SecretText, publicKey: String? = nil) throws(VAPIDKeyError) {
        let trimmed = text.reveal().trimmed
        if let scalar = Base64URL.decodeLeniently(trimmed), scalar.count == Self.scalarBytes {
            try self.init(scalar: SecretBytes(scalar))
        } else {
            do {
                self.init(try P256PrivateKey(pem: text))
            } catch {
                throw .unreadableKey
            }
        }
        if let publicKey, Base64URL.decodeLeniently(publicKey.trimmed) != pair.publicKey.x963 { throw .otherPublicKey }
    }

    /// The private scalar, for the store to seal.
    package var scalar: SecretBytes { pair.rawScalar }

    /// The private key as other tools for Web Push take it: base64url of its 32 octets, 43 characters.
    package var privateText: SecretText {
        SecretText(scalar.withUnsafeBytes { Base64URL.encode($0) })
    }

    /// The private key as a PKCS#8 file.
    package var pem: SecretText { pair.pkcs8PEM }
}

extension VAPIDKey: Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Two pairs are equal when their public keys are.
    package static func == (left: VAPIDKey, right: VAPIDKey) -> Bool { left.publicKey == right.publicKey }
    /// Names the pair by its id.
    package var description: String { "‹VAPID key \(id)›" }
    /// Names the pair by its id.
    package var debugDescription: String { description }
    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a VAPID pair is not taken, without anything of it.
package enum VAPIDKeyError: String, Error, CaseIterable, Sendable {
    /// Neither base64url of 32 octets nor a key file of P-256.
    case unreadableKey = "vapid_key_unreadable"
    /// Not a number from 1 to n − 1.
    case unusableKey = "vapid_key_unusable"
    /// The public key beside it belongs to another private key.
    case otherPublicKey = "vapid_key_mismatch"
}

extension String {
    /// Without white space around it, as texts from files and environments have it.
    fileprivate var trimmed: String {
        let octets = Array(utf8)
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = octets.firstIndex(where: { !isBlank($0) }),
            let last = octets.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: octets[first...last], as: UTF8.self)
    }
}
