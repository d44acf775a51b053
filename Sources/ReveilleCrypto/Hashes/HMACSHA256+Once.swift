internal import COpenSSL

extension HMACSHA256 {
    /// Authenticates one short text under a key that is used for nothing else, without making a context of Swift's own.
    ///
    /// - Parameter output: 32 bytes.
    package static func authenticate(
        _ text: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(output.count == byteCount)
        var count: UInt32 = 0
        let isDone = OpenSSLErrors.isolated {
            HMAC(
                EVP_sha256(), key.opensslBytes, Int32(key.count), text.opensslBytes, text.count, output.opensslBytes,
                &count) != nil
        }
        guard isDone, Int(count) == byteCount else { OpenSSLErrors.unavailable("authenticate with HMAC") }
    }
}
