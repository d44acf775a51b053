/// Why a message could not be read.
///
/// After an error the reader is finished: the connection must close, for nobody can say where the next message
/// starts.
package struct HTTP1Error: Error, Sendable, Equatable {
    /// What was wrong, as a stable word that is fit for problem details and logs.
    package enum Code: String, Sendable, CaseIterable {
        /// A request line that is not `method SP target SP version` (RFC 9112 section 3), HTTP/0.9 included.
        case requestLineMalformed = "request_line_malformed"
        /// A method name longer than any that is known.
        case methodTooLong = "method_too_long"
        /// A target of the wrong form for its method, or with characters no URI has (RFC 9112 section 3.2).
        case targetMalformed = "target_malformed"
        /// A request line longer than the limit.
        case targetTooLong = "target_too_long"
        /// A version other than HTTP/1.0 and HTTP/1.1.
        case versionUnsupported = "version_unsupported"
        /// A status line that is not `version SP status SP reason` (RFC 9112 section 4).
        case statusLineMalformed = "status_line_malformed"
        /// A line that ends in LF without CR.
        case bareLineFeed = "bare_line_feed"
        /// A field line without a colon, or with a name that is no token.
        case fieldNameMalformed = "field_name_malformed"
        /// White space between a name and its colon (RFC 9112 section 5.1).
        case whitespaceBeforeColon = "whitespace_before_colon"
        /// A continued line (obs-fold, RFC 9112 section 5.2).
        case foldedLine = "folded_line"
        /// A control character, NUL or CR among them, in a field value.
        case fieldValueMalformed = "field_value_malformed"
        /// More field lines than the limit.
        case tooManyFields = "too_many_fields"
        /// A header section larger than the limit.
        case headerTooLarge = "header_too_large"
        /// HTTP/1.1 without Host (RFC 9112 section 3.2).
        case hostMissing = "host_missing"
        /// More than one Host.
        case hostDuplicated = "host_duplicated"
        /// A Host that is no host and port.
        case hostMalformed = "host_malformed"
        /// A target in absolute form that names another host than Host does.
        case hostMismatch = "host_mismatch"
        /// A Content-Length that is not a plain number.
        case contentLengthMalformed = "content_length_malformed"
        /// More than one Content-Length, equal or not.
        case contentLengthDuplicated = "content_length_duplicated"
        /// Content-Length beside Transfer-Encoding (RFC 9112 section 6.1).
        case contentLengthWithTransferEncoding = "content_length_with_transfer_encoding"
        /// A Transfer-Encoding that does not end in `chunked`, comes twice, or comes with HTTP/1.0.
        case transferEncodingMalformed = "transfer_encoding_malformed"
        /// A transfer coding other than `chunked`.
        case transferEncodingUnsupported = "transfer_encoding_unsupported"
        /// An Expect other than `100-continue`.
        case expectationUnsupported = "expectation_unsupported"
        /// A chunk whose size or end is not exactly as RFC 9112 section 7.1 says.
        case chunkMalformed = "chunk_malformed"
        /// Chunk extensions beyond the limit.
        case chunkExtensionTooLong = "chunk_extension_too_long"
        /// A trailer field that would change framing, routing or credentials (RFC 9110 section 6.5.1).
        case trailerForbidden = "trailer_forbidden"
        /// A body larger than the limit.
        case bodyTooLarge = "body_too_large"
        /// The connection ended inside a message.
        case truncated = "message_truncated"
        /// A response came that no request asked for.
        case unexpectedResponse = "unexpected_response"
    }

    /// What was wrong.
    package let code: Code

    /// Wraps a code.
    package init(_ code: Code) { self.code = code }

    /// The status that a server answers with before it closes.
    package var status: Int {
        switch code {
        case .methodTooLong, .transferEncodingUnsupported: 501
        case .targetTooLong: 414
        case .versionUnsupported: 505
        case .tooManyFields, .headerTooLarge: 431
        case .expectationUnsupported: 417
        case .bodyTooLarge: 413
        case .requestLineMalformed, .targetMalformed, .statusLineMalformed, .bareLineFeed,
            .fieldNameMalformed, .whitespaceBeforeColon, .foldedLine, .fieldValueMalformed,
            .hostMissing, .hostDuplicated, .hostMalformed, .hostMismatch, .contentLengthMalformed,
            .contentLengthDuplicated, .contentLengthWithTransferEncoding,
            .transferEncodingMalformed, .chunkMalformed, .chunkExtensionTooLong, .trailerForbidden,
            .truncated, .unexpectedResponse:
            400
        }
    }
}
