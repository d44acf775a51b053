internal import COpenSSL

/// An `EVP_CIPHER_CTX` of one thread: keyed once, used for one text after another.
final class CipherContext {
    /// The context; valid as long as this owner lives.
    let pointer: OpaquePointer

    /// Keys a context for one direction.
    ///
    /// Stops the process if OpenSSL lacks the cipher.
    init(_ cipher: OpaquePointer?, key: UnsafeRawBufferPointer, encrypts: Bool) {
        precondition(key.count == Int(EVP_CIPHER_get_key_length(cipher)))
        let keyed = OpenSSLErrors.isolated { () -> OpaquePointer? in
            guard let context = EVP_CIPHER_CTX_new() else { return nil }
            if EVP_CipherInit_ex2(context, cipher, key.opensslBytes, nil, encrypts ? 1 : 0, nil)
                == 1
            {
                return context
            }
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        guard let keyed else { OpenSSLErrors.unavailable("key a cipher") }
        pointer = keyed
    }

    deinit { EVP_CIPHER_CTX_free(pointer) }
}
