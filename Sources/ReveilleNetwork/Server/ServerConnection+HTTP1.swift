import ReveilleBytes
import ReveilleHTTP1
import ReveilleRuntime
import ReveilleTelemetry

/// HTTP/1.1 on a connection: requests are served one after another, in order.
extension ServerConnection {
    /// Reads and serves as far as the input, the handlers and the client's own reading allow.
    func advanceHTTP1(_ session: HTTP1ServerSession) {
        guard !session.isAdvancing else { return }
        session.isAdvancing = true
        defer { session.isAdvancing = false }
        var served = 0
        while case .reading = session.phase {
            // The client does not read: `didDrainOutput` goes on.
            guard let socket, socket.pendingOutputBytes <= limits.maximumPendingOutputBytes else {
                session.waitsForOutput = true
                break
            }
            guard served < limits.maximumPipelined else {
                yieldTurn()
                break
            }
            do throws(HTTP1Error) {
                switch try session.next() {
                case .needsMoreBytes: return waitForInput(session)
                case .head(let head): beginBody(session, head)
                case .request(let head, let body):
                    served += 1
                    serve(session, head, body)
                }
            } catch {
                context.counters.malformedRequests.increment()
                context.log.debug("malformed request", ["code": .code(error.code)])
                return refuseHTTP1(session, status: error.status, code: error.code.rawValue)
            }
        }
        controlInput(session)
    }

    /// Lets other connections have their turn, then goes on.
    private func yieldTurn() {
        loop.execute { [weak self] in
            self?.assumeIsolated { connection in
                if case .http1(let session) = connection.state { connection.advanceHTTP1(session) }
            }
        }
    }

    private func waitForInput(_ session: HTTP1ServerSession) {
        if session.hasEnded { return endOfInput(session) }
        controlInput(session)
        if session.isReadingBody { return }
        guard session.isBetweenRequests else {
            if deadlines.read?.reason != .header { setDeadline(.header, after: limits.headerTimeout) }
            return
        }
        if isDraining {
            session.phase = .ended
            return closeGracefully()
        }
        if deadlines.read?.reason != .header || session.hasServed {
            setDeadline(.idle, after: limits.idleTimeout)
        }
    }

    /// The client sends nothing more: one that ended inside a request is told so, for it may still read.
    private func endOfInput(_ session: HTTP1ServerSession) {
        guard !session.isBetweenRequests else { return closeGracefully() }
        context.counters.malformedRequests.increment()
        let error = HTTP1Error(.truncated)
        refuseHTTP1(session, status: error.status, code: error.code.rawValue)
    }

    /// Stops the client while enough waits to be served.
    private func controlInput(_ session: HTTP1ServerSession) {
        guard let socket else { return }
        let isFull: Bool
        switch session.phase {
        case .reading: isFull = socket.pendingOutputBytes > limits.maximumPendingOutputBytes
        case .handling: isFull = session.input.count >= limits.maximumReadAheadBytes
        case .ended: isFull = false
        }
        guard isFull != session.isPaused else { return }
        session.isPaused = isFull
        if isFull { socket.pauseReading() } else { socket.resumeReading() }
    }

    private func beginBody(_ session: HTTP1ServerSession, _ head: HTTP1RequestHead) {
        guard HTTPMethods.isImplemented(head.method) else { return refuseMethod(session) }
        setDeadline(.body, after: limits.bodyTimeout)
        if head.expectsContinue, session.input.isEmpty { considerExpectation(session, head) }
    }

    private func serve(
        _ session: HTTP1ServerSession, _ head: HTTP1RequestHead, _ body: [UInt8]
    ) {
        guard HTTPMethods.isImplemented(head.method) else { return refuseMethod(session) }
        session.phase = .handling
        session.hasServed = true
        clearReadDeadline()
        start(request(head, body), for: .http1)
    }

    func request(_ head: HTTP1RequestHead, _ body: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            method: head.method, target: head.target, fields: HTTPFields(head.fields), body: body,
            peer: peer, isSecure: context.tls != nil,
            version: head.version == .http11 ? .http11 : .http10)
    }

    private func refuseMethod(_ session: HTTP1ServerSession) {
        let fault = HTTPServerFault.methodNotImplemented
        refuseHTTP1(session, status: fault.status, code: fault.rawValue)
    }

    /// Answers by the server itself, and closes: nobody knows where the next request starts.
    private func refuseHTTP1(_ session: HTTP1ServerSession, status: Int, code: String) {
        refuseHTTP1(session, context.errorResponse(status, code))
    }

    func refuseHTTP1(_ session: HTTP1ServerSession, _ response: HTTPResponse) {
        session.phase = .ended
        writeHTTP1(response, isHead: session.isHeadRequest, .closes)
        closeGracefully()
    }

    func finishHTTP1(_ session: HTTP1ServerSession, _ response: HTTPResponse) {
        guard case .handling = session.phase else { return }
        let closes =
            isDraining || !session.isPersistent
            || response.fields["connection"]?.lowercased() == "close"
        let persistence: HTTP1Writer.Persistence
        switch (closes, session.version) {
        case (true, _): persistence = .closes
        case (false, .http11): persistence = .persistent
        case (false, .http10): persistence = .persistentHTTP10
        }
        writeHTTP1(response, isHead: session.isHead, persistence)
        guard !closes else {
            session.phase = .ended
            return closeGracefully()
        }
        session.phase = .reading
        advanceHTTP1(session)
    }

    func writeHTTP1(
        _ response: HTTPResponse, isHead: Bool, _ persistence: HTTP1Writer.Persistence
    ) {
        guard let socket else { return }
        let output = socket.output
        let before = output.count
        HTTP1Writer.writeResponse(
            status: response.status, fields: response.fields.list, body: response.body.bytes,
            isHead: isHead, persistence: persistence, date: date.bytes(at: context.wallClock.now()),
            to: output)
        queuedBytes += output.count - before
        watchOutput()
    }

    func timeOutHTTP1(_ session: HTTP1ServerSession, _ reason: ConnectionDeadlines.Reason) {
        guard case .reading = session.phase else { return }
        guard !session.isBetweenRequests else {
            session.phase = .ended
            return closeGracefully()
        }
        context.counters.timedOutRequests.increment()
        let fault = HTTPServerFault.requestTimeout
        refuseHTTP1(session, status: fault.status, code: fault.rawValue)
    }

    /// Decides between HTTP/1.1 and HTTP/2 as soon as the first bytes allow it.
    func detectHTTP2(_ session: HTTP1ServerSession) {
        let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        let count = min(session.input.count, preface.utf8CodeUnitCount)
        let matches = session.input.withReadableBytes { bytes in
            (0..<count).allSatisfy { bytes[$0] == preface.utf8Start[$0] }
        }
        if matches, count < preface.utf8CodeUnitCount { return }
        session.mayBeHTTP2 = false
        if matches { startHTTP2(with: session.input) } else { advanceHTTP1(session) }
    }
}
