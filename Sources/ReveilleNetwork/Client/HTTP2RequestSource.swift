package import ReveilleHTTP2

/// Where a client connection pulls requests from whenever a stream is free, and to whom it hands their ends.
///
/// Called on the connection's loop only; never blocks. Calls may come while the source calls the connection. The connection
/// keeps its source alive until it is closed.
package protocol HTTP2RequestSource: AnyObject {
    /// Requests will be asked for: once before each run of them.
    func connectionWillPull(_ connection: HTTP2ClientConnection)
    /// Writes the next request into a room and returns true, or returns false when there is none now.
    func connection(_ connection: HTTP2ClientConnection, fill stream: HTTP2ClientStream) -> Bool
    /// Takes the end of a stream, exactly once for each room filled. The room is used again after the call.
    func connection(_ connection: HTTP2ClientConnection, didEnd stream: HTTP2ClientStream)
    /// The connection opened, stopped taking requests, or may take more of them than before.
    func connectionDidChange(_ connection: HTTP2ClientConnection)
    /// The connection is gone, all its streams have ended; the last call, made once.
    func connection(_ connection: HTTP2ClientConnection, didClose end: ConnectionEnd)
}

/// Why a client connection is gone.
package enum ConnectionEnd: Sendable, Equatable {
    /// Its owner retired or aborted it.
    case retired
    /// The server said GOAWAY.
    case serverLeft
    /// No connection could be made to any address.
    case notOpened(SocketCloseReason)
    /// Both sides share no version of HTTP that this client speaks.
    case noCommonProtocol
    /// The transport ended.
    case lost(SocketCloseReason)
    /// The other side did not answer a PING in time.
    case silent
    /// The server broke the protocol.
    case protocolViolation(HTTP2Error.Code)
}
