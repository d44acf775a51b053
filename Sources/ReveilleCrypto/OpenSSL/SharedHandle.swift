internal import COpenSSL

/// An OpenSSL object that several values share and that nobody changes: a key, a certificate, a
/// keyed template.
///
/// It is `@unchecked Sendable` because the object is never written to after `init`, and OpenSSL
/// allows concurrent reading use of such objects (its own caches inside them are locked or atomic).
final class SharedHandle: @unchecked Sendable {
    /// The object; valid as long as this owner lives.
    let pointer: OpaquePointer
    private let free: Owned.Free

    /// Takes ownership of what a constructor of OpenSSL returned; throws what is in the error queue
    /// if that is nothing.
    init(_ pointer: OpaquePointer?, _ free: @escaping Owned.Free) throws(CryptoError) {
        guard let pointer else { throw OpenSSLErrors.drain() }
        self.pointer = pointer
        self.free = free
    }

    deinit { free(pointer) }
}
