import ReveilleCore
import ReveilleStorage

/// What a lane gives to a connection that has a free stream, and what it learns from answers.
extension LaneMachine {
    /// The wake of a standing to send now, after the last check before its first byte; nil when there is none.
    mutating func pull(_ standing: TokenStanding, at now: LaneTime) -> UInt64? {
        guard mayPull(at: now) else {
            hungry[standing.rawValue] = true
            return nil
        }
        for name in QueueName.allCases {
            if let tag = nextSendable(name, standing, at: now) {
                table.update(tag) {
                    $0.stage = .inFlight
                    $0.startedAt = now.steady
                }
                return tag
            }
            // Those behind are younger: they do not overtake.
            if !self[queue: name, standing].isEmpty, name != .probes { break }
        }
        if isStarved(standing) { rate.noteStarved(at: now) }
        hungry[standing.rawValue] = true
        return nil
    }

    /// Whether a pull found nothing because the lane has too little, so that its rate says only the least that it can send.
    ///
    /// Bad tokens may be slow without those that are proven being so; the other way round the proven ones are the measure.
    private func isStarved(_ standing: TokenStanding) -> Bool {
        switch standing {
        case .proven: table.unsent == table.unsentUnproven
        case .unproven: table.unsent == 0
        }
    }

    /// Whether a pull may find anything at all: the store must not fall too far behind what has been sent.
    private func mayPull(at now: LaneTime) -> Bool {
        mayWorkAtAll(at: now) && mayTry(at: now) && table.ended < limits.largestUnsettled
    }

    /// The first wake of a queue that may go; sorts out those before it that may not.
    ///
    /// Stops at a wake that must be looked up first.
    private mutating func nextSendable(_ name: QueueName, _ standing: TokenStanding, at now: LaneTime) -> UInt64? {
        while let tag = self[queue: name, standing].first {
            if let entry = table[tag], entry.stage == .ready {
                if entry.wake.standing != standing {
                    // Leased again meanwhile, after the provider spoke about its token.
                    self[queue: name, entry.wake.standing].append(tag)
                } else if let obstacle = reasonNotToSend(entry, at: now) {
                    putAside(tag, obstacle)
                } else if isStale(entry, at: now) {
                    return nil
                } else {
                    _ = self[queue: name, standing].popFirst()
                    return tag
                }
            }
            _ = self[queue: name, standing].popFirst()
        }
        return nil
    }

    /// Whether the store must be asked again before the wake is sent: another process may have cancelled it.
    func isStale(_ entry: WakeTable.Entry, at now: LaneTime) -> Bool {
        now.steady - entry.verifiedAt > limits.freshMilliseconds
    }

    private enum Obstacle {
        case leaseRanOut
        case leaseTooShort
        case goesBack(GiveBackReason)
    }

    private func reasonNotToSend(_ entry: WakeTable.Entry, at now: LaneTime) -> Obstacle? {
        let left = entry.leaseUntil - now.steady
        if left <= 0 { return .leaseRanOut }
        if let reason = reasonToReturn(entry, at: now) { return .goesBack(reason) }
        if now.wall >= entry.wake.expiresAtMilliseconds, jump.mayExpire(steady: now.steady) {
            return .goesBack(.waiting)
        }
        return left < requiredLeaseMilliseconds ? .leaseTooShort : nil
    }

    private mutating func putAside(_ tag: UInt64, _ obstacle: Obstacle) {
        switch obstacle {
        case .leaseRanOut: forget(tag)
        case .goesBack(let reason): sendBack(tag, as: reason)
        case .leaseTooShort:
            table.move(tag, to: .shortOfLease)
            nextRenewal = .min
        }
    }

    /// Takes the end of a try; false when the tag is not of a wake in flight.
    mutating func tryDidEnd(_ tag: UInt64, _ result: TryResult, at now: LaneTime) -> Bool {
        guard let entry = table[tag], entry.stage == .inFlight else { return false }
        table.move(tag, to: .ended)
        ended.append(
            EndedTry(
                wake: entry.wake.wake, leaseToken: entry.wake.lease.token, outcome: result.outcome,
                status: result.status, startedAtMilliseconds: now.wall - (now.steady - entry.startedAt),
                endedAtMilliseconds: now.wall))
        rate.count(at: now)
        endTrial()
        react(to: result.outcome, of: entry, at: now)
        return true
    }

