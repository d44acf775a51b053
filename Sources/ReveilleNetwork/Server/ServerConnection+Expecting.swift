import ReveilleBytes
import ReveilleHTTP1
import ReveilleHTTP2
import ReveilleRuntime

/// Clients that wait for `100 Continue` (RFC 9110 section 10.1.1): the handler may refuse before the body is on its way.
extension ServerConnection {
    /// Asks the handler; nothing further is read meanwhile.
    func considerExpectation(_ session: HTTP1ServerSession, _ head: HTTP1RequestHead) {
        session.phase = .handling
        clearReadDeadline()
        start(request(head, []), for: .http1, .refusal)
    }

    /// Goes on with the request, or refuses it and closes: whether its body still comes, nobody knows.
    func finishExpectation(_ session: HTTP1ServerSession, _ refusal: HTTPResponse?) {
        guard case .handling = session.phase else { return }
        if let refusal {
            context.counters.requests.increment()
            return refuseHTTP1(session, refusal)
        }
        session.phase = .reading
        setDeadline(.body, after: limits.bodyTimeout)
        // A client that did not wait is not told.
        if session.input.isEmpty, let socket { HTTP1Writer.writeContinue(to: socket.output) }
        advanceHTTP1(session)
    }

    /// Asks the handler; the client's body is taken meanwhile, should it come.
    func considerExpectation(_ session: HTTP2ServerSession, _ id: Int32, _ head: HTTP2RequestHead) {
        start(request(head, []), for: .http2(id), .refusal)
    }

    /// Tells the client to go on, or refuses.
    func finishExpectation(_ session: HTTP2ServerSession, _ id: Int32, _ refusal: HTTPResponse?) {
        session.now = loop.now()
        guard session.isReceiving(id) else { return }
        if let refusal {
            context.counters.requests.increment()
            answer(session, id, refusal)
        } else {
            // The stream may be over already; then nobody waits.
            try? session.engine.sendContinue(on: id)
        }
        if !session.isActing { requestEndOfTurn() }
    }
}
