/// Why a member of a request's object is not acceptable.
package struct JSONFieldError: Error, Sendable, Equatable {
    /// The reason; the raw value is stable and may be shown to callers.
    package enum Code: String, Sendable, CaseIterable {
        /// The value is not an object at all.
        case notAnObject = "not_an_object"
        /// A member that must be there is not.
        case missingField = "missing_field"
        /// The value is of another JSON type.
        case wrongType = "wrong_type"
        /// A text, list or object is longer than its limit.
        case tooLong = "too_long"
        /// A text is shorter than it must be.
        case tooShort = "too_short"
        /// A number is outside its range.
        case outOfRange = "out_of_range"
        /// The object has a member that nobody knows.
        case unknownField = "unknown_field"
        /// The value has the right type and is still not acceptable.
        case invalidValue = "invalid_value"
    }

    /// The longest field name that is repeated to the caller, in characters.
    package static let maximumFieldCharacters = 64

    /// The reason.
    package let code: Code
    /// The path of the member, such as `recipients[2].id`: printable ASCII only, cut to 64 characters; empty for the whole body.
    package let field: String
    /// One sentence for the caller's developer.
    package let explanation: FieldExplanation

    /// An error at `path`, which is made safe to repeat.
    package init(_ code: Code, at path: String, _ explanation: FieldExplanation) {
        self.code = code
        self.field = Self.printable(path)
        self.explanation = explanation
    }

    /// Writes everything but printable ASCII as `\u{…}`, and cuts.
    private static func printable(_ path: String) -> String {
        var text = ""
        var length = 0
        for scalar in path.unicodeScalars {
            let isPlain = (0x20...0x7E).contains(scalar.value) && scalar != "\\"
            let piece = isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            guard length + piece.utf8.count <= maximumFieldCharacters else { break }
            text += piece
            length += piece.utf8.count
        }
        return text
    }
}
