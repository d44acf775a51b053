internal import COpenSSL

/// Random bytes from OpenSSL's generator, which is seeded by the kernel, per thread and again after
/// a fork.
package enum SecureRandom {
    /// Largest request, so that a size taken from elsewhere cannot overflow OpenSSL's `int`.
    package static let maximumBytes = 1 << 24

    /// Fills a buffer of at most `maximumBytes`.
    ///
    /// Stops the process if the kernel gives no randomness.
    package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count <= maximumBytes)
        guard let start = buffer.opensslBytes, buffer.count > 0 else { return }
        let isFilled = OpenSSLErrors.isolated { RAND_bytes(start, Int32(buffer.count)) == 1 }
        guard isFilled else { OpenSSLErrors.unavailable("give random bytes") }
    }

    /// Returns `count` random bytes, at most `maximumBytes`.
    package static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(
                UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
            initialized = count
        }
    }
}
