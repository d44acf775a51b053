internal import COpenSSL

/// The curve P-256 and the conversion of its keys to and from OpenSSL's.
enum P256Curve {
    /// Size of a private scalar and of a coordinate in bytes.
    static let scalarBytes = 32
    /// Size of an uncompressed point: 04 ‖ X ‖ Y.
    static let pointBytes = 65
    /// The order n of the group, big-endian (SEC 2 section 2.4.2).
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25,
        0x51,
    ]

    /// Says whether 32 big-endian bytes are a number from 1 to n − 1.
    static func isScalar(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count == scalarBytes && bytes.contains { $0 != 0 }
            && bytes.lexicographicallyPrecedes(order)
    }

    /// Makes OpenSSL's key pair of a scalar from 1 to n − 1, with the point that belongs to it.
    static func keyPair(scalar: UnsafeRawBufferPointer) throws(CryptoError) -> (
        key: SharedHandle, point: [UInt8]
    ) {
        let group = try Owned(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), EC_GROUP_free)
        let number = try Owned(
            BN_bin2bn(scalar.opensslBytes, Int32(scalar.count), nil), BN_clear_free)
        BN_set_flags(number.pointer, BN_FLG_CONSTTIME)
        let point = try Owned(EC_POINT_new(group.pointer), EC_POINT_free)
        try requireSuccess(
            EC_POINT_mul(group.pointer, point.pointer, number.pointer, nil, nil, nil))
        var encoded = [UInt8](repeating: 0, count: pointBytes)
        let written = EC_POINT_point2oct(
            group.pointer, point.pointer, POINT_CONVERSION_UNCOMPRESSED, &encoded, pointBytes, nil)
        guard written == pointBytes else { throw OpenSSLErrors.drain() }
        let key = reveille_openssl_p256_key(encoded, encoded.count, number.pointer)
        return (try SharedHandle(key, EVP_PKEY_free), encoded)
    }

    /// Makes OpenSSL's public key of an uncompressed point; throws if the point is not on the
    /// curve.
    static func publicKey(point: [UInt8]) throws(CryptoError) -> SharedHandle {
        try SharedHandle(reveille_openssl_p256_key(point, point.count, nil), EVP_PKEY_free)
    }

    /// Reads the uncompressed point out of OpenSSL's key.
    static func point(of key: SharedHandle) throws(CryptoError) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: pointBytes)
        var count = 0
        try requireSuccess(
            EVP_PKEY_get_octet_string_param(
                key.pointer, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &count))
        guard count == pointBytes, point[0] == 0x04 else { throw CryptoError(.unsuitableKey) }
        return point
    }
}
