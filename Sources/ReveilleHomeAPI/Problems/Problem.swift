package import ReveilleInbox
package import ReveilleJSON

/// Why a request was not answered as it wished: what a problem detail says (RFC 9457).
///
/// It is made of codes, names of fields and sentences of the program, never of a request's values.
package struct Problem: Error, Sendable {
    /// The stable code; it decides status, title and remedy.
    package let code: ProblemCode
    /// The field, parameter or header at fault.
    package var field: String?
    /// What the field must be.
    package var explanation: FieldExplanation?
    /// The place in the body, in octets from its start.
    package var offset: Int?
    /// The value of `Retry-After`.
    package var retryAfterSeconds: Int64?
    /// The value of `Allow`.
    package var allow: String?
    /// The scope that a producer's token lacks.
    package var scope: ProducerRight?
    /// The code of what stands behind it.
    package var cause: ProblemCode?

    /// Describes a problem.
    package init(
        _ code: ProblemCode, field: String? = nil, explanation: FieldExplanation? = nil, offset: Int? = nil,
        retryAfterSeconds: Int64? = nil, allow: String? = nil, scope: ProducerRight? = nil, cause: ProblemCode? = nil
    ) {
        self.code = code
        self.field = field
        self.explanation = explanation
        self.offset = offset
        self.retryAfterSeconds = retryAfterSeconds
        self.allow = allow
        self.scope = scope
        self.cause = cause
    }

    /// Translates a refusal of a use case; both carry the same code.
    package init(_ error: InboxError) {
        self.init(
            ProblemCode(rawValue: error.code.rawValue) ?? .internalError, field: error.field,
            explanation: error.explanation.map { FieldExplanation($0) }, retryAfterSeconds: error.retryAfterSeconds)
    }

    /// Translates a field that is not acceptable.
    package init(_ error: JSONFieldError) {
        self.init(
            ProblemCode(rawValue: error.code.rawValue) ?? .internalError,
            field: error.field.isEmpty ? nil : error.field, explanation: error.explanation)
    }

    /// Translates a body that is no JSON.
    package init(_ error: JSONError) {
        self.init(ProblemCode(rawValue: error.code.rawValue) ?? .internalError, offset: error.offset)
    }

    /// Translates whatever a handler threw; what is not foreseen is a mistake of the program.
    package init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as InboxError: self.init(error)
        case let error as JSONFieldError: self.init(error)
        case let error as JSONError: self.init(error)
        default: self.init(.internalError)
        }
    }
}
