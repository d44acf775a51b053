/// The error codes of RST_STREAM and GOAWAY frames (RFC 9113 section 7).
///
/// Codes this build does not know are kept as they came.
package struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable {
    /// The number on the wire.
    package let rawValue: UInt32

    /// Wraps a number of the wire, known or not.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// NO_ERROR: a graceful end.
    package static let noError = HTTP2ErrorCode(rawValue: 0x0)
    /// PROTOCOL_ERROR: the peer broke a rule that has no code of its own.
    package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    /// INTERNAL_ERROR: the sender cannot go on.
    package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    /// FLOW_CONTROL_ERROR: the peer sent more than its window, or made a window overflow.
    package static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    /// SETTINGS_TIMEOUT: settings were not acknowledged.
    package static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
    /// STREAM_CLOSED: a frame came for a stream that had ended.
    package static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    /// FRAME_SIZE_ERROR: a frame had an impossible length.
    package static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    /// REFUSED_STREAM: nothing of the request was processed; it may be sent again.
    package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    /// CANCEL: the stream is no longer wanted.
    package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    /// COMPRESSION_ERROR: the state of header compression was lost.
    package static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    /// CONNECT_ERROR: a tunnel failed.
    package static let connectError = HTTP2ErrorCode(rawValue: 0xa)
    /// ENHANCE_YOUR_CALM: the peer causes more work than it brings.
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
    /// INADEQUATE_SECURITY: the transport does not meet the requirements.
    package static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xc)
    /// HTTP_1_1_REQUIRED: use HTTP/1.1 instead.
    package static let http11Required = HTTP2ErrorCode(rawValue: 0xd)

    /// The name of RFC 9113, or `UNKNOWN`: a closed word, fit for logs.
    package var name: String {
        let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR",
            "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL",
            "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY",
            "HTTP_1_1_REQUIRED",
        ]
        return rawValue < UInt32(names.count) ? names[Int(rawValue)] : "UNKNOWN"
    }
}
