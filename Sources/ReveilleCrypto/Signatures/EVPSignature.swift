internal import COpenSSL

/// Signing and verifying with SHA-256 by OpenSSL, in the format of the key's algorithm.
enum EVPSignature {
    /// Signs a message, in DER for elliptic curves and in PKCS#1 version 1.5 for RSA.
    ///
    /// `maximumBytes` bounds the signature.
    static func sign(
        _ message: [UInt8], key: SharedHandle, maximumBytes: Int
    ) throws(CryptoError) -> [UInt8] {
        try OpenSSLErrors.isolated { () throws(CryptoError) in
            let context = try Owned(EVP_MD_CTX_new(), EVP_MD_CTX_free)
            try requireSuccess(
                EVP_DigestSignInit(context.pointer, nil, SHA256Digest.sha256, nil, key.pointer))
            var signature = [UInt8](repeating: 0, count: maximumBytes)
            var count = maximumBytes
            try requireSuccess(
                EVP_DigestSign(context.pointer, &signature, &count, message, message.count))
            return Array(signature.prefix(count))
        }
    }

    /// Says whether a signature in the format of the key's algorithm is one of this message.
    static func isValid(_ signature: [UInt8], for message: [UInt8], key: SharedHandle) -> Bool {
        OpenSSLErrors.isolated {
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            return EVP_DigestVerifyInit(context, nil, SHA256Digest.sha256, nil, key.pointer) == 1
                && EVP_DigestVerify(
                    context, signature, signature.count, message, message.count) == 1
        }
    }
}
