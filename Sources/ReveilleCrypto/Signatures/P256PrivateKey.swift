internal import COpenSSL
package import ReveilleBytes

/// A private key on P-256 that signs ES256.
///
/// It cannot be printed.
package struct P256PrivateKey: Sendable {
    /// The longest DER form of an ECDSA signature on P-256.
    private static let maximumSignatureBytes = 72

    /// The point that belongs to this key.
    package let publicKey: P256PublicKey
    /// OpenSSL's key pair, for the certificates of this module.
    let handle: SharedHandle

    init(handle: SharedHandle, point: [UInt8]) {
        self.handle = handle
        publicKey = P256PublicKey(x963: point, handle: handle)
    }

    /// Makes a new key with the kernel's randomness.
    package static func generate() -> P256PrivateKey {
        let pair = OpenSSLErrors.isolated { () -> (SharedHandle, [UInt8])? in
            guard let key = try? SharedHandle(reveille_openssl_p256_generate(), EVP_PKEY_free),
                let point = try? P256Curve.point(of: key)
            else { return nil }
            return (key, point)
        }
        guard let pair else { OpenSSLErrors.unavailable("make a P-256 key") }
        return P256PrivateKey(handle: pair.0, point: pair.1)
    }

    /// Takes a scalar from 1 to n − 1 as 32 big-endian bytes.
    package init(rawScalar: SecretBytes) throws(CryptoError) {
        let pair: Result<(key: SharedHandle, point: [UInt8]), CryptoError> =
            rawScalar.withUnsafeBytes { bytes in
                guard P256Curve.isScalar(bytes) else {
                    return .failure(CryptoError(.unsuitableKey))
                }
                return OpenSSLErrors.isolated {
                    Result { () throws(CryptoError) in try P256Curve.keyPair(scalar: bytes) }
                }
            }
        let (handle, point) = try pair.get()
        self.init(handle: handle, point: point)
    }

    /// Reads a key file in any of the forms in use: PKCS#8 or SEC 1, PEM with mangled line ends,
    /// bare base64 of the DER or of the whole file.
    package init(pem text: SecretText) throws(KeyFileError) {
        try self.init(pem: text.reveal())
    }

    /// Reads a key file in any of the forms in use: PKCS#8 or SEC 1, PEM with mangled line ends,
    /// bare base64 of the DER or of the whole file.
    package init(pem text: String) throws(KeyFileError) {
        self = try ECKeyFile.privateKey(in: text)
    }

    /// Signs a message: r ‖ s, each 32 bytes big-endian (RFC 7518 section 3.4).
    ///
    /// Two signatures of one message differ.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        let signature = try? ECDSASignature.raw(
            fromDER: EVPSignature.sign(
                message, key: handle, maximumBytes: Self.maximumSignatureBytes))
        guard let signature else { OpenSSLErrors.unavailable("sign with P-256") }
        return signature
    }

    /// The key as a PKCS#8 file, for emulators and tests.
    package var pkcs8PEM: SecretText {
        SecretText(PEMText.privateKey(handle))
    }
}

extension P256PrivateKey: CustomStringConvertible, CustomReflectable {
    /// Names the key by its public half.
    package var description: String { "P256PrivateKey(‹secret›, public: \(publicKey))" }
    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
