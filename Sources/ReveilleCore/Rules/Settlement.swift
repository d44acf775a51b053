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
    /// It is due again after `delayMilliseconds`.
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
    /// A refusal is noted with its day.
    case noteRefusal(reason: ProviderReason, evidence: DeviceEvidence)
}

/// What happens to the lane.
package enum LaneChange: Hashable, Sendable {
    case none
    /// An accepted send: evidence for the topic, end of a pause.
    case healthy
    /// Nothing on the lane before this many seconds passed.
    case paced(reason: ProviderReason, seconds: Int64)
    /// An operator must act; the lane or topic is paused and probed.
    case misconfigured(reason: ProviderReason, scope: MisconfigurationScope)
    /// A failure is counted.
    case counted(reason: ProviderReason)
}

extension Settlement {
    /// Decides what an outcome changes.
    ///
    /// - Parameters:
    ///   - nowMilliseconds: when the try ended, in milliseconds since 1970; evidence must lie before it.
    ///   - unit: a random number in 0..<1 for the jitter of a retry.
    package static func decide(
        _ outcome: Outcome, wake: WakeFacts, device: DeviceFacts, lane: LaneFacts,
        nowMilliseconds: Int64, unit: Double
    ) -> Settlement {
        let rule = SettlementRule(wake: wake, device: device, lane: lane, now: nowMilliseconds, unit: unit)
        switch outcome {
        case .accepted: return rule.accepted()
        case .deviceGone(let reason, let since): return rule.gone(reason, since: since)
        case .wrongEnvironment(let reason): return rule.wrongEnvironment(reason)
        case .retry(let reason, let floor): return rule.limited(rule.retry(reason, floor))
        case .unknown(let reason): return rule.limited(rule.unknown(reason))
        case .renewCredential(let reason): return rule.limited(rule.renewCredential(reason))
        case .misconfigured(let reason, let scope):
            return rule.limited(rule.misconfigured(reason, scope: scope))
        case .refused(let reason): return rule.limited(rule.refused(reason))
        }
    }
}
