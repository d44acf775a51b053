internal import ReveilleHTTP1
internal import ReveilleHTTP2

/// What the server grants a client, each with its reason.
///
/// Sizes are in bytes.
package struct HTTPServerLimits: Sendable {
    /// The start line of HTTP/1.1; RFC 9112 asks for at least 8 000.
    package var maximumStartLineBytes = 8 * 1024
    /// All fields of a request: credentials and a proxy's own fields fit well.
    package var maximumHeaderBytes = 16 * 1024
    /// Fields of a request: a browser behind two proxies sends about 30.
    package var maximumFields = 64
    /// The body: the largest the API accepts.
    package var maximumBodyBytes = 64 * 1024
    /// From accepting, or from the first byte of a further request, to the end of the header: generous for a phone on a bad
    /// network, little for somebody who sends a byte at a time.
    package var headerTimeout = Duration.seconds(10)
    /// From the end of the header to the end of the body.
    package var bodyTimeout = Duration.seconds(30)
    /// Between requests: proxies usually close theirs after 60 s, and the side that closes first should be the client's.
    package var idleTimeout = Duration.seconds(75)
    /// Without any progress while an answer waits for the client to read.
    package var writeTimeout = Duration.seconds(30)
    /// Connections at once, over all loops: some 20 KiB of memory each.
    package var maximumConnections = 10_000
    /// Connections beyond the limit that are told 503; more are closed without a word.
    package var maximumRefusals = 128
    /// Streams of an HTTP/2 connection at once, and handlers that run for one connection.
    package var maximumStreams = 128
    /// Requests of one HTTP/1.1 connection that are served in a turn before other connections have theirs.
    package var maximumPipelined = 16
    /// What is read ahead of the request that is being served on an HTTP/1.1 connection.
    package var maximumReadAheadBytes = 64 * 1024
    /// Bodies of one HTTP/2 connection that are not complete yet, together.
    package var maximumBufferedBytes = 2 * 1024 * 1024
    /// Answers of one HTTP/2 connection whose streams are still open, together, above which further requests are refused: more than
    /// the largest page of an inbox.
    package var maximumUnreadAnswerBytes = 1024 * 1024
    /// The same over all connections of a server.
    package var maximumUnreadAnswerBytesInAll = 64 * 1024 * 1024
    /// Output that the client has not read, above which no further request of an HTTP/1.1 connection is served.
    package var maximumPendingOutputBytes = 256 * 1024

    /// The usual limits.
    package init() {}

    /// The limits of the HTTP/1.1 reader.
    var http1: HTTP1Limits {
        HTTP1Limits(
            maximumStartLineBytes: maximumStartLineBytes, maximumHeaderBytes: maximumHeaderBytes,
            maximumFields: maximumFields, maximumBodyBytes: maximumBodyBytes)
    }

    /// The limits of the HTTP/2 engine.
    var http2: HTTP2ServerLimits {
        HTTP2ServerLimits(
            maximumConcurrentStreams: maximumStreams,
            maximumHeaderListBytes: maximumHeaderBytes, maximumFields: maximumFields,
            maximumBodyBytes: maximumBodyBytes,
            maximumPendingOutputBytes: maximumPendingOutputBytes)
    }
}
