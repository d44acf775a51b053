/// A cryptographic operation that could not be done, without the data it was done on.
package struct CryptoError: Error, Equatable, Sendable {
    /// Why the operation failed; the raw text is stable.
    package enum Code: String, Sendable {
        /// The ciphertext, its tag, its nonce or the additional data are not those that were
        /// sealed.
        case authenticationFailed = "authentication_failed"
        /// The input is too short, too long or not of the form that is asked for.
        case malformedInput = "malformed_input"
        /// The key is not of the kind or size that is asked for.
        case unsuitableKey = "unsuitable_key"
        /// OpenSSL refused; `opensslReason` says what it gave as reason.
        case library = "crypto_library"
    }

    /// Why the operation failed.
    package let code: Code
    /// OpenSSL's reason text, a constant of the library that never holds data; nil when it gave
    /// none.
    package let opensslReason: String?

    /// Makes an error of a kind, with OpenSSL's reason if there is one.
    package init(_ code: Code, opensslReason: String? = nil) {
        self.code = code
        self.opensslReason = opensslReason
    }
}

extension CryptoError: CustomStringConvertible {
    /// The code and, where OpenSSL gave one, its reason.
    package var description: String {
        guard let opensslReason else { return code.rawValue }
        return "\(code.rawValue): \(opensslReason)"
    }
}
