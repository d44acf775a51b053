import ReveilleCore
import ReveilleRuntime
import ReveilleTesting

/// What a provider saw and how it answers, shared by all senders of a test.
final class Provider: Sendable {
    /// Every request, in the order in which it was sent.
    let requests = Probe<[SentRequest]>([])
    /// The answer to a request and the how-manieth it is for its wake; nil withholds it.
    private let answer: Locked<@Sendable (SentRequest, Int) -> Outcome?>

    init(_ answer: @escaping @Sendable (SentRequest, Int) -> Outcome? = { _, _ in .accepted }) {
        self.answer = Locked(answer)
    }

    func answers(_ answer: @escaping @Sendable (SentRequest, Int) -> Outcome?) {
        self.answer.withLock { $0 = answer }
    }

    func take(_ request: SentRequest) -> Outcome? {
        var count = 0
        requests.update { requests in
            requests.append(request)
            count = requests.count { $0.requestID == request.requestID }
        }
        let answer = answer.withLock { $0 }
        return answer(request, count)
    }
}

/// A sender with a few streams on the lane's loop.
final class LoopSender: WakeSender {
    let requestDeadlineSeconds: Int64 = 10
    private let provider: Provider
    private let loop: EventLoop
    private weak let source: (any TrySource)?
    private let streams: Int
    private let buffer = TryBuffer()
    private var withheld: Set<UInt64> = []
    private var open = 0
    private var isDrained = false

    init(provider: Provider, source: any TrySource, loop: EventLoop, streams: Int) {
        self.provider = provider
        self.source = source
        self.loop = loop
        self.streams = streams
        source.senderDidChange(.ready)
    }

    func triesAreWaiting() { pull() }

    private func pull() {
        while !isDrained, open < streams, let source,
            TokenStanding.allCases.contains(where: { source.nextTry(of: $0, into: buffer) })
        {
            open += 1
            let request = SentRequest(buffer)
            guard let outcome = provider.take(request) else {
                withheld.insert(request.tag)
                continue
            }
            loop.schedule(after: .zero) { [self] in end(request.tag, outcome) }
        }
    }

    private func end(_ tag: UInt64, _ outcome: Outcome) {
        open -= 1
        source?.tryDidEnd(tag: tag, result: TryResult(outcome: outcome, status: outcome == .accepted ? 200 : 400))
        pull()
    }

    /// Ends what is withheld as unknown at once: the tests do not wait for limits.
    func drain(within deadline: Duration) async {
        isDrained = true
        for tag in withheld { end(tag, .unknown(reason: ProviderReason("Timeout"))) }
        withheld = []
        source?.senderDidChange(.drained)
    }
}
