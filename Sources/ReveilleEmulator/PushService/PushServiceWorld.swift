internal import ReveilleHTTP2
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime

/// Everything that an emulated push service knows.
///
/// Lives on one event loop.
final class PushServiceWorld<Provider: PushServiceProvider> {
    /// What becomes of a request now.
    enum Verdict: Sendable {
        case now(HTTPResponse)
        case later(HTTPResponse, milliseconds: Int)
        case held(OneShot<HTTPResponse>)
        case never
    }

    /// A request whose answer waits for a word.
    private struct Held {
        let number: UInt64
        let target: String?
        let fault: String
        let signal: OneShot<HTTPResponse>
        /// The answer; nil for a request that is judged when it is released.
        let response: HTTPResponse?
        let request: HTTPRequest
    }

    /// How many answers may be held; further ones are given at once.
    private static var maximumHeld: Int { 100_000 }

    let loop: EventLoop
    let clock: any WallClock
    /// What the wire does to bodies.
    private let wire: (@Sendable (_ body: inout [UInt8]) -> Void)?
    private(set) var provider: Provider
    var faults = FaultSet<PushServiceFault>()
    private let tally: Tally
    private var records: RequestHistory<SeenExchange>
    private var held: [Held] = []
    private var lastNumber: UInt64 = 0

    /// The counters and who waits for them; apart, for the provider counts too.
    private final class Tally {
        var counters = PushServiceCounters()
        var waiters = CounterWaiters<PushServiceCounters>()

        func change(_ body: (inout PushServiceCounters) -> Void) {
            body(&counters)
            if !waiters.isEmpty { waiters.changed(to: counters) }
        }
    }

    init(
        _ configuration: PushServiceConfiguration<Provider>, loop: EventLoop, clock: any WallClock,
        random: any RandomSource
    ) {
        self.loop = loop
        self.clock = clock
        wire = configuration.wire
        let tally = Tally()
        self.tally = tally
        records = RequestHistory(maximumRequests: configuration.maximumRecords)
        provider = Provider(
            configuration.settings,
            surroundings: PushServiceSurroundings(clock: clock, random: random, loop: loop) { tally.change($0) })
        for fault in configuration.faults { _ = faults.add(fault) }
    }

    var counters: PushServiceCounters { tally.counters }

    // MARK: Requests

    /// Takes a request; what must wait is answered later by `release`, or by whoever waits.
    func receive(_ request: HTTPRequest) -> (number: UInt64, verdict: Verdict) {
        var request = request
        if let wire {
            var body = request.body
            wire(&body)
            request = request.replacingBody(body)
        }
        let now: WallInstant = clock.now()
        lastNumber += 1
        let number = lastNumber
        let subject = provider.subject(of: request)
        var seen = SeenExchange(
            number: number, receivedAt: now, operation: subject.operation, target: subject.target, request: request)
        let fault = faults.strike { subject.matches($0.match) }
        seen.fault = fault?.id
        records.append(seen)
        tally.change { counters in
            counters.received += 1
            counters.operations[subject.operation, default: 0] += 1
            if fault != nil { counters.struck += 1 }
        }
        guard let fault else { return (number, .now(answered(number, judge(request, number, at: now)))) }
        return (number, strike(fault, request, number, subject.target, at: now))
    }

    private func strike(
        _ fault: PushServiceFault, _ request: HTTPRequest, _ number: UInt64, _ target: String?, at now: WallInstant
    ) -> Verdict {
        func hold(_ response: HTTPResponse?) -> Verdict {
            guard held.count < Self.maximumHeld else { return .never }
            let signal = OneShot<HTTPResponse>()
            held.append(
                Held(
                    number: number, target: target, fault: fault.id, signal: signal, response: response,
                    request: request))
            return .held(signal)
        }
        switch fault.action {
        case .answer(let script):
            let response = prepare(script, request, number, at: now)
            return script.delayMilliseconds > 0
                ? .later(response, milliseconds: script.delayMilliseconds) : .now(answered(number, response))
        case .delay(let milliseconds):
            return .later(judge(request, number, at: now), milliseconds: milliseconds)
        case .hold(let accepted): return hold(accepted ? judge(request, number, at: now) : nil)
        case .holdAnswer(let script): return hold(prepare(script, request, number, at: now))
        case .stall(let accepted):
            if accepted { _ = judge(request, number, at: now) }
            return .never
        case .reset(let code, let accepted):
            return drop(request, number, .resetStream(code), accepted: accepted, at: now)
        case .dropConnection(let manner, let accepted):
            return drop(request, number, .dropConnection(abruptly: manner == .reset), accepted: accepted, at: now)
        case .goAway:
            var response = judge(request, number, at: now)
            response.conclusion = .answerAndClose
            return .now(answered(number, response))
        }
    }

