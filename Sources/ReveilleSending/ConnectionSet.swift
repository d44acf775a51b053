package import ReveilleCore
package import ReveilleNetwork
package import ReveilleRuntime
package import ReveilleTelemetry

/// Sends the tries of one lane: one set of connections to one origin with one credential, in the form of one provider.
///
/// Where the configuration says so, tokens that are not proven have a connection of their own in it: a provider may drop a connection
/// on which too many requests fail, and other requests under way with it. Of the groups only those that have tries are opened.
///
/// Owned by the lane and confined to its loop. Connections pull tries whenever a stream is free; nothing is queued here. What
/// happens to connections never touches a device: while there is none, tries stay with the lane.
///
/// Set and lane keep each other alive until ``drain(within:)`` has ended, which is therefore always called.
package final class ConnectionSet: WakeSender {
    /// Whether the set works.
    enum Phase {
        case active
        /// No more tries are taken.
        case draining
        case drained
    }

    let configuration: SendingConfiguration
    let form: any ProviderForm
    let traits: ProviderTraits
    let loop: EventLoop
    let random: any RandomSource
    let resolver: any Resolver
    let log: Log
    let metrics: SendingMetrics
    private var source: (any TrySource)?

    private(set) var phase = Phase.active
    /// Connections for proven tokens first, then the one for all others where these travel apart.
    let groups: [ConnectionGroup]
    var growthTimer: LoopTimer?
    var upkeepTimer: LoopTimer?
    var drainTimer: LoopTimer?
    var drainWaiters: [CheckedContinuation<Void, Never>] = []
    private var reportedState = SenderState.idle
    /// What keeps everything from being sent, as the form said last; nil while there is a credential.
    private var missing: CredentialState?
    /// The memory of tries that end unsent.
    private lazy var unsentBuffer = form.makeBuffer()

    /// A set without connections; the first tries open one.
    ///
    /// - Parameters:
    ///   - form: Its own one.
    ///   - source: The lane; it must outlive the set.
    ///   - loop: The lane's loop, whose thread calls everything here.
    ///   - resolver: Asked for the addresses of every new connection.
    package init(
        form: any ProviderForm, configuration: SendingConfiguration, source: any TrySource, loop: EventLoop,
        resolver: any Resolver, log: Log, metrics: SendingMetrics, random: any RandomSource = SystemRandom()
    ) {
        loop.preconditionCurrent()
        self.form = form
        traits = form.traits
        self.configuration = configuration
        self.source = source
        self.loop = loop
        self.resolver = resolver
        self.log = log.scoped(traits.component)
        self.metrics = metrics
        self.random = random
        groups =
            configuration.separatesStandings
            ? [ConnectionGroup(.proven, limit: configuration.connections), ConnectionGroup(.unproven, limit: 1)]
            : [ConnectionGroup(.proven, and: .unproven, limit: configuration.connections)]
        growthTimer = loop.makeTimer { [weak self] in self?.lookForSaturation() }
        upkeepTimer = loop.makeTimer { [weak self] in self?.upkeep() }
        form.start { [weak self] in self?.credentialDidChange() }
    }

    package var requestDeadlineSeconds: Int64 {
        configuration.limits.requestDeadline.components.seconds
    }

    /// Whether the set is being stopped.
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
        guard phase == .active, let source, group.looksForWork(in: source) else { return }
        guard hasCredential() else { return endUnsent(of: group) }
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

    // MARK: The credential

    /// Whether there is a credential; if not, the lane hears what is done about it.
    func hasCredential() -> Bool {
        let state = form.credential()
        switch state {
        case .present:
            guard missing != nil else { return true }
            missing = nil
            report()
            return true
        case .waiting, .failing, .refused:
            missing = state
            report()
            return false
        }
    }

    private func credentialDidChange() {
        guard phase == .active else { return }
        for group in groups { pull(group) }
        if missing != nil, !groups.contains(where: \.hasWork) {
            // Nobody waits any more: there is nothing to be told of.
            missing = nil
            report()
        }
    }

    /// Ends one try with what the form says of the credential, if that is for an operator: the lane then pauses.
    private func endUnsent(of group: ConnectionGroup) {
        guard case .refused(let reason)? = missing, nextTry(of: group, into: unsentBuffer) else { return }
        ended(unsentBuffer.tag, .unsent(.misconfigured(reason: reason, scope: .lane)))
    }

    // MARK: What connections ask for and tell

    /// Whether there is something to send on the connections of a group.
    func hasWork(_ group: ConnectionGroup) -> Bool {
        guard phase == .active, let source else { return false }
        return group.hasWork || group.looksForWork(in: source)
    }

    /// Takes the next try for a connection of a group from the lane.
    func nextTry(of group: ConnectionGroup, into buffer: TryBuffer) -> Bool {
        guard phase == .active, let source else { return false }
        return group.takeTry(from: source, into: buffer)
    }

    /// Ends a try that was accepted.
    func accepted(_ tag: UInt64, status: Int) {
        metrics.accepted.increment()
        source?.tryDidEnd(tag: tag, result: TryResult(outcome: .accepted, status: status))
        if phase == .draining { finishDrainIfDone() }
    }

    /// Ends a try that was not.
    func ended(_ tag: UInt64, _ end: TryEnd) {
        metrics.results[SendingMetrics.Result(end.result.outcome)].increment()
        source?.tryDidEnd(tag: tag, result: end.result)
        if phase == .draining { finishDrainIfDone() }
    }

    // MARK: State

    /// Tells the lane what the set can do, when that changed.
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
        switch missing {
        case .waiting?: return .opening
        case .failing(let reason)?: return .backingOff(reason: reason)
        case .refused?: return .idle
        case .present?, nil: return stateOfConnections
        }
    }

    private var stateOfConnections: SenderState {
        // The proven ones speak for the lane: what waits for them shall wait in the store.
        if groups[0].isWaiting, !groups[0].isReady, !groups[0].isOpening {
            return .backingOff(reason: form.word(for: groups[0].lastFailure))
        }
        if groups[0].isBlocked || !groups.contains(where: \.isReady) && groups.contains(where: \.isBlocked) {
            return .blocked(reason: form.word(for: .noStreams))
        }
        if groups.contains(where: \.isReady) { return .ready }
        if groups.contains(where: \.isOpening) { return .opening }
        // That the connection for unproven tokens cannot be opened says nothing about the others, if those worked last.
        let mayOpen = groups[0].hasProved && groups[0].failures == 0
        if mayOpen || groups.contains(where: \.isDue) { return .idle }
        guard let waiting = groups.first(where: \.isWaiting) else { return .idle }
        return .backingOff(reason: form.word(for: waiting.lastFailure))
    }
}
