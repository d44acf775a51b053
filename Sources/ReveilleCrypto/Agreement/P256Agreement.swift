internal import COpenSSL
package import ReveilleBytes

/// Diffie-Hellman on P-256 (NIST SP 800-56A section 5.7.1.2) with a key that lives for one message, done again and again by one
/// thread without allocating OpenSSL's objects anew.
///
/// The group's own arithmetic is used instead of `EVP_PKEY`: making and parsing such keys costs as much as the curve.
package final class P256Agreement {
    /// Size of an uncompressed point: 04 ‖ X ‖ Y.
    package static let pointBytes = P256Curve.pointBytes
    /// Size of a private scalar, and of the shared secret, which is an X coordinate with its leading zeros.
    package static let scalarBytes = P256Curve.scalarBytes

    private let group: OpaquePointer
    private let order: OpaquePointer
    private let memory: OpaquePointer
    private let scalar: OpaquePointer
    private let own: OpaquePointer
    private let peer: OpaquePointer
    private let shared: OpaquePointer

    /// Makes room for agreements.
    package init() {
        ERR_clear_error()
        guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), let order = EC_GROUP_get0_order(group),
            let memory = BN_CTX_secure_new(), let scalar = BN_secure_new(), let own = EC_POINT_new(group),
            let peer = EC_POINT_new(group), let shared = EC_POINT_new(group)
        else { OpenSSLErrors.unavailable("prepare key agreement") }
        self.group = group
        self.order = order
        self.memory = memory
        self.scalar = scalar
        self.own = own
        self.peer = peer
        self.shared = shared
        // The ladder then takes the same time for every scalar.
        BN_set_flags(scalar, BN_FLG_CONSTTIME)
    }

    deinit {
        EC_POINT_clear_free(shared)
        EC_POINT_free(peer)
        EC_POINT_free(own)
        BN_clear_free(scalar)
        BN_CTX_free(memory)
        EC_GROUP_free(group)
    }

    /// Agrees with a point, under a new key of ours that is forgotten at once.
    ///
    /// - Parameters:
    ///   - point: the other side's point, uncompressed.
    ///   - ownPoint: 65 bytes for our point, which the other side needs.
    ///   - sharedSecret: 32 bytes for what both sides know; the caller wipes them.
    /// - Throws: `malformedInput` when the bytes are no uncompressed point of the curve.
    package func agree(
        with point: UnsafeRawBufferPointer, ownPoint: UnsafeMutableRawBufferPointer,
        sharedSecret: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        try agree(with: point, ownPoint, sharedSecret) { BN_priv_rand_range($0, order) == 1 && BN_is_zero($0) == 0 }
    }

    /// Agrees with a point under a given scalar, for vectors.
    ///
    /// - Throws: also `unsuitableKey` when the scalar is not from 1 to n − 1.
    package func agree(
        with point: UnsafeRawBufferPointer, scalar bytes: SecretBytes, ownPoint: UnsafeMutableRawBufferPointer,
        sharedSecret: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) {
        guard bytes.withUnsafeBytes({ P256Curve.isScalar($0) }) else { throw CryptoError(.unsuitableKey) }
        try agree(with: point, ownPoint, sharedSecret) { number in
            bytes.withUnsafeBytes { BN_bin2bn($0.opensslBytes, Int32($0.count), number) } != nil
        }
    }

    private func agree(
        with point: UnsafeRawBufferPointer, _ ownPoint: UnsafeMutableRawBufferPointer,
        _ sharedSecret: UnsafeMutableRawBufferPointer, choosing choose: (OpaquePointer) -> Bool
    ) throws(CryptoError) {
        precondition(ownPoint.count == Self.pointBytes && sharedSecret.count == Self.scalarBytes)
        defer { BN_zero_ex(scalar) }
        try OpenSSLErrors.isolated { () throws(CryptoError) in
            guard point.count == Self.pointBytes, point[0] == 0x04,
                // Says no to what is not on the curve.
                EC_POINT_oct2point(group, peer, point.opensslBytes, point.count, memory) == 1
            else { throw CryptoError(.malformedInput) }
            guard choose(scalar), EC_POINT_mul(group, own, scalar, nil, nil, memory) == 1,
                EC_POINT_mul(group, shared, nil, peer, scalar, memory) == 1, write(own, to: ownPoint),
                writeSharedX(to: sharedSecret)
            else { throw OpenSSLErrors.drain() }
        }
    }

    private func write(_ point: OpaquePointer, to bytes: UnsafeMutableRawBufferPointer) -> Bool {
        EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, bytes.opensslBytes, bytes.count, memory)
            == Self.pointBytes
    }

    /// The point at infinity has no coordinates; it is not written.
    private func writeSharedX(to secret: UnsafeMutableRawBufferPointer) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.pointBytes, alignment: 1) { buffer in
            defer { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
            guard write(shared, to: buffer) else { return false }
            secret.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[1...Self.scalarBytes]))
            return true
        }
    }
}
