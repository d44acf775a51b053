package import ReveilleHTTP2

/// What becomes of an exchange and its connection, as the handler wishes it.
package enum HTTPConclusion: Sendable {
    /// The response is sent, and the connection serves further requests.
    case answer
    /// The response is sent, then the connection ends in order: `Connection: close`, or GOAWAY.
    case answerAndClose
    /// No response: the stream is reset with this code. Over HTTP/1.1, which has no streams, the connection is dropped.
    case resetStream(HTTP2ErrorCode)
    /// No response: the connection ends at once with RST, so that what is unsent is lost, or in order with FIN.
    case dropConnection(abruptly: Bool)
    /// The connection changes to another protocol (RFC 9110, section 7.8): 101 with the response's fields is sent, and whoever the
    /// closure makes has the bytes from then on.
    ///
    /// Only for a request of HTTP/1.1 that asked for it by `Upgrade` and `Connection`; otherwise 400 is answered.
    case upgrade(to: String, @Sendable (UpgradedConnection) -> any UpgradedProtocol)
}
