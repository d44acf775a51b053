internal import ReveilleBytes
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
    /// From when on the next one is asked for.
    let renewsAt: MonotonicInstant
    private let value: SecretBytes

    /// A token is replaced this long before its end, in seconds, so that no request meets the end on its way; one that lives shortly
    /// is when half of its life is over.
    package static let renewBeforeEndSeconds: Int64 = 300

    /// Keeps a token that Google issued now.
    init(_ text: SecretText, generation: Int, now: MonotonicInstant, lifeSeconds: Int64) {
        self.generation = generation
        expiresAt = now + .seconds(lifeSeconds)
        renewsAt = now + .seconds(max(lifeSeconds - Self.renewBeforeEndSeconds, lifeSeconds / 2))
        value = SecretBytes(Array(("Bearer " + text.reveal()).utf8))
    }

    /// The value of `authorization`, valid as long as the token lives.
    package var authorization: UnsafeBufferPointer<UInt8> { value.unsafeBytes }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹access token \(generation)›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
