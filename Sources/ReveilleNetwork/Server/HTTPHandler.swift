/// Answers requests.
package protocol HTTPHandler: Sendable {
    /// Answers one request.
    ///
    /// Starts on the event loop of the request's connection without a hop, and returns there: what needs no waiting is
    /// answered in the same turn. It must not block. When the client goes away the call goes on; it is cancelled only when a
    /// drain passes its limit.
    func respond(to request: HTTPRequest) async -> HTTPResponse
}
