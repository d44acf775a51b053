internal import COpenSSL
package import ReveilleBytes

/// An RSA private key that signs RS256, as Google's service accounts have it.
///
/// It cannot be printed.
package struct RSAPrivateKey: Sendable {
    /// Allowed sizes of the modulus in bits: RFC 7518 section 3.3 asks for 2048, more than 8192
    /// only costs time.
    package static let modulusBits = 2048...8192

    /// The public half.
    package let publicKey: RSAPublicKey
    private let handle: SharedHandle

    /// Reads a key file: PKCS#8 or PKCS#1, with the same tolerance as for P-256 keys.
    package init(pem text: SecretText) throws(KeyFileError) {
        try self.init(pem: text.reveal())
    }

    /// Reads a key file: PKCS#8 or PKCS#1, with the same tolerance as for P-256 keys.
    package init(pem text: String) throws(KeyFileError) {
        let file = try KeyFile(text: text, purpose: .rsaPrivateKey)
        let structure: [UInt8]
        switch file.container {
        case .sec1: throw file.error(.otherAlgorithm)
        case .pkcs1: structure = file.der
        case .pkcs8, .unlabelled:
            let info = try file.reading { reader throws(DERError) in try PrivateKeyInfo(&reader) }
            guard info.algorithm == KeyObjectIdentifier.rsa else {
                throw file.error(.otherAlgorithm)
            }
            structure = info.key
        }
        guard let handle = Self.key(pkcs1: structure) else { throw file.error(.damagedStructure) }
        guard Self.modulusBits.contains(Int(EVP_PKEY_get_bits(handle.pointer))) else {
            throw file.error(.unsuitableSize)
        }
        self.handle = handle
        publicKey = RSAPublicKey(handle: handle)
    }

    /// Makes a new key with the kernel's randomness: for emulators and tests, for it takes some 100 ms.
    package static func generate() -> RSAPrivateKey {
        let handle = OpenSSLErrors.isolated {
            try? SharedHandle(reveille_openssl_rsa_generate(UInt32(modulusBits.lowerBound)), EVP_PKEY_free)
        }
        guard let handle else { OpenSSLErrors.unavailable("make an RSA key") }
        return RSAPrivateKey(handle: handle)
    }

    private init(handle: SharedHandle) {
        self.handle = handle
        publicKey = RSAPublicKey(handle: handle)
    }

    /// The key as a PKCS#8 file, for emulators and tests.
    package var pkcs8PEM: SecretText { SecretText(PEMText.privateKey(handle)) }

    /// Signs a message with PKCS#1 version 1.5 and SHA-256 (RFC 8017 section 8.2); as long as the
    /// modulus.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        let size = Int(EVP_PKEY_get_size(handle.pointer))
        guard let signature = try? EVPSignature.sign(message, key: handle, maximumBytes: size)
        else {
            OpenSSLErrors.unavailable("sign with RSA")
        }
        return signature
    }

    /// Reads RSAPrivateKey (RFC 8017 appendix A.1.2), whole and consistent, or nil.
    private static func key(pkcs1: [UInt8]) -> SharedHandle? {
        OpenSSLErrors.isolated {
            pkcs1.withUnsafeBytes { bytes in
                var next: UnsafePointer<UInt8>? = bytes.opensslBytes
                let end = bytes.opensslBytes + bytes.count
                let decoded = d2i_PrivateKey(EVP_PKEY_RSA, nil, &next, bytes.count)
                guard let key = try? SharedHandle(decoded, EVP_PKEY_free), next == end,
                    let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil)
                else { return nil }
                defer { EVP_PKEY_CTX_free(context) }
                return EVP_PKEY_pairwise_check(context) == 1 ? key : nil
            }
        }
    }
}

extension RSAPrivateKey: CustomStringConvertible, CustomReflectable {
    /// Names the kind of key only.
    package var description: String { "RSAPrivateKey(‹secret›)" }
    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
