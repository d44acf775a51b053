internal import COpenSSL
package import ReveilleBytes

/// HMAC with SHA-256 under one key, reused for one text after another by one thread, without
/// allocation.
package final class HMACSHA256Context {
    private let handle: SharedHandle

    /// Keys the algorithm.
    ///
    /// An empty key is allowed.
    package convenience init(key: SecretBytes) {
        self.init(adopting: Self.keyedContext(key))
    }

    /// Makes an independent context under the same key.
    convenience init(copying template: SharedHandle) {
        let copy = OpenSSLErrors.isolated {
            try? SharedHandle(EVP_MAC_CTX_dup(template.pointer), EVP_MAC_CTX_free)
        }
        guard let copy else { OpenSSLErrors.unavailable("copy an HMAC context") }
        self.init(adopting: copy)
    }

    private init(adopting handle: SharedHandle) {
        self.handle = handle
    }

    /// Adds bytes to the text.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        guard EVP_MAC_update(handle.pointer, bytes.opensslBytes, bytes.count) == 1 else {
            OpenSSLErrors.unavailable("authenticate with HMAC")
        }
    }

    /// Writes the code of the text to a buffer of at least 32 bytes, and starts an empty text.
    package func finish(into output: UnsafeMutableRawBufferPointer) {
        precondition(output.count >= HMACSHA256.byteCount)
        var count = 0
        let isFinished = OpenSSLErrors.isolated {
            EVP_MAC_final(handle.pointer, output.opensslBytes, &count, output.count) == 1
                && EVP_MAC_init(handle.pointer, nil, 0, nil) == 1
        }
        guard isFinished, count == HMACSHA256.byteCount else {
            OpenSSLErrors.unavailable("authenticate with HMAC")
        }
    }

    /// Authenticates one text in one call; the text begun by `update` must be empty.
    package func authenticate(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        update(bytes)
        finish(into: output)
    }

    /// Authenticates one text under another key, which the context keeps until the next.
    ///
    /// Cheaper than a context for each key: only the key is prepared anew.
    package func authenticate(
        _ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(output.count >= HMACSHA256.byteCount && key.count > 0)
        var count = 0
        let isDone = OpenSSLErrors.isolated {
            EVP_MAC_init(handle.pointer, key.opensslBytes, key.count, nil) == 1
                && EVP_MAC_update(handle.pointer, bytes.opensslBytes, bytes.count) == 1
                && EVP_MAC_final(handle.pointer, output.opensslBytes, &count, output.count) == 1
        }
        guard isDone, count == HMACSHA256.byteCount else { OpenSSLErrors.unavailable("authenticate with HMAC") }
    }

    /// A context that holds a key and no text.
    static func keyedContext(_ key: SecretBytes) -> SharedHandle {
        let handle = OpenSSLErrors.isolated {
            key.withUnsafeBytes { bytes in
                try? SharedHandle(
                    reveille_openssl_hmac_sha256_new(bytes.opensslBytes, bytes.count),
                    EVP_MAC_CTX_free)
            }
        }
        guard let handle else { OpenSSLErrors.unavailable("key HMAC") }
        return handle
    }
}
