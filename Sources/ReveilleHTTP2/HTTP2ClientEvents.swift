/// What happened on a client connection besides the ends of streams.
package struct HTTP2ClientNotices: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The server's SETTINGS came; the stream limit may have moved.
    package static let settingsChanged = HTTP2ClientNotices(rawValue: 1)
    /// The server said GOAWAY.
    package static let goAwayReceived = HTTP2ClientNotices(rawValue: 2)
    /// A PING came back.
    package static let pingReturned = HTTP2ClientNotices(rawValue: 4)
}

/// A server's word that it opens no more streams on a connection (RFC 9113 section 6.8).
package struct HTTP2GoAway: Sendable, Hashable {
    /// Streams above this number were not processed.
    package let lastStreamID: Int32
    /// Why.
    package let code: HTTP2ErrorCode
    /// The first octets of what the server said besides; a peer's text, not for logs.
    package let debugData: [UInt8]
}
