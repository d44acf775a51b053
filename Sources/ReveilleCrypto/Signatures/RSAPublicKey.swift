internal import COpenSSL

/// An RSA public key that verifies RS256.
package struct RSAPublicKey: Sendable {
    private let handle: SharedHandle

    init(handle: SharedHandle) {
        self.handle = handle
    }

    /// Takes modulus and exponent as big-endian numbers, as a JWK has them (RFC 7518 section
    /// 6.3.1).
    ///
    /// The modulus must have a size in `RSAPrivateKey.modulusBits`, the exponent be odd, above 1
    /// and of at most 4 bytes.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        let digits = exponent.drop { $0 == 0 }
        guard modulus.count <= RSAPrivateKey.modulusBits.upperBound / 8 + 1, digits.count <= 4,
            let last = digits.last, last & 1 == 1, digits != [1]
        else { throw CryptoError(.unsuitableKey) }
        handle = try OpenSSLErrors.isolated { () throws(CryptoError) in
            try Self.key(modulus: modulus, exponent: exponent)
        }
        guard RSAPrivateKey.modulusBits.contains(Int(EVP_PKEY_get_bits(handle.pointer))) else {
            throw CryptoError(.unsuitableKey)
        }
    }

    /// Says whether a signature is one of this message (RFC 8017 section 8.2.2).
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        EVPSignature.isValid(signature, for: message, key: handle)
    }

    private static func key(
        modulus: [UInt8], exponent: [UInt8]
    ) throws(CryptoError) -> SharedHandle {
        let n = try Owned(BN_bin2bn(modulus, Int32(modulus.count), nil), BN_free)
        let e = try Owned(BN_bin2bn(exponent, Int32(exponent.count), nil), BN_free)
        return try SharedHandle(
            reveille_openssl_rsa_public_key(n.pointer, e.pointer), EVP_PKEY_free)
    }
}
