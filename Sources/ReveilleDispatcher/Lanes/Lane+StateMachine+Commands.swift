import ReveilleCore
import ReveilleStorage

/// What a lane asks of the store, and when it must be looked at again.
extension LaneMachine {
    /// The next call to start, nil when nothing more can start now.
    ///
    /// Leasing is apart (``nextLease(at:room:)``).
    mutating func nextCommand(at now: LaneTime) -> LaneCommand? {
        for kind in LaneCommand.Kind.allCases where self[gate: kind].isOpen(at: now) {
            guard let command = command(kind, at: now) else { continue }
            self[gate: kind].start()
            return command
        }
        return nil
    }

    private mutating func command(_ kind: LaneCommand.Kind, at now: LaneTime) -> LaneCommand? {
        switch kind {
        case .settle: settleCommand()
        case .giveBack:
            returning.start(limit: limits.largestBatch, at: now).map { .giveBack($0.wakes, $0.reason) }
        case .renew: renewCommand(at: now)
        case .recordPause: recordPauseCommand()
        case .verify: verifyCommand(at: now)
        case .leaseProbe: leaseProbeCommand(at: now)
        case .catchUp: catchUpCommand()
        case .releaseProbes:
            phase == .open
                ? quarantine.start().map { .releaseProbes(topic: $0, limit: limits.probesAtOnce) } : nil
        case .nextDue: nextDueCommand()
        case .lease: nil
        }
    }

    private mutating func settleCommand() -> LaneCommand? {
        guard !ended.isEmpty else { return nil }
        settling = min(ended.count, limits.largestBatch)
        return .settle(Array(ended.prefix(settling)))
    }

    private mutating func recordPauseCommand() -> LaneCommand? {
        guard let scope = pauseRecords.keys.min(by: PauseScope.precedes), let reason = pauseRecords[scope] else {
            return nil
        }
        pauseRecords[scope] = nil
        recordingPause = (scope, reason)
        return .recordPause(scope, reason)
    }

    private mutating func catchUpCommand() -> LaneCommand? {
        let recorded = catchUps.filter { pauseRecords[$0] == nil && recordingPause?.scope != $0 }
        guard phase == .open, let scope = recorded.min(by: PauseScope.precedes) else { return nil }
        catchUps.remove(scope)
        catchingUp = scope
        return .catchUp(scope)
    }

    private mutating func leaseProbeCommand(at now: LaneTime) -> LaneCommand? {
        if let command = trialCommand(at: now) { return command }
        guard let scope = scopeToProbe(at: now) else { return nil }
        probing = scope
        probeStartedAt = now.steady
        self[pause: scope]?.nextProbe = nil
        self[pause: scope]?.waitsForWake = false
        return .leaseProbe(scope, newLease(at: now))
    }

    /// Leases the wake that a slowed lane tries with; a paused lane has its own probes.
    private mutating func trialCommand(at now: LaneTime) -> LaneCommand? {
        guard wantsTrialWake, probing == nil, isOpen(at: now), canReachProvider else { return nil }
        wantsTrialWake = false
        probeStartedAt = now.steady
        return .leaseEarliest(newLease(at: now))
    }

    private mutating func nextDueCommand() -> LaneCommand? {
        guard mustAskDue, phase == .open, !awaitsPlan, lanePause == nil else { return nil }
        mustAskDue = false
        return .nextDue(excluding: Set(topicPauses.keys))
    }

    // MARK: Looking wakes up again

    /// Wakes that sat in memory too long, when a connection asks for them.
    private mutating func verifyCommand(at now: LaneTime) -> LaneCommand? {
        guard hungry.contains(true), mayWorkAtAll(at: now), mayTry(at: now) else { return nil }
        // As many as go out while they count as fresh, no more.
        let batch = min(max(Int(rate.estimate) / 2, 256), limits.largestBatch)
        verifying.removeAll(keepingCapacity: true)
        var wakes: [GivenBackWake] = []
        for standing in TokenStanding.allCases where hungry[standing.rawValue] {
            for name in QueueName.allCases where name == .probes || lanePause == nil {
                takeStale(from: name, standing, upTo: batch, into: &wakes, at: now)
            }
        }
        guard !wakes.isEmpty else { return nil }
        verifyStartedAt = now.steady
        return .verify(wakes)
    }