    private func drop(
        _ request: HTTPRequest, _ number: UInt64, _ conclusion: HTTPConclusion, accepted: Bool, at now: WallInstant
    ) -> Verdict {
        if accepted { _ = judge(request, number, at: now) }
        var response = HTTPResponse(status: 500)
        response.conclusion = conclusion
        records.change(number) { $0.answer = .dropped }
        tally.change { $0.dropped += 1 }
        return .now(response)
    }

    private func judge(_ request: HTTPRequest, _ number: UInt64, at now: WallInstant) -> HTTPResponse {
        let judgement = provider.judge(request, at: now)
        records.change(number) { seen in
            seen.isAccepted = judgement.isAccepted
            seen.messageID = judgement.messageID
            seen.brokenRule = judgement.brokenRule
        }
        tally.change { counters in
            if judgement.isAccepted { counters.accepted += 1 }
            if judgement.isGrant { counters.granted += 1 }
            if let rule = judgement.brokenRule { counters.countRefusal(rule) }
        }
        return judgement.response
    }

    /// A scripted success is the service's word that the push was taken.
    private func prepare(
        _ script: PushServiceScript, _ request: HTTPRequest, _ number: UInt64, at now: WallInstant
    ) -> HTTPResponse {
        var response: HTTPResponse
        if let reason = script.reason {
            response =
                provider.response(for: reason, status: script.status) ?? HTTPResponse(status: script.status ?? 500)
        } else {
            response = HTTPResponse(status: script.status ?? 500)
        }
        if (200..<300).contains(response.status) {
            let judged = judge(request, number, at: now)
            if (200..<300).contains(judged.status) {
                response.fields = judged.fields
                response.body = judged.body
            }
        }
        if let retryAfter = script.retryAfter { response.fields.set("retry-after", retryAfter) }
        if let body = script.body { response.body = .bytes(Array(body.utf8)) }
        for (name, value) in script.fields.sorted(by: { $0.key < $1.key }) { response.fields.set(name, value) }
        return response
    }

    /// Notes that a response goes out.
    func answered(_ number: UInt64, _ response: HTTPResponse) -> HTTPResponse {
        records.change(number) { $0.answer = .response(status: response.status) }
        tally.change { $0.countAnswer(status: response.status) }
        return response
    }

    /// Answers held requests, oldest first; returns how many.
    @discardableResult
    func release(limit: Int = .max, target: String? = nil, fault: String? = nil) -> Int {
        var released: [Held] = []
        held.removeAll { entry in
            guard released.count < limit, target == nil || target == entry.target, fault == nil || fault == entry.fault
            else { return false }
            released.append(entry)
            return true
        }
        for entry in released {
            let response = entry.response ?? judge(entry.request, entry.number, at: clock.now())
            entry.signal.fulfil(answered(entry.number, response))
        }
        return released.count
    }

    // MARK: Records

    func exchanges(
        after number: UInt64, limit: Int, where isWanted: (SeenExchange) -> Bool = { _ in true }
    ) -> [SeenExchange] {
        records.requests(after: number, limit: limit, where: isWanted)
    }

    var keptCount: Int { records.count }
    var droppedCount: Int { records.droppedCount }

    /// Forgets history, counters, devices and faults, and answers what is held.
    func reset() {
        release()
        faults.removeAll()
        provider.reset()
        records.removeAll()
        tally.change { counters in
            let inFlight = counters.inFlight
            counters = PushServiceCounters()
            counters.received = inFlight
        }
    }

    func signal(when condition: @escaping @Sendable (PushServiceCounters) -> Bool) -> OneShot<Void> {
        tally.waiters.signal(when: condition, now: tally.counters)
    }

    func forget(_ signal: OneShot<Void>) { tally.waiters.forget(signal) }
}

extension HTTPRequest {
    fileprivate func replacingBody(_ body: [UInt8]) -> HTTPRequest {
        HTTPRequest(
            method: method, target: target, fields: fields, body: body, peer: peer, isSecure: isSecure, version: version
        )
    }
}
