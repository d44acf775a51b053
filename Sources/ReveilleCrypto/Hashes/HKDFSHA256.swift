internal import COpenSSL
package import ReveilleBytes

/// Derivation of keys from a secret: HKDF with SHA-256 (RFC 5869), extract and expand in one.
package enum HKDFSHA256 {
    /// The most that one derivation gives: 255 blocks (RFC 5869 section 2.3).
    package static let maximumOutputBytes = 255 * 32
    /// The longest `info` that OpenSSL 3.0 takes.
    package static let maximumInfoBytes = 1024

    /// Derives `count` bytes, 1 to `maximumOutputBytes`.
    ///
    /// - Parameters:
    ///   - secret: Input key material, not empty.
    ///   - salt: May be empty; then RFC 5869's default of 32 zero bytes applies.
    ///   - info: Names the purpose; at most `maximumInfoBytes`.
    ///   - count: How many bytes.
    package static func derive(
        secret: SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int
    ) -> SecretBytes {
        precondition((1...maximumOutputBytes).contains(count) && info.count <= maximumInfoBytes)
        precondition(secret.count > 0)
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { output in
            defer { OPENSSL_cleanse(output.baseAddress, output.count) }
            let isDerived = OpenSSLErrors.isolated {
                secret.withUnsafeBytes { secret in
                    salt.withUnsafeBytes { salt in
                        info.withUnsafeBytes { info in
                            reveille_openssl_hkdf_sha256(
                                secret.opensslBytes, secret.count, salt.opensslBytes, salt.count,
                                info.opensslBytes, info.count, output.opensslBytes, output.count)
                        }
                    }
                } == 1
            }
            guard isDerived else { OpenSSLErrors.unavailable("derive a key") }
            return SecretBytes([UInt8](output))
        }
    }
}
