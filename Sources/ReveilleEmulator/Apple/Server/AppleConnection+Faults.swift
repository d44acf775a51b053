internal import ReveilleBytes
internal import ReveilleHTTP2
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime

/// What faults do to a request and to its connection.
extension AppleConnection {
    /// Lets a fault strike a request that has no answer yet.
    func strike(
        _ request: ArrivedRequest, _ receipt: inout Receipt, _ action: AppleFaultAction
    ) {
        let stream = receipt.stream
        switch action {
        case .answer(let script): answer(request, &receipt, script)
        case .delay(let milliseconds):
            let answer = judge(request, &receipt)
            record(request, receipt)
            respond(to: stream, answer, after: milliseconds)
        case .hold(let accepted): hold(request, &receipt, accepted: accepted)
        case .holdAnswer(let script): hold(request, &receipt, answer: script)
        case .stall(let accepted): judgeSilently(request, &receipt, accepted: accepted)
        case .reset(let code, let accepted):
            judgeSilently(request, &receipt, accepted: accepted)
            reset(stream, code)
        case .dropConnection(let manner, let accepted):
            judgeSilently(request, &receipt, accepted: accepted)
            phase = .dropping(manner)
        case .halfClose(let accepted):
            judgeSilently(request, &receipt, accepted: accepted)
            halfClose()
        case .silence(let accepted):
            judgeSilently(request, &receipt, accepted: accepted)
            fallSilent()
        case .goAway(let plan): goAway(request, &receipt, plan)
        case .streamLimit(let limit):
            let answer = judge(request, &receipt)
            record(request, receipt)
            announce(limit: limit)
            respond(to: stream, answer)
        case .refuseConnection, .refuseTLS, .stallTLS:
            // These strike connections, never requests.
            judgeSilently(request, &receipt, accepted: false)
        }
    }

    private func answer(
        _ request: ArrivedRequest, _ receipt: inout Receipt, _ script: ScriptedAnswer
    ) {
        let answer = prepare(script, for: request, &receipt)
        respond(to: receipt.stream, answer, after: script.delayMilliseconds)
    }

    /// A scripted 200 is Apple's word that the push was taken; a scripted 403 says nothing about the token's validity.
    private func prepare(
        _ script: ScriptedAnswer, for request: ArrivedRequest, _ receipt: inout Receipt
    ) -> AppleAnswer {
        if script.status == 200 {
            _ = judge(request, &receipt)
        } else if script.status != 403 {
            authenticate(&receipt)
        }
        record(request, receipt)
        return .scripted(script, at: receipt.now)
    }

    private func authenticate(_ receipt: inout Receipt) {
        // The rule that the token breaks does not matter: the answer is written already.
        _ = try? world.authenticate(
            receipt.fields, on: environment, as: &credential, at: receipt.now)
        announceLimit()
    }

    /// Judges a request that gets no answer, if Apple is to have taken it.
    private func judgeSilently(
        _ request: ArrivedRequest, _ receipt: inout Receipt, accepted: Bool
    ) {
        if accepted {
            _ = judge(request, &receipt)
        } else {
            authenticate(&receipt)
        }
        record(request, receipt)
    }

    private func respond(to stream: Int32, _ answer: AppleAnswer, after milliseconds: Int) {
        guard milliseconds > 0 else {
            respond(to: stream, answer)
            return
        }
        let number = unanswered[stream]?.number
        _ = world.loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in
            guard let self, unanswered[stream]?.number == number else { return }
            respond(to: stream, answer)
            send()
        }
    }

    // MARK: Held answers

    private func hold(_ request: ArrivedRequest, _ receipt: inout Receipt, accepted: Bool) {
        if accepted {
            unanswered[receipt.stream]?.answer = judge(request, &receipt)
        } else {
            unanswered[receipt.stream]?.unjudged = request
            authenticate(&receipt)
        }
        record(request, receipt)
        keepHeld(receipt)
    }

    private func hold(_ request: ArrivedRequest, _ receipt: inout Receipt, answer script: ScriptedAnswer) {
        unanswered[receipt.stream]?.answer = prepare(script, for: request, &receipt)
        keepHeld(receipt)
    }

    private func keepHeld(_ receipt: Receipt) {
        world.held.append(
            HeldRequests.Entry(
                connection: number, stream: receipt.stream, token: receipt.token,
                fault: receipt.fault?.id ?? ""))
    }

    /// Answers a request that was held.
    func release(_ stream: Int32) {
        guard let request = unanswered[stream] else { return }
        if let answer = request.answer {
            respond(to: stream, answer)
        } else if let unjudged = request.unjudged {
            let fields = PushFields(unjudged.head.fields)
            let target = RequestTarget(
                method: unjudged.head.method, path: unjudged.head.path, fields: fields)
            var receipt = Receipt(
                number: request.number, stream: stream, fields: fields, target: target,
                apnsID: request.apnsID, now: world.clock.now())
            let answer = judge(unjudged, &receipt)
            world.records.setJudgement(
                receipt.judgement, isAccepted: receipt.isAccepted, of: request.number,
                apnsID: request.apnsID)
            respond(to: stream, answer)
        }
        send()
    }

    // MARK: Streams and connections

    /// Resets a stream that has no answer.
    private func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
        guard let request = unanswered.removeValue(forKey: stream) else { return }
        world.counters.reset += 1
        world.records.setAnswer(.reset(code), of: request.number)
        try? engine.reset(stream, code)  // A stream that has ended needs no reset.
    }

    /// Ends writing, and goes on reading.
    func halfClose() {
        guard let socket else { return }
        phase = .halfClosed
        socket.finishWriting()
    }

    /// Ends reading and writing, and leaves the socket open.
    func fallSilent() {
        phase = .silent
        socket?.pauseReading()
    }

    private func goAway(
        _ request: ArrivedRequest, _ receipt: inout Receipt, _ plan: GoAwayPlan
    ) {
        let lastStream = number(of: plan.lastStream, struck: receipt.stream)
        if receipt.stream <= lastStream, plan.ending != .atOnce {
            let answer = judge(request, &receipt)
            record(request, receipt)
            respond(to: receipt.stream, answer)
        } else {
            judgeSilently(request, &receipt, accepted: false)
        }
        goAway(plan, lastStream: lastStream)
    }

    /// Sends GOAWAY and ends the connection as planned.
    func goAway(_ plan: GoAwayPlan) {
        goAway(plan, lastStream: number(of: plan.lastStream, struck: nil))
    }

    private func goAway(_ plan: GoAwayPlan, lastStream: Int32) {
        let debugData = plan.reason.map { JSONValue.object(["reason": .string($0)]).encoded() } ?? []
        do throws(HTTP2Error) {
            switch plan.lastStream {
            case .all: try engine.announceGoAway()
            case .this, .beforeThis, .newest, .answered, .none, .number:
                try engine.goAway(plan.code, lastStream: lastStream, debugData: debugData)
            }
            world.counters.goAways += 1
        } catch {
            // The session is over, and the connection with it.
            phase = .dropping(.close)
            return
        }
        switch plan.ending {
        case .whenAnswered: phase = .endingWhenAnswered
        case .atOnce: phase = .dropping(.close)
        case .never: break
        }
    }

    private func number(of stream: GoAwayPlan.LastStream, struck: Int32?) -> Int32 {
        switch stream {
        case .this: struck ?? engine.lastStream
        case .beforeThis: max((struck ?? engine.lastStream) - 2, 0)
        case .newest: engine.lastStream
        case .answered: lastAnswered
        case .none: 0
        case .all: .max
        case .number(let number): number
        }
    }
}
