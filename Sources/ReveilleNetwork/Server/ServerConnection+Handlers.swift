import ReveilleRuntime
import ReveilleTelemetry

/// Handlers of a connection's requests.
extension ServerConnection {
    /// Where an answer goes.
    enum Exchange: Sendable {
        case http1
        case http2(Int32)
    }

    /// What a handler is asked.
    enum Question: Sendable {
        /// To answer a complete request.
        case answer
        /// Whether it refuses a request by its head alone.
        case refusal
    }

    /// Starts a handler at once, on this thread.
    ///
    /// What it does before it first waits, it does before this returns.
    func start(_ request: HTTPRequest, for exchange: Exchange, _ question: Question = .answer) {
        if question == .answer { context.counters.requests.increment() }
        let number = nextExchange
        nextExchange += 1
        runningHandlers += 1
        let running = runningHandlers
        let handler = context.handler
        executor.taskWillStart()
        let task = Task.immediate(executorPreference: executor) {
            switch question {
            case .answer: self.finish(exchange, number, await handler.respond(to: request))
            case .refusal: self.finish(exchange, number, refusal: await handler.refusal(ofHead: request))
            }
        }
        executor.taskDidStart()
        // One that has answered already is not kept.
        if runningHandlers == running { tasks[number] = task }
    }

    private func finish(_ exchange: Exchange, _ number: UInt64, _ response: HTTPResponse) {
        runningHandlers -= 1
        tasks[number] = nil
        let answer = isAnswerable(response) ? response : handlerFailure()
        switch (state, exchange) {
        case (.http1(let session), .http1): conclude(session, answer)
        case (.http2(let session), .http2(let stream)): conclude(session, stream, answer)
        case (.http1, .http2), (.http2, .http1), (.opening, _), (.upgraded, _), (.closing, _): break
        case (.ending, _), (.closed, _): retireIfDone()
        }
    }

    private func finish(_ exchange: Exchange, _ number: UInt64, refusal: HTTPResponse?) {
        runningHandlers -= 1
        tasks[number] = nil
        switch (state, exchange) {
        case (.http1(let session), .http1): finishExpectation(session, refusal)
        case (.http2(let session), .http2(let stream)): finishExpectation(session, stream, refusal)
        case (.http1, .http2), (.http2, .http1), (.opening, _), (.upgraded, _), (.closing, _): break
        case (.ending, _), (.closed, _): retireIfDone()
        }
    }

    /// Whether a handler's answer can be written: a final status, or another protocol with a status that nobody reads.
    private func isAnswerable(_ response: HTTPResponse) -> Bool {
        switch response.conclusion {
        case .answer, .answerAndClose: (200..<600).contains(response.status)
        case .resetStream, .dropConnection, .upgrade: true
        }
    }

    private func handlerFailure() -> HTTPResponse {
        let fault = HTTPServerFault.handlerFailed
        context.log.error("a handler gave an answer without a final status")
        return context.errorResponse(fault.status, fault.rawValue)
    }
}
