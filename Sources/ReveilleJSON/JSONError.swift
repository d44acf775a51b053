/// Why a text is not acceptable JSON.
///
/// It names a place, never the text.
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason; the raw value is stable.
    package enum Code: String, Sendable, CaseIterable {
        /// The text is longer than the limit.
        case tooLong = "json_too_long"
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep = "json_too_deep"
        /// There are more values than the limit.
        case tooManyElements = "json_too_many_elements"
        /// The text ends inside a value, or is empty.
        case unexpectedEnd = "json_unexpected_end"
        /// A byte stands where it must not.
        case unexpectedByte = "json_unexpected_byte"
        /// Something follows the value.
        case trailingBytes = "json_trailing_bytes"
        /// The text begins with a byte order mark (RFC 8259 section 8.1).
        case byteOrderMark = "json_byte_order_mark"
        /// A number is not in the form of RFC 8259 section 6.
        case invalidNumber = "json_invalid_number"
        /// A whole number is beyond 64 bits, or another one beyond what a 64-bit floating-point number holds.
        case numberOutOfRange = "json_number_out_of_range"
        /// The bytes are not UTF-8.
        case invalidUTF8 = "json_invalid_utf8"
        /// A string holds a control character that is not escaped.
        case controlCharacter = "json_control_character"
        /// A backslash is followed by something that is not an escape.
        case invalidEscape = "json_invalid_escape"
        /// An escaped surrogate stands alone.
        case loneSurrogate = "json_lone_surrogate"
        /// An object has the same key twice.
        case duplicateKey = "json_duplicate_key"
    }

    /// The reason.
    package let code: Code
    /// Where, in bytes from the start of the text.
    package let offset: Int

    /// An error at a place.
    package init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// The code and the place.
    package var description: String { "\(code.rawValue) at byte \(offset)" }
}
