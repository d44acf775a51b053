import ReveilleCore
import ReveilleRuntime
import ReveilleStorage

/// What a lane does when a call of the store has ended.
extension LaneMachine {
    /// A call succeeded.
    mutating func handle(_ reply: LaneReply, at now: LaneTime) {
        switch reply {
        case .settled(let tries):
            self[gate: .settle].succeed()
            didSettle(tries, at: now)
        case .gaveBack:
            self[gate: .giveBack].succeed()
            returning.succeed()
        case .renewed(let lost):
            self[gate: .renew].succeed()
            didRenew(lost: Set(lost))
        case .pauseRecorded:
            self[gate: .recordPause].succeed()
            recordingPause = nil
        case .verified(let unsendable):
            self[gate: .verify].succeed()
            didVerify(unsendable: Set(unsendable), at: now)
        case .probeLeased(let wake):
            self[gate: .leaseProbe].succeed()
            didLeaseProbe(wake, at: now)
        case .caughtUp:
            self[gate: .catchUp].succeed()
            catchingUp = nil
            mustAskDue = true
        case .probesReleased(let count):
            self[gate: .releaseProbes].succeed()
            quarantine.succeed(released: count)
            if count > 0 { mustAskDue = true }
        case .nextDue(let due):
            self[gate: .nextDue].succeed()
            if let due { noteDue(due, at: now) }
        case .leased(let wakes):
            self[gate: .lease].succeed()
            didLease(wakes, at: now)
        }
    }

    /// A call failed: nothing of it happened, and what it was to do is kept.
    mutating func fail(_ kind: LaneCommand.Kind, _ error: StoreError, at now: LaneTime) {
        self[gate: kind].fail(error, at: now, unit: random.unitInterval())
        switch kind {
        case .settle: settling = 0
        case .giveBack: returning.fail()
        case .renew:
            if let renewing { renewals.append(renewing) }
            renewing = nil
        case .recordPause:
            // A newer word about the same scope stands.
            if let recordingPause, pauseRecords[recordingPause.scope] == nil {
                pauseRecords[recordingPause.scope] = .some(recordingPause.reason)
            }
            recordingPause = nil
        case .verify: requeueVerified(at: now, isVerified: false)
        case .leaseProbe:
            if let scope = probing { self[pause: scope]?.nextProbe = now.steady } else { wantsTrialWake = isOnTrial }
            probing = nil
            forgetRevocations()
        case .catchUp:
            if let catchingUp { catchUps.insert(catchingUp) }
            catchingUp = nil
        case .releaseProbes: quarantine.fail()
        case .nextDue: mustAskDue = true
        case .lease:
            leasing = 0
            forgetRevocations()
            noteDue(now.wall, at: now)
        }
    }

    // MARK: Settled tries

    private mutating func didSettle(_ tries: [SettledTry], at now: LaneTime) {
        let recorded = ended.prefix(settling).map(\.wake)
        ended.removeFirst(settling)
        settling = 0
        for settled in tries { apply(settled, at: now) }
        for row in recorded {
            guard let tag = table.tag(of: row), table[tag]?.stage == .ended else { continue }
            finish(tag, now)
        }
        becomeHungry()
    }

    private mutating func apply(_ settled: SettledTry, at now: LaneTime) {
        if let due = settled.dueAtMilliseconds { noteDue(due, at: now) }
        let entry = table.tag(of: settled.wake).flatMap { table[$0] }
        switch settled.settlement.device {
        case .quarantine: quarantine.quarantined(settled.topic)
        case .none, .succeeded, .disable, .noteRefusal: break
        }
        switch settled.settlement.lane {
        case .healthy: quarantine.accepted(settled.topic, at: now, limits: limits)
        case .misconfigured(let reason, let scope):
            if let entry, entry.probe == nil {
                pause(
                    for: scope, topic: settled.topic, entry.wake.device, reason, laneDevices: settled.laneDevices,
                    at: now)
            }
        case .none, .paced, .counted: break
        }
        if let scope = entry?.probe { probeDidEnd(scope, topic: settled.topic, settled.settlement.lane, at: now) }
        if let tag = table.tag(of: settled.wake), table[tag]?.stage == .ended {
            finish(tag, now, settled.settlement.wake)
        }
    }

