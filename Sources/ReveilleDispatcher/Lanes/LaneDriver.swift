package import ReveilleCore
package import ReveilleRuntime
package import ReveilleStorage
package import ReveilleTelemetry

/// Carries out what a lane's machine decides: takes mail, gives tries to connections, starts calls of the store.
///
/// Confined to the lane's event loop. The machine is never held while the sender or the host is called, so these may call
/// back at once.
package final class LaneDriver: TrySource {
    /// The provider's word for a token that does not open: the wake can never be sent as it is.
    package static let unreadableToken = ProviderReason("UnreadableToken")

    package let key: LaneKey
    private var machine: LaneMachine
    private let mailbox: LaneMailbox
    private let writer: WakeRequestWriter
    private let metrics: LaneMetrics
    private let log: Log
    private var sender: (any WakeSender)?
    /// Set once, before anything else is called.
    package weak var host: (any LaneHost)?
    /// Called when the lane has nothing left that began, once.
    package var whenDrained: (() -> Void)?
    /// Room that a running call of the store may fill.
    private var claimed = 0
    private var storeTrouble: StoreError.Code?
    private var loggedPace = Int64.min
    private var loggedPauseChanges = 0

    /// A lane that holds nothing and has no sender yet.
    ///
    /// - Parameter pauses: what was paused when the process ended.
    package init(
        key: LaneKey, limits: LaneLimits, pauses: [PauseScope: ProviderReason], mailbox: LaneMailbox,
        tokens: any TokenOpening, ids: PublicIDs, collapses: CollapseMaker?, random: any RandomSource,
        metrics: DispatcherMetrics, log: Log,
        at now: LaneTime
    ) {
        self.key = key
        self.mailbox = mailbox
        machine = LaneMachine(limits: limits, random: random, pauses: pauses, at: now)
        writer = WakeRequestWriter(provider: key.provider, tokens: tokens, ids: ids, collapses: collapses)
        self.metrics = LaneMetrics(metrics, lane: LaneLabel(key))
        self.log = log
    }

    /// Gives the lane its sender.
    package func use(_ sender: any WakeSender) {
        self.sender = sender
        machine.requiredLeaseMilliseconds = machine.limits.requiredLeaseMilliseconds(
            requestDeadlineSeconds: sender.requestDeadlineSeconds)
        host?.attendSoon()
    }

    /// Looks after everything that waits: mail, calls of the store, the sender, the next deadline.
    package func attend() {
        guard let host else { return }
        let now = host.time()
        takeMail(at: now)
        if machine.observe(now) { host.clockDidJump() }
        while let command = machine.nextCommand(at: now) { host.perform(command) }
        publish(at: now)
        startLease(at: now)
        if machine.takeSignal(at: now) { sender?.triesAreWaiting() }
        host.attend(at: machine.nextDeadline(at: now))
        report(at: now)
        if machine.phase == .stopping, machine.isDrained, let whenDrained {
            self.whenDrained = nil
            whenDrained()
        }
    }

    private func takeMail(at now: LaneTime) {
        let mail = mailbox.collect()
        if !mail.taken.isEmpty { machine.take(mail.taken, at: now) }
        if !mail.revoked.isEmpty { machine.revoke(mail.revoked) }
        if let due = mail.due { machine.noteDue(due, at: now) }
        if !mail.pauses.isEmpty { machine.adopt(mail.pauses, at: now) }
        if mail.mayHaveStranded { machine.catchUpStranded() }
        if mail.settingsChanged { machine.settingsDidChange(at: now) }
        if mail.wasPlanned { machine.planned() }
        if mail.mustStop, machine.phase == .open { machine.stop() }
    }

    private func publish(at now: LaneTime) {
        mailbox.publish(
            capacity: machine.capacity(at: now), held: machine.table.count + machine.returning.count + claimed,
            token: machine.token)
    }

    private func startLease(at now: LaneTime) {
        let wanted = machine.wantsLease(at: now)
        guard wanted > 0 else { return }
        let room = mailbox.claim(upTo: wanted)
        guard let command = machine.nextLease(at: now, room: room) else { return }
        claimed = room
        host?.perform(command)
    }

    private func report(at now: LaneTime) {
        reportPace(at: now)
        metrics.blocked.set(machine.isBlocked ? 1 : 0)
        metrics.unsent.set(machine.table.unsent)
        metrics.inFlight.set(machine.table.inFlight)
        metrics.unsettled.set(machine.table.ended)
        metrics.returning.set(machine.returning.count)
        guard loggedPauseChanges != machine.pauseChanges else { return }
        loggedPauseChanges = machine.pauseChanges
        let pauses = machine.pausedScopes
        metrics.paused.set(pauses.count)
        if pauses.isEmpty {
            log.notice("lane works again", ["lane": .code(metrics.label)])
        }
        for scope in pauses {
            log.error(
                "paused until an operator acts",
                [
                    "lane": .code(metrics.label), "topic": .configured(scope.topic ?? "all"),
                    // A word of the provider's table, never a text of the provider.
                    "reason": .configured(machine[pause: scope]?.reason.word ?? ""),
                ])
        }
    }

    private func reportPace(at now: LaneTime) {
        metrics.paced.set(machine.isPaced(at: now) ? 1 : 0)
        guard machine.isPacedForLong(at: now), loggedPace != machine.pacedUntil else { return }
        loggedPace = machine.pacedUntil
        log.warning(
            "the provider asks for patience",
            [
                "lane": .code(metrics.label), "seconds": .integer((machine.pacedUntil - now.steady) / 1_000),
                "reason": .configured(machine.lastFailure?.reason.word ?? ""),
            ])
    }

    /// How the lane is.
    package func health() -> LaneHealth? {
        guard let host else { return nil }
        return machine.health(of: key, storeTrouble: storeTrouble, at: host.time())
    }

    // MARK: Answers of the store

    /// A call of the store ended well.
    package func handle(_ reply: LaneReply) {
        guard let host else { return }
        switch reply {
        case .settled(let tries):
            storeTrouble = nil
            for settled in tries { metrics.count(settled.settlement.device) }
        case .leased: claimed = 0
        case .caughtUp(let count): metrics.countCaughtUp(count)
        case .gaveBack, .renewed, .pauseRecorded, .verified, .probeLeased, .probesReleased, .nextDue: break
        }
        machine.handle(reply, at: host.time())
        host.attendSoon()
    }

    /// A call of the store failed.
    package func fail(_ kind: LaneCommand.Kind, _ error: StoreError) {
        guard let host else { return }
        if kind == .lease { claimed = 0 }
        if kind == .settle { storeTrouble = error.code }
        metrics.countFailure(StoreCallLabel(kind))
        if machine[gate: kind].failures == 0 {
            log.warning(
                "the store failed; tried again",
                ["lane": .code(metrics.label), "call": .code(StoreCallLabel(kind)), "error": .code(error.code)])
        }
        machine.fail(kind, error, at: host.time())
        host.attendSoon()
    }

    // MARK: TrySource

    /// Whether a wake of a standing could be pulled now; if not, the sender is told when one can.
    package func hasTry(of standing: TokenStanding) -> Bool {
        guard let host else { return false }
        if machine.offers(standing, at: host.time()) { return true }
        host.attendSoon()
        return false
    }

    /// The next wake of a standing for a free stream, checked the last time before its first byte.
    package func nextTry(of standing: TokenStanding, into buffer: TryBuffer) -> Bool {
        guard let host else { return false }
        let now = host.refreshedTime()
        host.attendSoon()
        while let tag = machine.pull(standing, at: now) {
            guard let entry = machine.table[tag] else { continue }
            let wake = entry.wake
            do {
                try writer.write(wake, into: buffer, now: now.wall)
            } catch {
                tryDidEnd(
                    tag: tag,
                    result: TryResult(outcome: .refused(reason: Self.unreadableToken), status: 0, mayHaveLeft: false))
                continue
            }
            buffer.tag = tag
            buffer.leaseUntilMilliseconds = entry.leaseUntil
            metrics.sent.increment()
            if wake.failures == 0, wake.committedAtMilliseconds > 0, wake.committedAtMilliseconds <= now.steady {
                metrics.commitToWire.observe(Int((now.steady - wake.committedAtMilliseconds) * 1_000_000))
            }
            return true
        }
        return false
    }

    /// Takes the end of a try, to be recorded with those that end meanwhile.
    package func tryDidEnd(tag: UInt64, result: TryResult) {
        guard let host else { return }
        guard machine.tryDidEnd(tag, result, at: host.time()) else { return }
        metrics.count(result.outcome)
        host.attendSoon()
    }

    /// Takes note of what the sender can do.
    package func senderDidChange(_ state: SenderState) {
        machine.senderDidChange(state)
        host?.attendSoon()
    }

    /// Stops pulling and waits for answers in flight.
    package func drainSender(within limit: Duration) async {
        await sender?.drain(within: limit)
    }
}
