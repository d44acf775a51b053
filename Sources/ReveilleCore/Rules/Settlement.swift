/// What the end of a try changes: a pure rule, applied by the store in one transaction.
package struct Settlement: Hashable, Sendable {
    package var wake: WakeChange
    package var device: DeviceChange
    package var lane: LaneChange

    /// Combines the three changes.
    package init(wake: WakeChange, device: DeviceChange = .none, lane: LaneChange = .none) {
        self.wake = wake
        self.device = device
        self.lane = lane
    }
}

/// What happens to the wake.
package enum WakeChange: Hashable, Sendable {
    /// Nothing: another holder has it, or it is settled.
    case none
    /// It ends.
    case settle(WakeState)
    /// It is due again after `delayMilliseconds`; ends as expired when its life is over by then.
    case retry(delayMilliseconds: Int64, pace: RetryFloor)
    /// It waits for the reason to end.
    case hold(HoldReason)
    /// It is closed, and a wake for the same deliveries with the device's present token takes its place.
    case supersede
    /// It is closed, and a wake for the same deliveries in the other environment takes its place.
    case supersedeInOtherEnvironment
}

/// What happens to the device.
package enum DeviceChange: Hashable, Sendable {
    case none
    /// Success: evidence is forgotten, quarantine ends and held wakes are released; when
    /// `environmentMoved`, the environment that worked is stored.
    case succeeded(environmentMoved: Bool)
    /// Quarantined or kept so; its other wakes are held.
    case quarantine(reason: ProviderReason, evidence: DeviceEvidence)
    /// Disabled; its other wakes are cancelled.
    case disable(reason: ProviderReason, evidence: DeviceEvidence)
    /// A failure is noted, nothing more.
    case noteFailure(reason: ProviderReason)
    /// A refusal is noted with its day.
    case noteRefusal(reason: ProviderReason, evidence: DeviceEvidence)
}

/// What happens to the lane.
package enum LaneChange: Hashable, Sendable {
    case none
    /// An accepted send: evidence for the topic, end of a pause.
    case healthy
    /// Nothing on the lane before this many seconds passed.
    case paced(seconds: Int64)
    /// An operator must act; the lane or topic is paused and probed.
    case misconfigured(reason: ProviderReason, scope: MisconfigurationScope)
    /// A failure is counted.
    case counted(reason: ProviderReason)
}

extension Settlement {
    /// Decides what an outcome changes.
    ///
    /// - Parameter unit: a random number in 0..<1 for the jitter of a retry.
    package static func decide(
        _ outcome: Outcome, wake: WakeFacts, device: DeviceFacts, lane: LaneFacts,
        nowMilliseconds: Int64, unit: Double
    ) -> Settlement {
        guard wake.state.isUnsettled else { return Settlement(wake: .none) }
        switch outcome {
        case .accepted:
            return Settlement(
                wake: .settle(.accepted),
                device: wake.deviceVersionMatches && wake.tokenMatches
                    ? .succeeded(environmentMoved: !wake.sentToDeviceEnvironment) : .none,
                lane: .healthy)
        case .deviceGone(let reason, let since):
            return gone(
                reason, since: since, wake: wake, device: device, lane: lane, now: nowMilliseconds,
                unit: unit)
        case .wrongEnvironment(let reason):
            return wrongEnvironment(
                reason, wake: wake, device: device, lane: lane, now: nowMilliseconds, unit: unit)
        case .retry, .unknown, .renewCredential, .misconfigured, .refused:
            break
        }
        guard wake.leaseMatches else { return Settlement(wake: .none) }
        let settlement = unsettled(
            outcome, wake: wake, device: device, lane: lane, now: nowMilliseconds, unit: unit)
        return closingStaleToken(settlement, wake: wake)
    }

    /// A wake whose token was rotated meanwhile is not tried again with the old one.
    private static func closingStaleToken(_ settlement: Settlement, wake: WakeFacts) -> Settlement {
        guard !wake.tokenMatches else { return settlement }
        var settlement = settlement
        settlement.wake = .supersede
        settlement.device = .none
        return settlement
    }