    /// The end of a try is recorded: the wake leaves the lane, unless it was leased to it again before that.
    private mutating func finish(_ tag: UInt64, _ now: LaneTime, _ change: WakeChange = .none) {
        guard let entry = table[tag] else { return }
        if entry.isLeasedAgain, change == .none {
            table.remove(tag)
            // Nobody looked at it since it was leased again: it is looked up before it is sent.
            admit(entry.wake, verifiedAt: .min / 2, probe: nil, isFresh: false, at: now)
        } else {
            forget(tag)
        }
    }

    // MARK: Leases

    private mutating func didLease(_ wakes: [LeasedWake], at now: LaneTime) {
        let mayBeMore = wakes.count >= leasing
        leasing = 0
        if mayBeMore { noteDue(now.wall, at: now) } else { mustAskDue = true }
        for wake in wakes {
            // Revoked before or after it was leased here? The store is asked before it is sent.
            let isDoubtful = distrustsAnswer || revokedMeanwhile.contains(wake.wake)
            admit(wake, verifiedAt: isDoubtful ? .min / 2 : leaseStartedAt, probe: nil, isFresh: false, at: now)
        }
        forgetRevocations()
    }

    private mutating func didLeaseProbe(_ wake: LeasedWake?, at now: LaneTime) {
        defer { forgetRevocations() }
        guard let wake else {
            foundNoProbe(at: now)
            return
        }
        guard let scope = probing, self[pause: scope] != nil else {
            // The pause ended meanwhile, or the lane is only slowed down: an ordinary wake.
            probing = nil
            admit(wake, verifiedAt: .min / 2, probe: nil, isFresh: false, at: now)
            return
        }
        let isDoubtful = distrustsAnswer || revokedMeanwhile.contains(wake.wake)
        admit(wake, verifiedAt: isDoubtful ? .min / 2 : probeStartedAt, probe: scope, isFresh: false, at: now)
        if table.tag(of: wake.wake).flatMap({ table[$0]?.probe }) == nil { foundNoProbe(at: now) }
    }

    private mutating func forgetRevocations() {
        guard !self[gate: .lease].isRunning, !self[gate: .leaseProbe].isRunning else { return }
        revokedMeanwhile.removeAll()
        distrustsAnswer = false
    }

    private mutating func didRenew(lost: Set<WakeRow>) {
        guard let batch = renewing else { return }
        renewing = nil
        for tag in batch.tags {
            guard let entry = table[tag] else { continue }
            if lost.contains(entry.wake.wake) {
                if entry.stage.isUnsent { forget(tag) } else { table.update(tag) { $0.leaseUntil = 0 } }
                continue
            }
            guard entry.wake.lease.token == batch.token else { continue }
            table.update(tag) { $0.leaseUntil = max($0.leaseUntil, batch.until) }
            if entry.stage == .shortOfLease {
                table.move(tag, to: .ready)
                self[queue: entry.probe == nil ? .overdue : .probes, entry.wake.standing].prepend(tag)
            }
        }
        becomeHungry()
    }

    // MARK: Looked up again

    private mutating func didVerify(unsendable: Set<WakeRow>, at now: LaneTime) {
        for tag in verifying {
            // Still leased to this lane, perhaps, and held back by another process; the store takes only those.
            if let entry = table[tag], unsendable.contains(entry.wake.wake) { sendBack(tag, as: .waiting) }
        }
        requeueVerified(at: now, isVerified: true)
        becomeHungry()
    }

    private mutating func requeueVerified(at now: LaneTime, isVerified: Bool) {
        for tag in isVerified ? verifying : verifying.reversed() {
            guard let entry = table[tag], entry.stage == .verifying else { continue }
            if let reason = reasonToReturn(entry, at: now) {
                sendBack(tag, as: reason)
                continue
            }
            table.move(tag, to: .ready)
            if isVerified {
                table.update(tag) { $0.verifiedAt = verifyStartedAt }
                self[queue: entry.probe == nil ? .verified : .probes, entry.wake.standing].append(tag)
            } else {
                self[queue: entry.probe == nil ? .overdue : .probes, entry.wake.standing].prepend(tag)
            }
        }
        verifying.removeAll(keepingCapacity: true)
    }
}
