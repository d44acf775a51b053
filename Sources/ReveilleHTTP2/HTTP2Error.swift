/// Why an HTTP/2 connection cannot go on.
package struct HTTP2Error: Error, Sendable, Equatable {
    /// What happened, as a stable word.
    package enum Code: String, Sendable, CaseIterable {
        /// The first bytes were not the connection preface.
        case prefaceMissing = "http2_preface_missing"
        /// The peer broke the protocol; GOAWAY was queued where that is possible.
        case protocolViolation = "http2_protocol_violation"
        /// The peer caused more work than the limits allow; GOAWAY with ENHANCE_YOUR_CALM was queued.
        case excessiveWork = "http2_excessive_work"
        /// The library had no memory, or was used in a way it does not allow.
        case libraryFailure = "http2_library_failure"
        /// The engine was used after its session had ended.
        case sessionEnded = "http2_session_ended"
        /// A stream with this number does not exist or has ended.
        case streamUnknown = "http2_stream_unknown"
    }

    /// What happened.
    package let code: Code

    /// The library's own number, for diagnosis; 0 when it has none.
    package let libraryCode: Int32

    /// Describes a failure.
    package init(_ code: Code, libraryCode: Int32 = 0) {
        self.code = code
        self.libraryCode = libraryCode
    }
}
