internal import ReveilleJSON

/// What the control interface answers: a status and a JSON text.
package struct ControlAnswer: Sendable, Equatable {
    /// The HTTP status.
    package let status: Int
    /// The body, in UTF-8.
    package let body: [UInt8]
    /// The type of the body.
    package let contentType: String

    /// A JSON answer.
    init(_ status: Int, _ value: JSONObject) {
        self.status = status
        body = JSONValue.object(value).encoded()
        contentType = "application/json"
    }

    /// A text answer.
    init(text: String, contentType: String) {
        status = 200
        body = Array(text.utf8)
        self.contentType = contentType
    }

    /// An error with a stable code.
    static func error(_ status: Int, _ code: String) -> ControlAnswer {
        ControlAnswer(status, ["error": ["code": .string(code)]])
    }

    /// An error about a member of the request's body.
    static func error(_ error: JSONFieldError) -> ControlAnswer {
        ControlAnswer(
            400,
            [
                "error": [
                    "code": .string(error.code.rawValue), "field": .string(error.field),
                    "explanation": .string(error.explanation.description),
                ]
            ])
    }
}
