import ReveilleCore
import ReveilleStorage

/// How wakes come to a lane, and how they leave it unsent.
extension LaneMachine {
    /// Wakes leased at insert, in commit order.
    mutating func take(_ wakes: [LeasedWake], at now: LaneTime) {
        for wake in wakes {
            // As fresh as its commit: the mail may have lain while the process was stopped.
            let verifiedAt = min(wake.committedAtMilliseconds, now.steady)
            admit(wake, verifiedAt: verifiedAt, probe: nil, isFresh: true, at: now)
        }
    }

    /// Wakes that must not be sent any more; the store has settled or held them.
    mutating func revoke(_ rows: [WakeRow]) {
        for row in rows {
            if let tag = table.tag(of: row) {
                if let entry = table[tag], entry.stage.isUnsent { forget(tag) }
            } else if self[gate: .lease].isRunning || self[gate: .leaseProbe].isRunning {
                if revokedMeanwhile.count < limits.largestCapacity {
                    revokedMeanwhile.insert(row)
                } else {
                    distrustsAnswer = true
                }
            }
        }
    }

    /// Unleased wakes of the lane are due at a time of the wall clock.
    mutating func noteDue(_ milliseconds: Int64, at now: LaneTime) {
        nextDue = min(nextDue ?? .max, milliseconds)
        // A paused lane that had nothing to probe with may have something now.
        if milliseconds <= now.wall { wakeIdleProbes(at: now) }
    }

    /// Takes a leased wake into a queue, or sends it back at once when it cannot go.
    mutating func admit(
        _ wake: LeasedWake, verifiedAt: Int64, probe: PauseScope?, isFresh: Bool, at now: LaneTime
    ) {
        returning.withdraw(wake.wake)
        if let tag = table.tag(of: wake.wake) {
            table.update(tag) { entry in
                entry.wake = wake
                entry.leaseUntil = wake.lease.untilMilliseconds
                entry.isLeasedAgain = entry.stage == .ended
            }
            return
        }
        let entry = WakeTable.Entry(
            wake: wake, stage: .ready, takenAt: now.steady, leaseUntil: wake.lease.untilMilliseconds,
            verifiedAt: verifiedAt, probe: probe)
        if let reason = reasonToReturn(entry, at: now) {
            returning.add(entry, as: reason)
            return
        }
        if let reason = reasonToMakeRoom(entry, at: now) {
            returning.add(entry, as: reason)
            return
        }
        let tag = table.insert(entry)
        self[queue: probe != nil ? .probes : isFresh ? .fresh : .overdue, wake.standing].append(tag)
    }

    /// Why a wake whose token is not proven goes back although it could be sent: others like it stand still, and room must
    /// stay for those that need not wait for them.
    private mutating func reasonToMakeRoom(_ entry: WakeTable.Entry, at now: LaneTime) -> GiveBackReason? {
        guard entry.wake.standing == .unproven, entry.probe == nil, table.unsentUnproven > 0,
            table.unsentUnproven >= capacity(at: now) / 2, standsStill(.unproven, at: now)
        else { return nil }
        return .notBefore(milliseconds: roundedUp(now.wall + limits.detourMilliseconds))
    }

    /// Whether the first of a queue has waited for longer than the lane is patient.
    private mutating func standsStill(_ standing: TokenStanding, at now: LaneTime) -> Bool {
        for name in QueueName.allCases {
            guard let entry = firstHeld(name, standing) else { continue }
            if now.steady - entry.takenAt > limits.patienceMilliseconds { return true }
        }
        return false
    }

    /// Why a wake cannot be kept for sending, if so.
    func reasonToReturn(_ entry: WakeTable.Entry, at now: LaneTime) -> GiveBackReason? {
        guard phase == .open, !awaitsPlan else { return .waiting }
        if entry.probe != nil { return nil }
        if lanePause != nil { return .laneMisconfigured }
        if !topicPauses.isEmpty, topicPauses[entry.wake.topic] != nil { return .laneMisconfigured }
        if !pacedDevices.isEmpty, let until = pacedDevices[entry.wake.device], until > now.steady {
            return .notBefore(milliseconds: roundedUp(now.wall + until - now.steady))
        }
        switch senderState {
        case .backingOff, .drained: return .waiting
        case .idle, .opening, .ready, .blocked: return isPacedForLong(at: now) ? .waiting : nil
        }
    }

    /// Gives back every wake that was not sent, or those of one topic.
    mutating func returnUnsent(as reason: GiveBackReason, topic: String? = nil, keepingProbes: Bool = false) {
        var leaving: [UInt64] = []
        table.forEach { tag, entry in
            guard entry.stage.isUnsent, topic == nil || entry.wake.topic == topic else { return }
            if keepingProbes, entry.probe != nil { return }
            leaving.append(tag)
        }
        for tag in leaving { sendBack(tag, as: reason) }
    }

    /// Takes a wake out of the lane and onto the list of those that go back.
    mutating func sendBack(_ tag: UInt64, as reason: GiveBackReason) {
        guard let entry = table.remove(tag) else { return }
        endProbe(of: entry)
        returning.add(entry, as: reason)
    }

    /// Takes a wake out of the lane that the store needs no word about.
    mutating func forget(_ tag: UInt64) {
        guard let entry = table.remove(tag) else { return }
        endProbe(of: entry)
    }

    /// Due times are rounded up to a second, so that many wakes go back in one call.
    private func roundedUp(_ milliseconds: Int64) -> Int64 { (milliseconds + 999) / 1_000 * 1_000 }
}

extension WakeTable.Stage {
    /// Whether no byte of the wake has left under its present lease.
    var isUnsent: Bool {
        switch self {
        case .ready, .verifying, .shortOfLease: true
        case .inFlight, .ended: false
        }
    }
}
