internal import COpenSSL
package import ReveilleBytes

extension P256PrivateKey {
    /// The scalar as 32 big-endian bytes, for whoever stores the key or hands it to another program.
    package var rawScalar: SecretBytes {
        SecretBytes(count: P256Curve.scalarBytes) { bytes in
            let isWritten = OpenSSLErrors.isolated { () -> Bool in
                var number: OpaquePointer?
                guard EVP_PKEY_get_bn_param(handle.pointer, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else {
                    return false
                }
                defer { BN_clear_free(number) }
                return BN_bn2binpad(number, bytes.opensslBytes, Int32(bytes.count)) == Int32(bytes.count)
            }
            guard isWritten else { OpenSSLErrors.unavailable("write a P-256 scalar") }
        }
    }
}
