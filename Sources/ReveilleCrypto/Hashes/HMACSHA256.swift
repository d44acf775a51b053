internal import COpenSSL
package import ReveilleBytes

/// HMAC with SHA-256 (RFC 2104) under one key, usable from any thread.
///
/// Each call copies the keyed context. Where one thread authenticates many short texts,
/// `HMACSHA256Context` does it without an allocation.
package struct HMACSHA256: Sendable {
    /// Size of a code in bytes.
    package static let byteCount = 32

    private let template: SharedHandle

    /// Keys the algorithm.
    ///
    /// Keys longer than 64 bytes are hashed first, as RFC 2104 says; an empty key is allowed.
    package init(key: SecretBytes) {
        template = HMACSHA256Context.keyedContext(key)
    }

    /// Authenticates the concatenation of the parts.
    package func authenticate(_ parts: [UInt8]...) -> [UInt8] {
        let context = HMACSHA256Context(copying: template)
        for part in parts {
            part.withUnsafeBytes { context.update($0) }
        }
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, initialized in
            context.finish(into: UnsafeMutableRawBufferPointer(buffer))
            initialized = Self.byteCount
        }
    }

    /// Says whether a code is that of the concatenated parts, in time that does not depend on where
    /// they differ.
    package func isValid(_ code: [UInt8], for parts: [UInt8]...) -> Bool {
        let context = HMACSHA256Context(copying: template)
        for part in parts {
            part.withUnsafeBytes { context.update($0) }
        }
        return withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 1) { expected in
            context.finish(into: expected)
            return ConstantTime.equal(expected, code)
        }
    }
}

extension HMACSHA256: CustomStringConvertible, CustomReflectable {
    /// Names the algorithm, never the key.
    package var description: String { "HMACSHA256(‹secret›)" }
    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