    /// What must not wait until the store knows: pacing and pauses.
    private mutating func react(to outcome: Outcome, of entry: WakeTable.Entry, at now: LaneTime) {
        switch outcome {
        case .accepted:
            lastAccepted = now.wall
            faultyDevices.removeAll(keepingCapacity: true)
        case .retry(let reason, .lanePaced(let seconds)):
            lastFailure = (now.wall, reason)
            paceLane(seconds: seconds, at: now)
        case .retry(let reason, .devicePaced(let seconds)):
            lastFailure = (now.wall, reason)
            paceDevice(entry.wake.device, seconds: seconds, at: now)
        case .misconfigured(let reason, let scope):
            lastFailure = (now.wall, reason)
            // A probe's failure is counted when it is recorded.
            if entry.probe == nil { pause(for: scope, topic: entry.wake.topic, entry.wake.device, reason, at: now) }
        case .retry(let reason, _), .unknown(let reason), .renewCredential(let reason), .deviceGone(let reason, _),
            .wrongEnvironment(let reason), .refused(let reason):
            lastFailure = (now.wall, reason)
        }
    }

    private mutating func paceLane(seconds: Int64, at now: LaneTime) {
        pacedUntil = max(pacedUntil, now.steady + Self.milliseconds(seconds))
        if pacedUntil - now.steady > limits.patienceMilliseconds { returnUnsent(as: .waiting, keepingProbes: true) }
    }

    /// Somebody wants to know whether the provider still wants patience.
    mutating func tryInSpiteOfPace(at now: LaneTime) {
        guard isPaced(at: now) else { return }
        pacedUntil = now.steady
        isOnTrial = true
        wantsTrialWake = true
        mustAskDue = true
        becomeHungry()
    }

    /// An answer came: a new wish for patience follows from it, or none.
    private mutating func endTrial() {
        guard isOnTrial else { return }
        isOnTrial = false
        wantsTrialWake = false
        becomeHungry()
    }

    mutating func paceDevice(_ device: DeviceRow, seconds: Int64, at now: LaneTime) {
        if pacedDevices.count >= limits.largestPacedDevices {
            pacedDevices = pacedDevices.filter { $0.value > now.steady }
            guard pacedDevices.count < limits.largestPacedDevices else { return }
        }
        pacedDevices[device] = max(pacedDevices[device] ?? .min, now.steady + Self.milliseconds(seconds))
    }

    private static func milliseconds(_ seconds: Int64) -> Int64 {
        min(max(seconds, 0), RetrySchedule.longestFloorSeconds) * 1_000
    }

    /// The sender can take tries, or cannot any more.
    mutating func senderDidChange(_ state: SenderState) {
        senderState = state
        becomeHungry()
        switch state {
        case .backingOff, .drained: returnUnsent(as: .waiting)
        case .idle, .opening, .ready, .blocked: break
        }
    }

    /// Whether the sender must be told that tries wait; asking takes the answer.
    mutating func takeSignal(at now: LaneTime) -> Bool {
        guard canReachProvider else { return false }
        var mustTell = false
        for standing in TokenStanding.allCases where hungry[standing.rawValue] && hasSendable(standing, at: now) {
            hungry[standing.rawValue] = false
            mustTell = true
        }
        return mustTell
    }

    /// Whether something of a standing can be sent; what was asked in vain is told when it can.
    mutating func offers(_ standing: TokenStanding, at now: LaneTime) -> Bool {
        if hasSendable(standing, at: now) { return true }
        hungry[standing.rawValue] = true
        return false
    }

    /// Whether a pull would find something of a standing; a wake that must be looked up first is nothing yet.
    private mutating func hasSendable(_ standing: TokenStanding, at now: LaneTime) -> Bool {
        // What a pull would refuse is nothing: the sender would ask, be refused and be told again, turn after turn.
        guard mayPull(at: now) else { return false }
        for name in QueueName.allCases {
            if name != .probes, lanePause != nil { return false }
            guard let entry = firstHeld(name, standing) else { continue }
            if !isStale(entry, at: now) { return true }
            if name != .probes { return false }
        }
        return false
    }

    /// The first of a queue, after those that left the lane meanwhile.
    mutating func firstHeld(_ name: QueueName, _ standing: TokenStanding) -> WakeTable.Entry? {
        while let tag = self[queue: name, standing].first {
            if let entry = table[tag] { return entry }
            _ = self[queue: name, standing].popFirst()
        }
        return nil
    }
}
