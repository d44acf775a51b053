/// Why bytes are not the DER that was expected.
package struct DERError: Error, Sendable, Equatable {
    /// The reason, stable for tests and messages.
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes end inside an element.
        case truncated = "der_truncated"
        /// An element has another tag than the expected one.
        case unexpectedTag = "der_unexpected_tag"
        /// A length is indefinite, too long for memory, or not in its shortest form.
        case invalidLength = "der_invalid_length"
        /// An INTEGER is empty or not in its shortest form.
        case invalidInteger = "der_invalid_integer"
        /// A BIT STRING is empty or does not end at a byte.
        case invalidBitString = "der_invalid_bit_string"
        /// An OBJECT IDENTIFIER is empty, or a part is unfinished or not in its shortest form.
        case invalidObjectIdentifier = "der_invalid_object_identifier"
        /// Bytes are left where the structure must end.
        case trailingBytes = "der_trailing_bytes"
    }

    /// The reason.
    package let code: Code

    /// An error for `code`.
    package init(_ code: Code) {
        self.code = code
    }
}
