import ReveilleCore
import ReveilleStorage

/// What a lane gives to a connection that has a free stream, and what it learns from answers.
extension LaneMachine {
    /// The wake to send now, after the last check before its first byte; nil when there is none.
    mutating func pull(at now: LaneTime) -> UInt64? {
        guard mayPull(at: now) else {
            isHungry = true
            return nil
        }
        for name in QueueName.allCases {
            if let tag = nextSendable(name, at: now) {
                table.move(tag, to: .inFlight)
                return tag
            }
            // Those behind are younger: they do not overtake.
            if !self[queue: name].isEmpty, name != .probes { break }
        }
        if table.unsent == 0 { rate.noteStarved(at: now) }
        isHungry = true
        return nil
    }

    /// Whether a pull may find anything at all: the store must not fall too far behind what has been sent.
    private func mayPull(at now: LaneTime) -> Bool {
        mayWorkAtAll(at: now) && mayTry(at: now) && table.ended < limits.largestUnsettled
    }

    /// The first wake of a queue that may go; sorts out those before it that may not.
    ///
    /// Stops at a wake that must be looked up first.
    private mutating func nextSendable(_ name: QueueName, at now: LaneTime) -> UInt64? {
        while let tag = self[queue: name].first {
            if let entry = table[tag], entry.stage == .ready {
                if let obstacle = reasonNotToSend(entry, at: now) {
                    putAside(tag, obstacle)
                } else if isStale(entry, at: now) {
                    return nil
                } else {
                    _ = self[queue: name].popFirst()
                    return tag
                }
            }
            _ = self[queue: name].popFirst()
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
                status: result.status, endedAtMilliseconds: now.wall))
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
            topicFaults.removeAll(keepingCapacity: true)
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
        isHungry = true
    }

    /// An answer came: a new wish for patience follows from it, or none.
    private mutating func endTrial() {
        guard isOnTrial else { return }
        isOnTrial = false
        wantsTrialWake = false
        isHungry = true
    }

    private mutating func paceDevice(_ device: DeviceRow, seconds: Int64, at now: LaneTime) {
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
        isHungry = true
        switch state {
        case .backingOff, .drained: returnUnsent(as: .waiting)
        case .idle, .opening, .ready: break
        }
    }

    /// Whether the sender must be told that tries wait; asking takes the answer.
    mutating func takeSignal(at now: LaneTime) -> Bool {
        guard isHungry, hasReason(at: now) else { return false }
        isHungry = false
        return true
    }

    /// Something can be sent, or could be leased if there were a connection.
    private func hasReason(at now: LaneTime) -> Bool {
        // What a pull would refuse is no reason: the sender would ask, be refused and be told again, turn after turn.
        guard mayPull(at: now) else { return false }
        switch senderState {
        case .drained: return false
        case .backingOff: return lanePause == nil && nextDue.map { $0 <= now.wall } ?? false
        case .idle, .opening, .ready:
            return hasSendable(at: now)
        }
    }

    /// Whether a pull would find something; a wake that must be looked up first is nothing yet.
    private func hasSendable(at now: LaneTime) -> Bool {
        for name in QueueName.allCases {
            if name != .probes, lanePause != nil { return false }
            guard let tag = self[queue: name].first else { continue }
            // A wake that left the lane meanwhile is skipped by the pull.
            guard let entry = table[tag] else { return true }
            if !isStale(entry, at: now) { return true }
            if name != .probes { return false }
        }
        return false
    }
}
