package import ReveilleCore
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleTelemetry

/// Sends the tries of one lane to APNs: one set of connections for one environment and one credential.
///
/// Owned by the lane and confined to its loop. Connections pull tries whenever a stream is free; nothing is queued here. What
/// happens to connections never touches a device: while there is none, tries stay with the lane. All rules are those of
/// Apple's "Sending notification requests to APNs" and of RFC 9113.
///
/// Sender and lane keep each other alive until ``drain(within:)`` has ended, which is therefore always called.
package final class APNsSender: WakeSender {
    /// Whether the sender works.
    enum Phase {
        case active
        /// No more tries are taken.
        case draining
        case drained
    }

    /// Whether, and how, a connection is being opened.
    enum Opening {
        case none
        case lookingUp(NameLookup)
        /// Until the timer ends nothing is opened.
        case waiting(LoopTimer)
    }

    let configuration: APNsSenderConfiguration
    let loop: EventLoop
    let wallClock: any WallClock
    let random: any RandomSource
    let resolver: any Resolver
    let log: Log
    let metrics: APNsMetrics
    private let providerTokens: ProviderTokens
    private var source: (any TrySource)?

    private(set) var phase = Phase.active
    var connections: [APNsConnection] = []
    var opening = Opening.none
    /// Attempts to connect, one after the other, that brought no answer.
    var failures = 0
    /// Why the last of them ended.
    var lastFailure = APNsReason.notConnected
    /// Whether the source had more when it was last asked.
    private(set) var hasWork = false
    /// How many looks in a row found every connection saturated.
    var saturatedLooks = 0
    var growthTimer: LoopTimer?
    var upkeepTimer: LoopTimer?
    var drainTimer: LoopTimer?
    var drainWaiters: [CheckedContinuation<Void, Never>] = []
    private var reportedState = SenderState.idle

    /// A sender without connections; the first tries open one.
    ///
    /// - Parameters:
    ///   - providerTokens: shared by all senders of the same key.
    ///   - source: the lane; it must outlive the sender.
    ///   - loop: the lane's loop, whose thread calls everything here.
    package init(
        configuration: APNsSenderConfiguration, providerTokens: ProviderTokens, source: any TrySource,
        loop: EventLoop, resolver: any Resolver, log: Log, metrics: APNsMetrics,
        wallClock: any WallClock = SystemWallClock(), random: any RandomSource = SystemRandom()
    ) {
        loop.preconditionCurrent()
        self.configuration = configuration
        self.providerTokens = providerTokens
        self.source = source
        self.loop = loop
        self.resolver = resolver
        self.log = log.scoped("apns")
        self.metrics = metrics
        self.wallClock = wallClock
        self.random = random
        growthTimer = loop.makeTimer { [weak self] in self?.lookForSaturation() }
        upkeepTimer = loop.makeTimer { [weak self] in self?.upkeep() }
    }

    package var requestDeadlineSeconds: Int64 {
        configuration.limits.requestDeadline.components.seconds
    }

    /// Whether the sender is being stopped.
    var isDraining: Bool {
        switch phase {
        case .active: false
        case .draining, .drained: true
        }
    }

    package func triesAreWaiting() {
        loop.preconditionCurrent()
        guard phase == .active else { return }
        hasWork = true
        pull()
    }

    /// Lets every connection pull, and sees to it that there is one.
    func pull() {
        guard phase == .active else { return }
        // By index: ends of tries may change the list meanwhile.
        var index = 0
        while hasWork, index < connections.count {
            connections[index].http?.pull()
            index += 1
        }
        guard hasWork else { return }
        if let growthTimer, !growthTimer.isPending { growthTimer.start(after: configuration.growthInterval) }
        openFirst()
    }

    // MARK: What connections ask for and tell

    /// Takes the next try from the lane.
    func nextTry(into buffer: TryBuffer) -> Bool {
        guard phase == .active, let source else { return false }
        hasWork = source.nextTry(into: buffer)
        return hasWork
    }

    /// The provider token to send with now.
    var presentToken: ProviderToken { providerTokens.current() }

    /// Ends a try that was accepted.
    func accepted(_ tag: UInt64) {
        metrics.accepted.increment()
        source?.tryDidEnd(tag: tag, result: TryResult(outcome: .accepted, status: 200))
        if phase == .draining { finishDrainIfDone() }
    }

    /// Ends a try that was not.
    func ended(_ tag: UInt64, _ result: TryResult, _ reason: APNsReason) {
        metrics.results[Self.label(result.outcome)].increment()
        metrics.reasons[reason].increment()
        source?.tryDidEnd(tag: tag, result: result)
        if phase == .draining { finishDrainIfDone() }
    }

    /// Ends a try that is wrong in itself.
    func refuse(_ tag: UInt64, _ fault: APNsRequestFault) {
        log.error("a try was not sent", ["fault": .code(fault)])
        let word = APNsOutcomes.word(fault.reason)
        let outcome: Outcome =
            fault == .topic ? .misconfigured(reason: word, scope: .topic) : .refused(reason: word)
        ended(tag, TryResult(outcome: outcome, status: 0, mayHaveLeft: false), fault.reason)
    }

    /// What an expired provider token means: a new one once, or a clock that an operator must look at.
    func outcome(ofExpired token: ProviderToken?, _ reason: APNsReason) -> Outcome {
        let word = APNsOutcomes.word(reason)
        guard let token, let renewed = providerTokens.renewed(after: token) else {
            log.error("APNs calls a young provider token expired: check the clock")
            return .misconfigured(reason: word, scope: .lane)
        }
        log.notice("renewed the provider token", ["generation": .integer(renewed.generation)])
        return .renewCredential(reason: word)
    }

    // MARK: State

    /// Tells the lane what the sender can do, when that changed.
    func report() {
        let state = presentState
        guard state != reportedState else { return }
        reportedState = state
        source?.senderDidChange(state)
    }

    /// Moves on to the next phase; after the last the lane is let go.
    func enter(_ next: Phase) {
        phase = next
        report()
        if next == .drained { source = nil }
    }

    private var presentState: SenderState {
        switch phase {
        case .drained: return .drained
        case .active, .draining: break
        }
        if connections.contains(where: { $0.isOpen && $0.isProven }) { return .ready }
        switch opening {
        case .lookingUp: return .opening
        case .waiting: return .backingOff(reason: APNsOutcomes.word(lastFailure))
        case .none: return connections.contains(where: \.isOpening) ? .opening : .idle
        }
    }

    private static func label(_ outcome: Outcome) -> APNsMetrics.Result {
        switch outcome {
        case .accepted: .accepted
        case .retry: .retry
        case .unknown: .unknown
        case .renewCredential: .renewCredential
        case .deviceGone: .deviceGone
        case .wrongEnvironment: .wrongEnvironment
        case .misconfigured: .misconfigured
        case .refused: .refused
        }
    }
}
