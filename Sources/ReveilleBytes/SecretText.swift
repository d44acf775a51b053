/// A text that must not be printed: a bearer token, a password, a device token.
///
/// ``reveal()`` is the only way out, so that every use of the text itself can be found by its name.
package struct SecretText: Sendable, Equatable {
    private let bytes: SecretBytes

    /// Keeps a copy of `text`.
    package init(_ text: String) {
        bytes = SecretBytes(Array(text.utf8))
    }

    /// The text itself.
    ///
    /// What is made from it is the caller's to protect.
    package func reveal() -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The length in UTF-8.
    package var utf8Count: Int { bytes.count }

    /// Lends the UTF-8 bytes for the time of `body`.
    package func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try bytes.withUnsafeBytes(body)
    }
}

extension SecretText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same word.
    package var description: String { "‹secret›" }
    /// Always the same word.
    package var debugDescription: String { description }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
