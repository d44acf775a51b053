import ReveilleBytes
import ReveilleHTTP1
import ReveilleHTTP2
import ReveilleRuntime
import ReveilleTelemetry

/// HTTP/2 on a connection.
extension ServerConnection {
    /// Starts HTTP/2, with input that came before it was known to be.
    func startHTTP2(with input: ByteQueue?) {
        do throws(HTTP2Error) {
            let session = try HTTP2ServerSession(
                limits: limits, unreadInAll: context.unreadAnswerBytes, now: loop.now())
            state = .http2(session)
            setDeadline(.header, after: limits.headerTimeout)
            input?.withReadableBytes { receiveHTTP2(session, $0) }
            flushHTTP2(session)
        } catch {
            failHTTP2(error)
        }
    }

    func receiveHTTP2(_ session: HTTP2ServerSession, _ bytes: UnsafeRawBufferPointer) {
        guard session.failure == nil else { return }
        session.now = loop.now()
        do throws(HTTP2Error) {
            try session.engine.receive(bytes, at: session.now.nanoseconds)
        } catch {
            session.failure = error
        }
    }

    /// Acts on what a batch of input said, then writes.
    func actOnNotes(_ session: HTTP2ServerSession) {
        session.isActing = true
        for note in session.takeNotes() {
            switch note {
            case .head(let id): considerHead(session, id)
            case .request(let id): serve(session, id)
            case .fault(let id, let fault):
                context.counters.malformedRequests.increment()
                answer(session, id, context.errorResponse(fault.status, fault.rawValue))
            case .bufferFull(let id): reset(session, id, .enhanceYourCalm)
            }
        }
        session.isActing = false
        flushHTTP2(session)
    }

    /// Refuses early what no body would save, and lets a waiting client go on.
    private func considerHead(_ session: HTTP2ServerSession, _ id: Int32) {
        guard let head = session.streams[id]?.head else { return }
        if let fault = fault(of: head) {
            return answer(session, id, context.errorResponse(fault.status, fault.rawValue))
        }
        guard head.fields["expect"] != nil, session.isReceiving(id) else { return }
        considerExpectation(session, id, head)
    }

    private func fault(of head: HTTP2RequestHead) -> HTTPServerFault? {
        guard HTTPMethods.isImplemented(head.method) else { return .methodNotImplemented }
        guard head.path == "*" || HTTP1Target.isOriginForm(head.path) else { return .targetMalformed }
        guard HTTP1Target.isAuthority(head.authority) else { return .hostMalformed }
        if let expectation = head.fields["expect"], expectation.lowercased() != "100-continue" {
            return .expectationUnsupported
        }
        return nil
    }

    private func hasUnreadAnswers(_ session: HTTP2ServerSession) -> Bool {
        session.unreadAnswerBytes >= limits.maximumUnreadAnswerBytes
            || (session.unreadAnswerBytes > 0
                && context.unreadAnswerBytes.withLock { $0 } >= limits.maximumUnreadAnswerBytesInAll)
    }

    private func serve(_ session: HTTP2ServerSession, _ id: Int32) {
        // Streams that the client has reset leave their handlers running: these count too.
        // So do answers that the client lets lie.
        guard runningHandlers < limits.maximumStreams, !hasUnreadAnswers(session) else {
            return reset(session, id, .refusedStream)
        }
        guard let (head, body) = session.takeRequest(id) else { return }
        session.hasServed = true
        clearReadDeadline()
        start(request(head, body), for: .http2(id))
    }

    func request(_ head: HTTP2RequestHead, _ body: [UInt8]) -> HTTPRequest {
        var fields = HTTPFields(head.fields)
        if fields["host"] == nil { fields.add("host", head.authority) }
        return HTTPRequest(
            method: head.method, target: head.path, fields: fields, body: body, peer: peer,
            isSecure: context.tls != nil, version: .http2)
    }

    func finishHTTP2(_ session: HTTP2ServerSession, _ id: Int32, _ response: HTTPResponse) {
        session.now = loop.now()
        answer(session, id, response)
        if !session.isActing { requestEndOfTurn() }
    }

