package import ReveilleCore
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleTelemetry

/// Sends the tries of one lane to APNs: one set of connections for one environment and one credential.
///
/// Tokens that are not proven have a connection of their own in it: APNs drops a connection on which too many requests fail, and
/// other requests under way with it. Of the two groups only those that have tries are opened.
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
    /// Connections for proven tokens first, then the one for all others.
    let groups: [ConnectionGroup]
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
        groups = [
            ConnectionGroup(.proven, limit: configuration.connections), ConnectionGroup(.unproven, limit: 1),
        ]
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
        for group in groups { pull(group) }
    }

    /// Lets every connection of a group pull if there is something for it, and sees to it that there is one.
    func pull(_ group: ConnectionGroup) {
        guard phase == .active, let source, group.note(hasWork: source.hasTry(of: group.standing)) else { return }
        // By index: ends of tries may change the list meanwhile.
        var index = 0
        while group.hasWork, index < group.connections.count {
            group.connections[index].http?.pull()
            index += 1
        }
        guard group.hasWork else { return }
        if let growthTimer, !growthTimer.isPending { growthTimer.start(after: configuration.growthInterval) }
        openFirst(group)
    }

    // MARK: What connections ask for and tell

    /// Takes the next try for a connection of a group from the lane.
    func nextTry(of group: ConnectionGroup, into buffer: TryBuffer) -> Bool {
        guard phase == .active, let source else { return false }
        return group.note(hasWork: source.nextTry(of: group.standing, into: buffer))
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
        // The proven ones speak for the lane: what waits for them shall wait in the store.
        if groups[0].isWaiting, !groups[0].isReady, !groups[0].isOpening {
            return .backingOff(reason: APNsOutcomes.word(groups[0].lastFailure))
        }
        if groups[0].isBlocked || !groups.contains(where: \.isReady) && groups.contains(where: \.isBlocked) {
            return .blocked(reason: APNsOutcomes.word(.noStreams))
        }
        if groups.contains(where: \.isReady) { return .ready }
        if groups.contains(where: \.isOpening) { return .opening }
        // That the connection for unproven tokens cannot be opened says nothing about the others, if those worked last.
        let mayOpen = groups[0].hasProved && groups[0].failures == 0
        if mayOpen || groups.contains(where: \.isDue) { return .idle }
        guard let waiting = groups.first(where: \.isWaiting) else { return .idle }
        return .backingOff(reason: APNsOutcomes.word(waiting.lastFailure))
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
