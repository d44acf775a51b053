/// Answers requests.
package protocol HTTPHandler: Sendable {
    /// Answers one request.
    ///
    /// Starts on the event loop of the request's connection without a hop, and returns there: what needs no waiting is
    /// answered in the same turn. It must not block. When the client goes away the call goes on; it is cancelled only when a
    /// drain passes its limit.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// Refuses a request by its head alone, or returns nil to have its body.
    ///
    /// Asked only when the client waits for `100 Continue`, before it sends the body; the request's body is empty then. The
    /// rules of ``respond(to:)`` hold.
    func refusal(ofHead request: HTTPRequest) async -> HTTPResponse?
}

extension HTTPHandler {
    /// Takes every body.
    package func refusal(ofHead request: HTTPRequest) async -> HTTPResponse? { nil }
}
