internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTelemetry

/// How a set is stopped.
extension ConnectionSet {
    /// How long servers may take to close connections that carry nothing any more, before these are broken off.
    private static let closingGrace = Duration.milliseconds(250)

    /// Stops pulling, waits for the answers in flight until `deadline`, then ends the rest as unknown; returns when every
    /// connection is closed.
    ///
    /// Called on the set's loop, as by an actor that is pinned to it. Further calls wait for the first.
    package func drain(within deadline: Duration) async {
        loop.preconditionCurrent()
        if phase == .active { beginDrain(deadline) }
        guard phase == .draining || !isClosed else { return }
        await withCheckedContinuation { drainWaiters.append($0) }
    }

    private func beginDrain(_ deadline: Duration) {
        form.stop()
        enter(.draining)
        growthTimer?.cancel()
        upkeepTimer?.cancel()
        for group in groups {
            if case .waiting(let timer) = group.opening { timer.cancel() }
            group.opening = .none
        }
        drainTimer = loop.schedule(after: deadline) { [weak self] in self?.giveUp() }
        retireConnections()
        finishDrainIfDone()
    }

    private func giveUp() {
        log.notice("answers were not awaited any longer", ["open": .integer(openStreams)])
        breakOff()
    }

    private func breakOff() {
        for group in groups { for connection in group.connections { connection.http?.abort() } }
    }

    private var openStreams: Int {
        groups.reduce(0) { $1.connections.reduce($0) { $0 + $1.openStreams } }
    }

    private var isClosed: Bool { groups.allSatisfy(\.connections.isEmpty) }

    /// Lets the lane go once no try is under way, and ends the drain once every connection is closed.
    func finishDrainIfDone() {
        if phase == .draining, openStreams == 0 {
            drainTimer?.cancel()
            enter(.drained)
            drainTimer = loop.schedule(after: Self.closingGrace) { [weak self] in self?.breakOff() }
        }
        guard phase == .drained, isClosed else { return }
        drainTimer?.cancel()
        let waiters = drainWaiters
        drainWaiters = []
        for waiter in waiters { waiter.resume() }
    }
}
