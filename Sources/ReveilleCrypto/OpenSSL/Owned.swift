internal import COpenSSL

/// The only owner of an OpenSSL object, which is freed with it.
struct Owned: ~Copyable {
    /// Frees an object of OpenSSL.
    typealias Free = @convention(c) (OpaquePointer?) -> Void

    /// The object; valid as long as the owner lives.
    let pointer: OpaquePointer
    private let free: Free

    /// Takes ownership of what a constructor of OpenSSL returned.
    ///
    /// Throws what is in the error queue if it returned nothing.
    init(_ pointer: OpaquePointer?, _ free: @escaping Free) throws(CryptoError) {
        guard let pointer else { throw OpenSSLErrors.drain() }
        self.pointer = pointer
        self.free = free
    }

    deinit { free(pointer) }
}

/// Throws what is in the error queue unless a call returned 1, OpenSSL's success.
func requireSuccess(_ result: Int32) throws(CryptoError) {
    guard result == 1 else { throw OpenSSLErrors.drain() }
}

/// Throws what is in the error queue if a call returned nothing.
func requireValue<Value>(_ value: Value?) throws(CryptoError) -> Value {
    guard let value else { throw OpenSSLErrors.drain() }
    return value
}
