package import ReveilleRuntime

/// One access token, as the value of `authorization`.
///
/// The octets stay at one address for the token's life, so that requests can refer to them, and are erased at its end. It
/// cannot be printed.
package final class AccessToken: Sendable {
    /// Rises with each token of an account.
    package let generation: Int
    /// When it ends, on the clock that counts suspend.
    package let expiresAt: MonotonicInstant
    // Written once in init and erased in deinit; read-only in between.
    nonisolated(unsafe) private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Keeps a token that Google issued.
    init(_ text: String, generation: Int, expiresAt: MonotonicInstant) {
        self.generation = generation
        self.expiresAt = expiresAt
        let value = "Bearer " + text
        storage = .allocate(capacity: value.utf8.count)
        _ = storage.initialize(from: value.utf8)
    }

    deinit {
        storage.update(repeating: 0)
        storage.deallocate()
    }

    /// The value of `authorization`, valid as long as the token lives.
    package var authorization: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(storage) }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹access token \(generation)›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
