internal import Glibc

/// Bytes that must not be printed, compared byte by byte or left in memory: keys, hashes of credentials, derived secrets.
///
/// Copies share one buffer, which is overwritten with zeros when the last of them goes. There is no way to turn the value
/// into text: every description is the same word.
package struct SecretBytes: Sendable {
    private let storage: Storage

    /// Copies `bytes` into a buffer of its own.
    ///
    /// The caller's array is not overwritten.
    package init(_ bytes: [UInt8]) {
        storage = Storage(count: bytes.count)
        bytes.withUnsafeBytes { storage.bytes.copyMemory(from: $0) }
    }

    /// A secret of `count` bytes that `fill` writes in place, so that no other copy exists.
    package init<E: Error>(
        count: Int, fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        storage = Storage(count: count)
        try fill(storage.bytes)
    }

    /// How many bytes there are; never secret.
    package var count: Int { storage.bytes.count }

    /// Lends the bytes for the time of `body`.
    package func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(storage.bytes))
    }

    /// The bytes where they lie, for what refers to them longer than a call lasts, such as a header under way.
    ///
    /// Valid as long as a copy of this secret lives; holding one is the caller's duty.
    package var unsafeBytes: UnsafeBufferPointer<UInt8> {
        UnsafeRawBufferPointer(storage.bytes).assumingMemoryBound(to: UInt8.self)
    }

    /// The buffer, and the duty to wipe it.
    ///
    /// `@unchecked Sendable`: the bytes are written in `SecretBytes.init` only, before the value can be shared.
    private final class Storage: @unchecked Sendable {
        let bytes: UnsafeMutableRawBufferPointer

        init(count: Int) {
            bytes = .allocate(byteCount: count, alignment: 16)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }

        deinit {
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
            bytes.deallocate()
        }
    }
}

extension SecretBytes: Equatable {
    /// Compares in constant time.
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withUnsafeBytes { a in right.withUnsafeBytes { b in ConstantTime.equal(a, b) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same word.
    package var description: String { "‹secret›" }
    /// Always the same word.
    package var debugDescription: String { description }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
