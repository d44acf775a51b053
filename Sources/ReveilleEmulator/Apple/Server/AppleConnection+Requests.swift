internal import ReveilleBytes
internal import ReveilleHTTP2
internal import ReveilleRuntime

extension AppleConnection: HTTP2ServerDelegate {
    /// The longest body that is kept: far above what Apple takes.
    private static let maximumBodyBytes = 64 * 1024

    func streamDidBegin(_ stream: Int32) {}

    func stream(_ stream: Int32, didReceive head: HTTP2RequestHead) {
        arriving.add(head, on: stream)
    }

    func stream(_ stream: Int32, didReceiveBody bytes: UnsafeRawBufferPointer) {
        arriving.append(bytes, on: stream)
    }

    func streamDidEnd(_ stream: Int32) {
        guard var request = arriving.take(stream) else { return }
        world.wire?(&request.body)
        receive(request, on: stream)
    }

    func stream(_ stream: Int32, didBreak limit: HTTP2RequestFault) {
        switch limit {
        case .bodyTooLarge:
            guard var request = arriving.take(stream) else { return }
            request.isBodyTooLong = true
            receive(request, on: stream)
        case .headerListTooLarge, .tooManyFields:
            _ = arriving.take(stream)
            world.counters.incomplete += 1
            try? engine.reset(stream, .enhanceYourCalm)  // A stream that has ended needs no reset.
        }
    }

    func stream(_ stream: Int32, didClose code: HTTP2ErrorCode) {
        if arriving.take(stream) != nil { world.counters.incomplete += 1 }
        guard !unanswered.isEmpty, let request = unanswered.removeValue(forKey: stream) else { return }
        // The engine closes what a GOAWAY does not cover with REFUSED_STREAM; a sender that gives up resets otherwise.
        if code == .refusedStream, engine.goAwaySent != nil {
            world.counters.uncovered += 1
            world.records.setAnswer(.uncovered, of: request.number)
        } else {
            world.counters.cancelled += 1
            world.records.setAnswer(.cancelled, of: request.number)
        }
    }
}

extension AppleConnection {
    /// What a complete request is, together with what was found out about it.
    struct Receipt {
        let number: UInt64
        let stream: Int32
        let fields: PushFields
        let target: RequestTarget
        let apnsID: String
        let now: WallInstant
        var judgement = Judgement()
        var isAccepted = false
        var fault: AppleFault?

        /// The token of the path, or nil when the path has none.
        var token: String? { try? target.token.get() }
    }

    private func receive(_ request: ArrivedRequest, on stream: Int32) {
        let fields = PushFields(request.head.fields)
        let target = RequestTarget(
            method: request.head.method, path: request.head.path, fields: fields)
        let id = try? target.id.get()
        var receipt = Receipt(
            number: world.records.nextNumber(), stream: stream, fields: fields, target: target,
            apnsID: id ?? world.makeID(), now: world.clock.now())
        world.counters.received += 1
        if mayAnswer, !world.faults.isIdle {
            receipt.fault = world.faults.strike(
                FaultSubject(
                    environment: environment, connection: number, token: receipt.token,
                    fields: fields))
        }
        if mayAnswer, receipt.fault == nil {
            let answer = judge(request, &receipt)
            record(request, receipt)
            respondAtOnce(receipt, answer)
            return
        }
        unanswered[stream] = Unanswered(number: receipt.number, apnsID: receipt.apnsID)
        guard let fault = receipt.fault else {
            record(request, receipt)
            return
        }
        world.counters.struck += 1
        strike(request, &receipt, fault.action)
    }

    /// Judges a request and, when nothing is wrong with it, hands it to its device.
    func judge(_ request: ArrivedRequest, _ receipt: inout Receipt) -> AppleAnswer {
        receipt.judgement = world.judge(
            request, for: receipt.target, fields: receipt.fields, on: environment,
            credential: &credential, at: receipt.now)
        announceLimit()
        if let refusal = receipt.judgement.refusal {
            world.counters.countRefusal(refusal.detail)
            return .refusal(refusal)
        }
        guard let push = receipt.judgement.push, let payload = receipt.judgement.payload else {
            return .refusal(AppleRefusal(.badPath, .pathIsUnknown))
        }
        receipt.isAccepted = true
        world.accept(
            push, payload, body: request.body, id: receipt.apnsID, in: environment,
            at: receipt.now)
        return .accepted
    }

    /// Writes a request into the history.
    func record(_ request: ArrivedRequest, _ receipt: Receipt) {
        world.records.add(
            number: receipt.number, push: receipt.judgement.push, apnsID: receipt.apnsID,
            isAccepted: receipt.isAccepted
        ) {
            SeenRequest(
                number: receipt.number, environment: environment, connection: number,
                stream: receipt.stream, receivedAt: receipt.now, head: request.head,
                body: request.body, token: receipt.token, apnsID: receipt.apnsID,
                push: receipt.judgement.push, isAccepted: receipt.isAccepted,
                refusal: receipt.judgement.refusal, fault: receipt.fault?.id, answer: .none)
        }
    }

    /// Answers a request that waits.
    func respond(to stream: Int32, _ answer: AppleAnswer) {
        guard mayAnswer, let request = unanswered[stream],
            submit(answer, on: stream, id: request.apnsID, number: request.number)
        else { return }
        unanswered[stream] = nil
    }

    /// Answers a request that need not wait.
    private func respondAtOnce(_ receipt: Receipt, _ answer: AppleAnswer) {
        let isSubmitted = submit(
            answer, on: receipt.stream, id: receipt.apnsID, number: receipt.number)
        guard !isSubmitted else { return }
        unanswered[receipt.stream] = Unanswered(number: receipt.number, apnsID: receipt.apnsID)
    }

    /// Hands an answer to the engine.
    ///
    /// False when the sender has reset the stream: its close is still to come.
    private func submit(
        _ answer: AppleAnswer, on stream: Int32, id: String, number: UInt64
    ) -> Bool {
        var fields = FieldList()
        fields.appendUnique("apns-id", id)
        switch environment {
        case .production: break
        case .sandbox: fields.appendUnique("apns-unique-id", world.makeID())
        }
        if let retryAfter = answer.retryAfter { fields.append("retry-after", retryAfter) }
        do throws(HTTP2Error) {
            try engine.respond(to: stream, status: answer.status, fields: fields, body: answer.body)
        } catch {
            return false
        }
        lastAnswered = max(lastAnswered, stream)
        world.counters.countAnswer(status: answer.status, reason: answer.reason)
        world.records.setAnswer(
            .response(status: answer.status, reason: answer.reason), of: number)
        return true
    }

    /// Raises the limit of streams once a provider token was good.
    func announceLimit() {
        guard credential.isAuthenticated, announcedLimit != world.streamLimit else { return }
        announce(limit: world.streamLimit)
    }

    /// Announces a limit of streams.
    func announce(limit: Int) {
        announcedLimit = limit
        try? engine.setMaximumConcurrentStreams(limit)  // Out of memory ends the connection elsewhere.
    }
}

extension FieldList {
    /// Adds a value that is known to be printable ASCII and that header compression need not remember: no answer repeats it.
    fileprivate mutating func appendUnique(_ name: StaticString, _ value: String) {
        var value = value
        name.withUTF8Buffer { name in
            value.withUTF8 { value in
                append(
                    checkedName: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(value),
                    isSensitive: true)
            }
        }
    }
}