    private mutating func takeStale(
        from name: QueueName, _ standing: TokenStanding, upTo batch: Int, into wakes: inout [GivenBackWake],
        at now: LaneTime
    ) {
        while verifying.count < batch, let tag = self[queue: name, standing].first {
            if let entry = table[tag], entry.stage == .ready {
                guard isStale(entry, at: now) else { return }
                table.move(tag, to: .verifying)
                verifying.append(tag)
                wakes.append(GivenBackWake(wake: entry.wake.wake, leaseToken: entry.wake.lease.token))
            }
            _ = self[queue: name, standing].popFirst()
        }
    }

    // MARK: Leases

    func newLease(at now: LaneTime) -> Lease {
        Lease(token: token, untilMilliseconds: now.steady + limits.leaseMilliseconds)
    }

    /// How many wakes the lane would lease now, given that it has room.
    func wantsLease(at now: LaneTime) -> Int {
        guard self[gate: .lease].isOpen(at: now), let nextDue, nextDue <= now.wall, capacity(at: now) > 0 else {
            return 0
        }
        return limits.largestBatch
    }

    /// The call that leases due wakes for which the lane has room.
    mutating func nextLease(at now: LaneTime, room: Int) -> LaneCommand? {
        let limit = min(room, wantsLease(at: now))
        guard limit > 0 else { return nil }
        self[gate: .lease].start()
        leasing = limit
        leaseStartedAt = now.steady
        // What becomes due while the call runs is noted anew.
        nextDue = nil
        return .lease(limit: limit, newLease(at: now), excluding: Set(topicPauses.keys))
    }

    /// Leases that end too soon are renewed every third of a lease, all of one mark in one call.
    private mutating func renewCommand(at now: LaneTime) -> LaneCommand? {
        if nextRenewal == nil { nextRenewal = now.steady + limits.renewalMilliseconds }
        if renewals.isEmpty, let nextRenewal, nextRenewal <= now.steady { planRenewals(at: now) }
        while var batch = renewals.popLast() {
            batch.tags.removeAll { table[$0] == nil }
            guard !batch.tags.isEmpty else { continue }
            if batch.tags.count > limits.largestBatch {
                var rest = batch
                rest.tags.removeFirst(limits.largestBatch)
                renewals.append(rest)
                batch.tags.removeSubrange(limits.largestBatch...)
            }
            batch.until = now.steady + limits.leaseMilliseconds
            renewing = batch
            return .renew(batch.tags.compactMap { table[$0]?.wake.wake }, token: batch.token, until: batch.until)
        }
        return nil
    }

    private mutating func planRenewals(at now: LaneTime) {
        nextRenewal = now.steady + limits.renewalMilliseconds
        token = Self.drawToken(random)
        // A paused lane renews none: what is in flight ends before its lease does.
        guard lanePause == nil else { return }
        var batches: [Int64: RenewalBatch] = [:]
        var lost: [UInt64] = []
        let enough = limits.leaseMilliseconds * 2 / 3
        table.forEach { tag, entry in
            let left = entry.leaseUntil - now.steady
            if left <= 0 {
                if entry.stage.isUnsent { lost.append(tag) }
            } else if left <= enough || entry.stage == .shortOfLease {
                batches[entry.wake.lease.token, default: RenewalBatch(token: entry.wake.lease.token)].tags.append(tag)
            }
        }
        for tag in lost { forget(tag) }
        renewals = batches.values.sorted { $0.token < $1.token }
    }

    // MARK: Time

    /// When something changes by the passing of time alone, on the steady clock.
    ///
    /// Always later than now: what is due now was started just before, or waits for something other than time.
    func nextDeadline(at now: LaneTime) -> Int64? {
        var deadline = Int64.max
        func consider(_ time: Int64?) {
            if let time, time > now.steady { deadline = min(deadline, time) }
        }
        if table.count > 0 { consider(nextRenewal) }
        for gate in gates { consider(gate.opensAt) }
        consider(pacedUntil)
        if let nextDue {
            let wait = min(max(nextDue, now.wall) - now.wall, limits.longestDueMilliseconds)
            consider(now.steady + wait)
        }
        if let lanePause {
            consider(lanePause.nextProbe)
        } else {
            for pause in topicPauses.values { consider(pause.nextProbe) }
        }
        return deadline == .max ? nil : deadline
    }
}
