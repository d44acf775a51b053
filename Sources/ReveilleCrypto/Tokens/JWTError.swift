/// Why a JSON Web Token is not accepted, without any of its content.
package struct JWTError: Error, Equatable, Sendable {
    /// The reason; the raw text is stable.
    package enum Code: String, Sendable, CaseIterable {
        /// Longer than `JWT.maximumBytes`.
        case tooLong = "jwt_too_long"
        /// Not three parts, or a part is not strict base64url.
        case malformed = "jwt_malformed"
        /// Header or claims are not a JSON object.
        case invalidJSON = "jwt_invalid_json"
        /// `alg` is absent or not the one that is expected.
        case unexpectedAlgorithm = "jwt_unexpected_algorithm"
        /// The header asks for an extension that must be understood (RFC 7515 section 4.1.11).
        case unsupportedHeader = "jwt_unsupported_header"
        /// No key is known under this `kid`.
        case unknownKey = "jwt_unknown_key"
        /// The signature is not one of these bytes by this key.
        case invalidSignature = "jwt_invalid_signature"
    }

    /// The reason.
    package let code: Code

    /// Makes an error.
    package init(_ code: Code) {
        self.code = code
    }
}
