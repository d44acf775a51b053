package import ReveilleStorage

/// Why a use case did not do what it was asked.
///
/// It holds a stable code, a field's name and a sentence of the program; never a value of the
/// request and never a text of the storage engine.
package struct InboxError: Error, Sendable {
    /// The stable code.
    package let code: InboxErrorCode
    /// The field that is at fault, as a path in the request.
    package let field: String?
    /// What the field must be; nil where the code says all.
    package let explanation: StaticString?
    /// When the same request may work, in seconds; nil when it never will as it is.
    package let retryAfterSeconds: Int64?

    /// Describes a refusal.
    package init(
        _ code: InboxErrorCode, field: String? = nil, explanation: StaticString? = nil,
        retryAfterSeconds: Int64? = nil
    ) {
        self.code = code
        self.field = field
        self.explanation = explanation
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// A field whose value breaks a rule.
    package static func invalid(_ field: String, _ explanation: StaticString) -> InboxError {
        InboxError(.invalidValue, field: field, explanation: explanation)
    }

    /// Translates trouble of the store; its code stays, its engine's words do not.
    package init(_ error: StoreError) {
        self.init(InboxErrorCode(error.code), retryAfterSeconds: Self.retrySeconds(error))
    }

    private static func retrySeconds(_ error: StoreError) -> Int64? {
        guard error.isTransient else { return nil }
        switch error.code {
        case .overloaded, .busy, .closed: return 1
        case .inputOutput: return 5
        case .full, .readOnly, .keyRotated, .fileMissing: return 30
        case .corrupt, .cannotOpen, .newerSchema, .wrongKey, .unreadableValue, .programming:
            return nil
        }
    }
}

/// Runs a use of the store and translates its trouble.
func translating<Result: Sendable>(
    _ body: () async throws(StoreError) -> Result
) async throws(InboxError) -> Result {
    do throws(StoreError) {
        return try await body()
    } catch {
        throw InboxError(error)
    }
}
