import ReveilleCore

/// One point of the cross product of outcomes and facts.
struct Situation {
    static let now: Int64 = 1_767_225_600_000
    static let today = now / 86_400_000
    static let registeredAt = now - 30 * 86_400_000
    static let reason = ProviderReason("SomeReason")
    static let unit = 0.5

    /// What stands for the many lanes there can be.
    enum Lane: CaseIterable {
        /// Accepted a minute ago, brake unused.
        case proven
        /// Accepted a minute ago, brake used up.
        case provenButBraked
        /// Never accepted anything.
        case unproven
        /// Accepted, but more than an hour ago.
        case longAgo
        /// The last accepted send came after this answer.
        case onlyLater

        var facts: LaneFacts {
            switch self {
            case .proven: LaneFacts(lastAcceptedMilliseconds: now - 60_000, devices: 50, disabledToday: 1)
            case .provenButBraked: LaneFacts(lastAcceptedMilliseconds: now - 60_000, devices: 50, disabledToday: 2)
            case .unproven: LaneFacts(lastAcceptedMilliseconds: nil, devices: 50, disabledToday: 0)
            case .longAgo: LaneFacts(lastAcceptedMilliseconds: now - 3_600_001, devices: 50, disabledToday: 0)
            case .onlyLater: LaneFacts(lastAcceptedMilliseconds: now + 1, devices: 50, disabledToday: 0)
            }
        }
    }

    /// Evidence that the device already had.
    enum Evidence: CaseIterable {
        case none
        case goneOnTwoOtherDays
        case refusedOnTwoOtherDays
        case bothToday

        var days: DeviceEvidence {
            switch self {
            case .none: .none
            case .goneOnTwoOtherDays: DeviceEvidence(goneDays: [today - 9, today - 4], refusedDays: [])
            case .refusedOnTwoOtherDays: DeviceEvidence(goneDays: [], refusedDays: [today - 9, today - 4])
            case .bothToday: DeviceEvidence(goneDays: [today - 1, today], refusedDays: [today - 1, today])
            }
        }
    }

    /// How much life the wake has left.
    enum Life: CaseIterable {
        case long
        case over
        case overWithinGrace

        var expiresAt: Int64 { self == .long ? now + 86_400_000 : now }
        var mayExpire: Bool { self != .overWithinGrace }
    }

    static let outcomes: [Outcome] = [
        .accepted,
        .retry(reason: reason, after: .atOnceThenSchedule),
        .retry(reason: reason, after: .schedule(seconds: 900)),
        .retry(reason: reason, after: .devicePaced(seconds: 60)),
        .retry(reason: reason, after: .lanePaced(seconds: 60)),
        .unknown(reason: reason),
        .renewCredential(reason: reason),
        .deviceGone(reason: reason, sinceMilliseconds: nil),
        .deviceGone(reason: reason, sinceMilliseconds: registeredAt - 1),
        .deviceGone(reason: reason, sinceMilliseconds: registeredAt),
        .deviceGone(reason: reason, sinceMilliseconds: registeredAt + 1),
        .wrongEnvironment(reason: reason),
        .misconfigured(reason: reason, scope: .lane),
        .misconfigured(reason: reason, scope: .topic),
        .misconfigured(reason: reason, scope: .subscription),
        .refused(reason: reason),
    ]

    var outcome: Outcome
    var state: WakeState
    var leaseMatches: Bool
    var versionMatches: Bool
    var tokenMatches: Bool
    var sentToOwn: Bool
    var failures: Int64
    var renewedBefore: Bool
    var life: Life
    /// Whether the app registered the same token after the try had begun.
    var registeredSince: Bool
    var proven: Bool
    var otherTried: Bool
    var evidence: Evidence
    var lane: Lane

    var settlement: Settlement {
        Settlement.decide(
            outcome,
            wake: WakeFacts(
                state: state, leaseMatches: leaseMatches, deviceVersionMatches: versionMatches,
                tokenMatches: tokenMatches,
                sentToDeviceEnvironment: sentToOwn,
                startedAtMilliseconds: Self.registeredAt - (registeredSince ? 1 : 0), failures: failures,
                renewedCredentialBefore: renewedBefore,
                isProbe: evidence != .none, expiresAtMilliseconds: life.expiresAt, mayExpire: life.mayExpire),
            device: DeviceFacts(
                state: evidence == .none ? .active : .quarantined, registeredAtMilliseconds: Self.registeredAt,
                environmentProven: proven, otherEnvironmentTried: otherTried, evidence: evidence.days),
            lane: lane.facts, nowMilliseconds: Self.now, unit: Self.unit)
    }

    /// Calls `body` with every situation there is.
    static func forEach(_ outcome: Outcome, _ body: (Situation) -> Void) {
        let truths = [false, true]
        for state in WakeState.allCases {
            for life in Life.allCases {
                for lane in Lane.allCases {
                    for evidence in Evidence.allCases {
                        for failures in [Int64(0), 3] {
                            for bits in 0..<256 {
                                let bit = { (index: Int) in truths[bits >> index & 1] }
                                body(
                                    Situation(
                                        outcome: outcome, state: state, leaseMatches: bit(0), versionMatches: bit(1),
                                        tokenMatches: bit(2),
                                        sentToOwn: bit(3), failures: failures, renewedBefore: bit(4), life: life,
                                        registeredSince: bit(7), proven: bit(5),
                                        otherTried: bit(6), evidence: evidence, lane: lane))
                            }
                        }
                    }
                }
            }
        }
    }
}