    private static func unsettled(
        _ outcome: Outcome, wake: WakeFacts, device: DeviceFacts, lane: LaneFacts, now: Int64,
        unit: Double
    ) -> Settlement {
        switch outcome {
        case .retry(let reason, let floor):
            return Settlement(
                wake: retry(floor, wake: wake, now: now, unit: unit),
                device: .noteFailure(reason: reason), lane: pacing(floor, reason: reason))
        case .unknown(let reason):
            return Settlement(
                wake: retry(.atOnceThenSchedule, wake: wake, now: now, unit: unit),
                lane: .counted(reason: reason))
        case .renewCredential(let reason):
            guard !wake.renewedCredentialBefore else {
                return Settlement(
                    wake: .hold(.laneMisconfigured),
                    lane: .misconfigured(reason: reason, scope: .lane))
            }
            return Settlement(
                wake: .retry(delayMilliseconds: 0, pace: .atOnceThenSchedule),
                lane: .counted(reason: reason))
        case .misconfigured(let reason, let scope):
            return Settlement(
                wake: .hold(.laneMisconfigured), lane: .misconfigured(reason: reason, scope: scope))
        case .refused(let reason):
            return refused(reason, device: device, now: now)
        case .accepted, .deviceGone, .wrongEnvironment:
            return Settlement(wake: .none)
        }
    }

    private static func retry(
        _ floor: RetryFloor, wake: WakeFacts, now: Int64, unit: Double
    ) -> WakeChange {
        let delay = RetrySchedule.delayMilliseconds(
            floor: floor, failures: wake.failures + 1, unit: unit)
        if now + delay >= wake.expiresAtMilliseconds { return .settle(.expired) }
        return .retry(delayMilliseconds: delay, pace: floor)
    }

    private static func pacing(_ floor: RetryFloor, reason: ProviderReason) -> LaneChange {
        switch floor {
        case .lanePaced(let seconds): .paced(seconds: seconds)
        case .atOnceThenSchedule, .schedule, .devicePaced: .counted(reason: reason)
        }
    }

    private static func refused(
        _ reason: ProviderReason, device: DeviceFacts, now: Int64
    ) -> Settlement {
        var evidence = device.evidence
        evidence.refusedDays = DeviceEvidence.adding(
            Brake.day(ofMilliseconds: now), to: evidence.refusedDays)
        let change: DeviceChange =
            evidence.refusedDays.count >= Brake.daysThatConfirm
            ? .quarantine(reason: reason, evidence: evidence)
            : .noteRefusal(reason: reason, evidence: evidence)
        return Settlement(
            wake: .settle(.failed), device: change, lane: .counted(reason: reason))
    }

    private static func wrongEnvironment(
        _ reason: ProviderReason, wake: WakeFacts, device: DeviceFacts, lane: LaneFacts, now: Int64,
        unit: Double
    ) -> Settlement {
        guard wake.deviceVersionMatches, wake.tokenMatches else {
            return gone(
                reason, since: nil, wake: wake, device: device, lane: lane, now: now, unit: unit)
        }
        if !device.environmentProven, !device.otherEnvironmentTried, wake.sentToDeviceEnvironment,
            wake.leaseMatches
        {
            return Settlement(
                wake: .supersedeInOtherEnvironment, lane: .counted(reason: reason))
        }
        return gone(
            reason, since: nil, wake: wake, device: device, lane: lane, now: now, unit: unit)
    }

    private static func gone(
        _ reason: ProviderReason, since: Int64?, wake: WakeFacts, device: DeviceFacts,
        lane: LaneFacts, now: Int64, unit: Double
    ) -> Settlement {
        if !wake.deviceVersionMatches { return Settlement(wake: .settle(.cancelled)) }
        if !wake.tokenMatches { return Settlement(wake: .supersede) }
        if let since, since < device.registeredAtMilliseconds {
            guard wake.leaseMatches else { return Settlement(wake: .none) }
            return Settlement(
                wake: retry(.schedule(seconds: 0), wake: wake, now: now, unit: unit),
                lane: .counted(reason: reason))
        }
        var evidence = device.evidence
        evidence.goneDays = DeviceEvidence.adding(
            Brake.day(ofMilliseconds: now), to: evidence.goneDays)
        switch Brake.judge(lane: lane, evidence: evidence, nowMilliseconds: now) {
        case .disable:
            return Settlement(
                wake: .settle(.failed), device: .disable(reason: reason, evidence: evidence),
                lane: .counted(reason: reason))
        case .quarantine:
            return Settlement(
                wake: .hold(.deviceQuarantined),
                device: .quarantine(reason: reason, evidence: evidence),
                lane: .counted(reason: reason))
        }
    }
}
