internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTelemetry

/// How a sender is stopped.
extension APNsSender {
    /// Stops pulling, waits for the answers in flight until `deadline`, then ends the rest as unknown.
    ///
    /// Called on the sender's loop, as by an actor that is pinned to it. Further calls wait for the first.
    package func drain(within deadline: Duration) async {
        loop.preconditionCurrent()
        if phase == .active { beginDrain(deadline) }
        guard phase == .draining else { return }
        await withCheckedContinuation { drainWaiters.append($0) }
    }

    private func beginDrain(_ deadline: Duration) {
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
        for group in groups { for connection in group.connections { connection.http?.abort() } }
    }

    private var openStreams: Int {
        groups.reduce(0) { $1.connections.reduce($0) { $0 + $1.openStreams } }
    }

    /// Ends the drain once no try is under way; sockets close by themselves.
    func finishDrainIfDone() {
        guard phase == .draining, openStreams == 0 else { return }
        drainTimer?.cancel()
        enter(.drained)
        let waiters = drainWaiters
        drainWaiters = []
        for waiter in waiters { waiter.resume() }
    }
}
