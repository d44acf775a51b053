package import ReveilleBytes

/// The header list of a request, its pseudo-header fields apart (RFC 9113 section 8.3.1).
package struct HTTP2RequestHead: Sendable {
    /// `:method`, as sent.
    package let method: String
    /// `:scheme`; empty for CONNECT.
    package let scheme: String
    /// `:authority`, or Host when there was none.
    package let authority: String
    /// `:path`; empty for CONNECT.
    package let path: String
    /// The regular fields, with names in lower case.
    package let fields: FieldList
}

/// A request that breaks a limit.
///
/// The stream is still open for an answer; what else arrives on it is dropped.
package enum HTTP2RequestFault: String, Sendable, CaseIterable {
    /// The header list is larger than the limit.
    case headerListTooLarge = "header_too_large"
    /// There are more fields than the limit.
    case tooManyFields = "too_many_fields"
    /// The body is, or says it will be, larger than the limit.
    case bodyTooLarge = "body_too_large"

    /// The status that a server answers with.
    package var status: Int {
        switch self {
        case .headerListTooLarge, .tooManyFields: 431
        case .bodyTooLarge: 413
        }
    }
}
