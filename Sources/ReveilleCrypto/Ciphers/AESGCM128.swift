internal import COpenSSL

/// AES-128-GCM (NIST SP 800-38D) with another key for each text, as RFC 8188 asks for; one thread, one context.
package final class AESGCM128 {
    /// Size of a key in bytes.
    package static let keyBytes = 16
    /// Size of a nonce in bytes.
    package static let nonceBytes = 12
    /// Size of a tag in bytes.
    package static let tagBytes = 16

    private let context: OpaquePointer

    /// Makes a context without a key.
    package init() {
        guard let context = EVP_CIPHER_CTX_new(), EVP_CipherInit_ex2(context, EVP_aes_128_gcm(), nil, nil, 1, nil) == 1
        else { OpenSSLErrors.unavailable("prepare AES-GCM") }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Seals a text in place, without additional data: `text` becomes ciphertext, and the tag is written behind it.
    ///
    /// Key and nonce together must never be used twice.
    package func seal(
        _ text: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawBufferPointer, key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer
    ) {
        precondition(key.count == Self.keyBytes && nonce.count == Self.nonceBytes && tag.count == Self.tagBytes)
        precondition(text.count > 0 && text.count <= Int(Int32.max))
        var count: Int32 = 0
        let isSealed = OpenSSLErrors.isolated {
            EVP_EncryptInit_ex2(context, nil, key.opensslBytes, nonce.opensslBytes, nil) == 1
                && EVP_EncryptUpdate(context, text.opensslBytes, &count, text.opensslBytes, Int32(text.count)) == 1
                && EVP_EncryptFinal_ex(context, tag.opensslBytes, &count) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), tag.baseAddress) == 1
        }
        guard isSealed else { OpenSSLErrors.unavailable("seal with AES-GCM") }
    }
}
