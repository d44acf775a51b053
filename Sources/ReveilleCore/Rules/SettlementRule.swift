/// The facts of one ended try, and what each outcome means in their light.
struct SettlementRule {
    let wake: WakeFacts
    let device: DeviceFacts
    let lane: LaneFacts
    /// When the try ended, in milliseconds since 1970.
    let now: Int64
    /// A random number in 0..<1.
    let unit: Double

    /// Recorded on any unsettled wake whatever the lease.
    ///
    /// A wake that was settled meanwhile stays as it is, but the provider took it all the same: that is evidence for device
    /// and lane.
    func accepted() -> Settlement {
        let isDevicesOwn = wake.deviceVersionMatches && wake.tokenMatches
        return Settlement(
            wake: wake.state.isUnsettled ? .settle(.accepted) : .none,
            device: isDevicesOwn ? .succeeded(environmentMoved: !wake.sentToDeviceEnvironment) : .none,
            lane: .healthy)
    }

    /// Recorded on any unsettled wake whatever the lease, unless the device is not the one that was asked for any more.
    func gone(_ reason: ProviderReason, since: Int64?) -> Settlement {
        guard wake.state.isUnsettled else { return counted(.none, reason) }
        if !wake.deviceVersionMatches { return counted(.settle(.cancelled), reason) }
        if !wake.tokenMatches { return counted(isInOtherHands ? .none : .supersede, reason) }
        // Nobody has shown that anybody ever received anything there; the row vanishes by itself.
        if device.state == .pending { return limited(counted(.settle(.failed), reason)) }
        if isOlderThanRegistration(since) || isNewcomer { return limited(counted(due(.schedule(seconds: 0)), reason)) }
        var evidence = device.evidence
        evidence.goneDays = DeviceEvidence.adding(Brake.day(ofMilliseconds: now), to: evidence.goneDays)
        switch Brake.judge(lane: lane, evidence: evidence, nowMilliseconds: now) {
        case .disable:
            return Settlement(
                wake: .settle(.failed), device: .disable(reason: reason, evidence: evidence),
                lane: .counted(reason: reason))
        case .quarantine:
            return Settlement(
                wake: .hold(.deviceQuarantined), device: .quarantine(reason: reason, evidence: evidence),
                lane: .counted(reason: reason))
        }
    }

    /// The other environment is tried once when this one never worked; a token that neither takes is gone.
    func wrongEnvironment(_ reason: ProviderReason) -> Settlement {
        let mayBeInOther =
            wake.state.isUnsettled && wake.deviceVersionMatches && wake.tokenMatches
            && wake.sentToDeviceEnvironment && !device.environmentProven && !device.otherEnvironmentTried
        guard mayBeInOther, !isOlderThanRegistration(nil) else { return gone(reason, since: nil) }
        return limited(counted(.supersedeInOtherEnvironment, reason))
    }

    func retry(_ reason: ProviderReason, _ floor: RetryFloor) -> Settlement {
        let change: LaneChange =
            switch floor {
            case .lanePaced(let seconds): .paced(reason: reason, seconds: seconds)
            case .atOnceThenSchedule, .schedule, .devicePaced: .counted(reason: reason)
            }
        return Settlement(wake: due(floor), lane: change)
    }

    func unknown(_ reason: ProviderReason) -> Settlement {
        counted(due(.atOnceThenSchedule), reason)
    }

    /// One new credential, then the operator.
    func renewCredential(_ reason: ProviderReason) -> Settlement {
        guard !wake.renewedCredentialBefore else { return misconfigured(reason, scope: .lane) }
        if isOver(at: now) { return counted(.settle(.expired), reason) }
        return counted(.retry(delayMilliseconds: 0, pace: .atOnceThenSchedule), reason)
    }

    func misconfigured(_ reason: ProviderReason, scope: MisconfigurationScope) -> Settlement {
        let change: WakeChange =
            switch scope {
            case .lane, .topic: .hold(.laneMisconfigured)
            case .subscription: due(.devicePaced(seconds: RetrySchedule.firstStepSeconds))
            }
        return Settlement(wake: change, lane: .misconfigured(reason: reason, scope: scope))
    }

    func refused(_ reason: ProviderReason) -> Settlement {
        var evidence = device.evidence
        evidence.refusedDays = DeviceEvidence.adding(Brake.day(ofMilliseconds: now), to: evidence.refusedDays)
        let isOften = evidence.refusedDays.count >= Brake.daysThatConfirm && device.state != .pending
        return Settlement(
            wake: .settle(.failed),
            device: isOften
                ? .quarantine(reason: reason, evidence: evidence)
                : .noteRefusal(reason: reason, evidence: evidence),
            lane: .counted(reason: reason))
    }

    /// Holds back what only the holder of the lease may write, and what a changed device makes pointless.
    ///
    /// What the try says about the lane stays true in every case.
    func limited(_ settlement: Settlement) -> Settlement {
        guard wake.state.isUnsettled, wake.leaseMatches else {
            return Settlement(wake: .none, lane: settlement.lane)
        }
        if !wake.deviceVersionMatches { return Settlement(wake: .settle(.cancelled), lane: settlement.lane) }
        // A wake whose token was rotated meanwhile is not tried again with the old one.
        if !wake.tokenMatches { return Settlement(wake: .supersede, lane: settlement.lane) }
        return settlement
    }

    /// Not the provider's last word: the app registered the same token after the time that the provider names, or after the
    /// request had left.
    private func isOlderThanRegistration(_ since: Int64?) -> Bool {
        min(since ?? .max, wake.startedAtMilliseconds) < device.registeredAtMilliseconds
    }

    /// Registered so lately that the provider's machines may not all know it.
    private var isNewcomer: Bool {
        now < device.registeredAtMilliseconds + device.newcomerGraceMilliseconds
    }

    /// Leased, but not by the lane whose try ended: the present holder's own end will close it.
    private var isInOtherHands: Bool { wake.state == .leased && !wake.leaseMatches }

    private func counted(_ change: WakeChange, _ reason: ProviderReason) -> Settlement {
        Settlement(wake: change, lane: .counted(reason: reason))
    }

    /// Due again by the schedule; a wake whose life is over by then ends now.
    private func due(_ floor: RetryFloor) -> WakeChange {
        let delay = RetrySchedule.delayMilliseconds(floor: floor, failures: wake.failures + 1, unit: unit)
        return isOver(at: now + delay) ? .settle(.expired) : .retry(delayMilliseconds: delay, pace: floor)
    }

    private func isOver(at milliseconds: Int64) -> Bool {
        wake.mayExpire && milliseconds >= wake.expiresAtMilliseconds
    }
}
