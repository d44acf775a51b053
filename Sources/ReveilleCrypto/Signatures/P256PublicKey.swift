internal import COpenSSL
internal import ReveilleBytes

/// A point on P-256 that verifies ES256 signatures.
package struct P256PublicKey: Sendable {
    /// The uncompressed point of X9.62: 04 ‖ X ‖ Y, 65 bytes.
    package let x963: [UInt8]
    private let handle: SharedHandle

    /// Takes an uncompressed point; compressed and hybrid forms and points off the curve are
    /// refused.
    package init(x963: [UInt8]) throws(CryptoError) {
        guard x963.count == P256Curve.pointBytes, x963[0] == 0x04 else {
            throw CryptoError(.malformedInput)
        }
        self.x963 = x963
        handle = try OpenSSLErrors.isolated { () throws(CryptoError) in
            try P256Curve.publicKey(point: x963)
        }
    }

    /// Reads a file with a block PUBLIC KEY (SubjectPublicKeyInfo, RFC 5480).
    package init(spkiPEM text: String) throws(KeyFileError) {
        self = try ECKeyFile.publicKey(in: text)
    }

    /// Takes a key pair whose point is known.
    init(x963: [UInt8], handle: SharedHandle) {
        self.x963 = x963
        self.handle = handle
    }

    /// Says whether a raw signature r ‖ s of 64 bytes is one of this message by this key (RFC 7518
    /// section 3.4).
    ///
    /// Signatures of another length and numbers outside 1 … n − 1 are not valid. ECDSA is
    /// malleable: a second signature of the same message can be made from the first without the
    /// key, so signatures are no identities.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let der = try? ECDSASignature.der(fromRaw: signature) else { return false }
        return EVPSignature.isValid(der, for: message, key: handle)
    }

    /// First 8 bytes of the SHA-256 of the point: names a key in logs without revealing it.
    package var fingerprint: UInt64 {
        SHA256Digest.hash(x963).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension P256PublicKey: Equatable, CustomStringConvertible, CustomReflectable {
    /// Two keys are equal if their points are.
    package static func == (left: P256PublicKey, right: P256PublicKey) -> Bool {
        left.x963 == right.x963
    }

    /// Names the key by its fingerprint.
    package var description: String {
        "P256PublicKey(\(Hex.encode(SHA256Digest.hash(x963).prefix(4))))"
    }

    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
