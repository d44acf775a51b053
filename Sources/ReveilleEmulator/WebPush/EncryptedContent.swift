internal import ReveilleBytes
package import ReveilleCrypto

/// Opens pushes as a browser does: RFC 8291 over RFC 8188, `aes128gcm`, one record.
package enum EncryptedContent {
    /// Why a push cannot be opened.
    package enum Fault: String, Error, Sendable {
        /// Salt, record size or key id do not have the form of RFC 8291.
        case header
        /// The sender's key is no point of the curve.
        case senderKey = "sender_key"
        /// A bit of it, or a key, is wrong.
        case authentication
        /// No delimiter, or that of a record which is not the last.
        case delimiter
    }

    /// Salt, record size, length of the key id, key id.
    static let headerBytes = 16 + 4 + 1 + 65
    /// The smallest record size: one octet, delimiter and tag (RFC 8188, section 2.1).
    static let smallestRecord = 18

    /// The octets that the sender wanted to say.
    package static func open(_ body: [UInt8], with keys: SubscriptionKeys) throws(Fault) -> [UInt8] {
        guard body.count > headerBytes + AESGCM128.tagBytes else { throw .header }
        let salt = Array(body[0..<16])
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        guard recordSize >= smallestRecord, body[20] == 65, body.count - headerBytes <= recordSize else {
            throw .header
        }
        let senderPoint = Array(body[21..<headerBytes])
        let secret = try keys.agree(with: senderPoint)
        let material = HKDFSHA256.derive(
            secret: secret, salt: keys.secret, info: Array("WebPush: info\0".utf8) + keys.publicKey + senderPoint,
            count: 32)
        let key = HKDFSHA256.derive(
            secret: material, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: AESGCM128.keyBytes)
        let nonce = HKDFSHA256.derive(
            secret: material, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: AESGCM128.nonceBytes)
        let padded: [UInt8]
        do throws(CryptoError) {
            padded = try AESGCM128.open(
                Array(body[headerBytes...]), key: key.withUnsafeBytes { Array($0) },
                nonce: nonce.withUnsafeBytes { Array($0) })
        } catch {
            throw .authentication
        }
        guard let delimiter = padded.lastIndex(where: { $0 != 0 }), padded[delimiter] == 2 else { throw .delimiter }
        return Array(padded[..<delimiter])
    }
}

/// The keys of a subscription whose user agent is the emulator itself.
package struct SubscriptionKeys: Sendable {
    /// The point, 65 octets: `p256dh`.
    package let publicKey: [UInt8]
    /// The authentication secret, 16 octets: `auth`.
    package let secret: [UInt8]
    private let scalar: SecretBytes

    /// Takes keys that somebody made.
    ///
    /// - Throws: `CryptoError` when the scalar is not from 1 to n − 1.
    package init(scalar: [UInt8], secret: [UInt8]) throws(CryptoError) {
        let scalar = SecretBytes(scalar)
        publicKey = try P256PrivateKey(rawScalar: scalar).publicKey.x963
        self.secret = secret
        self.scalar = scalar
    }

    /// The shared secret with a sender's point.
    func agree(with point: [UInt8]) throws(EncryptedContent.Fault) -> SecretBytes {
        var own = [UInt8](repeating: 0, count: P256Agreement.pointBytes)
        var shared = [UInt8](repeating: 0, count: P256Agreement.scalarBytes)
        let agreement = P256Agreement()
        let isAgreed = point.withUnsafeBytes { point in
            own.withUnsafeMutableBytes { own in
                shared.withUnsafeMutableBytes { shared in
                    (try? agreement.agree(with: point, scalar: scalar, ownPoint: own, sharedSecret: shared)) != nil
                }
            }
        }
        guard isAgreed else { throw .senderKey }
        return SecretBytes(shared)
    }
}