    func answer(_ session: HTTP2ServerSession, _ id: Int32, _ response: HTTPResponse) {
        guard let isHead = session.streams[id]?.isHead, session.noteAnswered(id, bytes: response.body.bytes.count)
        else { return }
        var list = response.fields.list
        if list["date"] != nil { list.removeAll(named: "date") }
        if list["content-length"] != nil { list.removeAll(named: "content-length") }
        let forbidsBody = HTTP1Status.forbidsBody(response.status)
        let body = response.body.bytes
        if !forbidsBody { list.append("content-length", String(body.count)) }
        date.bytes(at: context.wallClock.now()).withUnsafeBytes { date in
            let name: StaticString = "date"
            name.withUTF8Buffer { list.append(checkedName: UnsafeRawBufferPointer($0), value: date) }
        }
        do throws(HTTP2Error) {
            try session.engine.respond(
                to: id, status: response.status, fields: list,
                body: forbidsBody || isHead ? [] : body)
        } catch {
            // The client reset the stream meanwhile, so nobody waits for the answer.
            context.log.debug("answer without a stream", ["code": .code(error.code)])
        }
    }

    func reset(_ session: HTTP2ServerSession, _ id: Int32, _ code: HTTP2ErrorCode) {
        // A stream that is over needs no reset.
        try? session.engine.reset(id, code)
    }

    // MARK: Writing and ending

    /// Asks for the answers of this turn to be written together.
    func requestEndOfTurn() {
        guard !hasRequestedEndOfTurn else { return }
        hasRequestedEndOfTurn = true
        loop.atEndOfTurn(self)
    }

    func endOfTurn() {
        hasRequestedEndOfTurn = false
        guard case .http2(let session) = state else { return }
        flushHTTP2(session)
        if case .http2 = state { socket?.flush() }
    }

    func flushHTTP2(_ session: HTTP2ServerSession) {
        guard let socket else { return }
        var written = 0
        do throws(HTTP2Error) {
            // The output is touched only for bytes: touching it asks for a report that it is empty.
            let room = limits.maximumPendingOutputBytes - socket.pendingOutputBytes
            try session.engine.takeOutput(room: room) { bytes in
                socket.output.append(bytes)
                written += bytes.count
            }
        } catch {
            session.failure = session.failure ?? error
        }
        if written > 0 {
            queuedBytes += written
            watchOutput()
        }
        if let failure = session.failure { return failHTTP2(failure) }
        if session.engine.isFinished { return closeGracefully() }
        updateDeadline(session)
    }

    private func updateDeadline(_ session: HTTP2ServerSession) {
        if let deadline = session.earliestDeadline {
            setDeadline(.streams, at: deadline)
        } else if !session.streams.isEmpty {
            clearReadDeadline()
        } else if deadlines.read?.reason != .idle, deadlines.read?.reason != .header || session.hasServed {
            setDeadline(.idle, after: limits.idleTimeout)
        }
    }

    private func failHTTP2(_ error: HTTP2Error) {
        context.log.debug("HTTP/2 failed", ["code": .code(error.code)])
        switch error.code {
        case .excessiveWork: context.counters.abusiveConnections.increment()
        case .prefaceMissing, .protocolViolation:
            context.counters.malformedRequests.increment()
        case .libraryFailure, .sessionEnded, .streamUnknown: break
        }
        closeGracefully()
    }

    func drainHTTP2(_ session: HTTP2ServerSession) {
        do throws(HTTP2Error) {
            try session.engine.goAway(.noError)
        } catch {
            session.failure = error
        }
        flushHTTP2(session)
    }

    /// The client sends nothing more: what it asked for is still answered.
    func endHTTP2(_ session: HTTP2ServerSession) {
        actOnNotes(session)
        guard case .http2 = state else { return }
        if session.streams.isEmpty { closeGracefully() } else { drainHTTP2(session) }
    }

    func timeOutHTTP2(
        _ session: HTTP2ServerSession, _ reason: ConnectionDeadlines.Reason, _ now: MonotonicInstant
    ) {
        session.now = now
        switch reason {
        case .header, .idle, .body:
            session.engine.terminate(.noError)
        case .streams:
            for (id, phase) in session.overdue(at: now) {
                switch phase {
                case .receiving:
                    context.counters.timedOutRequests.increment()
                    let fault = HTTPServerFault.requestTimeout
                    answer(session, id, context.errorResponse(fault.status, fault.rawValue))
                case .answered: reset(session, id, .cancel)
                case .handling: break
                }
            }
        }
        flushHTTP2(session)
    }
}

extension ServerConnection: EndOfTurnHandler {
    nonisolated func turnDidEnd() {
        assumeIsolated { $0.endOfTurn() }
    }
}
