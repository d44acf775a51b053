package import ReveilleBytes

/// The two versions that are read (RFC 9112 section 2.3).
package enum HTTP1Version: Sendable, Equatable {
    /// HTTP/1.0: no chunks, no interim answers, one request per connection unless asked otherwise.
    case http10
    /// HTTP/1.1.
    case http11
}

/// How the end of a body is known (RFC 9112 section 6.3).
package enum HTTP1Framing: Sendable, Equatable {
    /// There is no body.
    case none
    /// So many bytes, at least one.
    case length(Int)
    /// Chunks, then trailers.
    case chunked
    /// Everything until the connection ends; responses only.
    case untilClose
}

/// The four forms of a request target (RFC 9112 section 3.2).
package enum HTTP1TargetForm: Sendable, Equatable {
    /// A path with an optional query.
    case origin
    /// A whole URI, as sent to a proxy. The head's `target` holds its path and query.
    case absolute
    /// Host and port, for CONNECT.
    case authority
    /// `*`, for OPTIONS.
    case asterisk
}

/// A request's start line and fields.
package struct HTTP1RequestHead: Sendable {
    /// The method as sent; methods are case-sensitive.
    package let method: String
    /// Path and query in origin form, `*`, or the authority of CONNECT.
    package let target: String
    /// The form in which the target came.
    package let targetForm: HTTP1TargetForm
    /// Host and port: from an absolute target, else from Host; empty with HTTP/1.0 without Host.
    package let authority: String
    /// The version.
    package let version: HTTP1Version
    /// The fields, with names in lower case.
    package let fields: FieldList
    /// How the body ends.
    package let framing: HTTP1Framing
    /// Whether the connection may serve another request after this one.
    package let isPersistent: Bool
    /// Whether the client waits for `100 Continue` before it sends its body.
    package let expectsContinue: Bool
}
