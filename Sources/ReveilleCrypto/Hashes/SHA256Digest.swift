internal import COpenSSL
internal import ReveilleBytes

/// SHA-256 (FIPS 180-4).
package enum SHA256Digest {
    /// Size of a digest in bytes.
    package static let byteCount = 32

    /// Hashes bytes into a buffer of at least `byteCount` bytes.
    package static func hash(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(output.count >= byteCount)
        let isHashed = OpenSSLErrors.isolated {
            EVP_Digest(bytes.opensslBytes, bytes.count, output.opensslBytes, nil, sha256, nil) == 1
        }
        guard isHashed else { OpenSSLErrors.unavailable("hash with SHA-256") }
    }

    /// Hashes bytes.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            hash(bytes, into: UnsafeMutableRawBufferPointer(buffer))
            initialized = byteCount
        }
    }

    /// Hashes bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// Hashes bytes and writes the digest as 64 lower-case hexadecimal digits.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        Hex.encode(hash(bytes))
    }

    /// The algorithm, fetched once: an implicit fetch per call costs more than hashing a short
    /// text.
    ///
    /// Shared between threads, which OpenSSL allows for fetched algorithms; never freed.
    nonisolated(unsafe) static let sha256: OpaquePointer = {
        guard let algorithm = OpenSSLErrors.isolated({ EVP_MD_fetch(nil, "SHA256", nil) }) else {
            OpenSSLErrors.unavailable("find SHA-256")
        }
        return algorithm
    }()
}
