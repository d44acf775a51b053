/// What a client engine allows itself and the server.
///
/// Every number is a bound on memory or on time spent for a peer.
package struct HTTP2ClientLimits: Sendable, Equatable {
    /// The most streams open at once, whatever the server allows: the number of request buffers of a connection.
    package var maximumStreams = 1_000
    /// How many streams may be opened before the server's first SETTINGS; RFC 9113 section 6.5.2 recommends servers never to
    /// allow fewer.
    package var streamsBeforeSettings = 100
    /// The window the server has for the body of one response.
    ///
    /// Larger than any body that is kept, so that a response never waits for a window update.
    package var streamWindowBytes = 1 << 20
    /// The window the server has for all responses together.
    package var connectionWindowBytes = 1 << 24
    /// The most octets of a response's header list, counted as RFC 9113 section 6.5.2 does.
    ///
    /// Longer ones reset the stream.
    package var maximumHeaderListBytes = 16 * 1_024
    /// The first octets of a response's body that are kept; the rest is read and dropped.
    package var keptBodyBytes = 4 * 1_024
    /// A response body longer than this resets the stream, so that no server keeps one busy for ever.
    package var maximumBodyBytes = 1 << 20
    /// The debug data kept of a GOAWAY frame.
    package var maximumDebugBytes = 1_024
    /// How much output is prepared at a time.
    package var maximumPendingOutputBytes = 256 * 1_024

    /// The limits of a sender.
    package init() {}
}
