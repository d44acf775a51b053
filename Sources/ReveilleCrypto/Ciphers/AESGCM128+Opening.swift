internal import COpenSSL

extension AESGCM128 {
    /// Opens a sealed text without additional data, whose tag stands behind the ciphertext.
    ///
    /// - Throws: `authenticationFailed` if any bit of it, of key or of nonce differs; `malformedInput` when it has no room for a tag.
    package static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        precondition(key.count == keyBytes && nonce.count == nonceBytes)
        guard sealed.count >= tagBytes, let count = Int32(exactly: sealed.count - tagBytes) else {
            throw CryptoError(.malformedInput)
        }
        guard let context = EVP_CIPHER_CTX_new() else { OpenSSLErrors.unavailable("prepare AES-GCM") }
        defer { EVP_CIPHER_CTX_free(context) }
        var text = [UInt8](sealed.prefix(Int(count)))
        var tag = [UInt8](sealed.suffix(tagBytes))
        let isOpened = OpenSSLErrors.isolated {
            var written: Int32 = 0
            var last = [UInt8](repeating: 0, count: tagBytes)
            return EVP_DecryptInit_ex2(context, EVP_aes_128_gcm(), key, nonce, nil) == 1
                && text.withUnsafeMutableBytes { bytes in
                    EVP_DecryptUpdate(context, bytes.opensslBytes, &written, bytes.opensslBytes, count) == 1
                }
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), &tag) == 1
                && EVP_DecryptFinal_ex(context, &last, &written) == 1
        }
        guard isOpened else { throw CryptoError(.authenticationFailed) }
        return text
    }
}
