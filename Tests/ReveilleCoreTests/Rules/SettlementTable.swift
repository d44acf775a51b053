import ReveilleCore

/// The table of outcomes, written a second time: for each part of a settlement the first row that applies counts.
///
/// Written as rows with a sentence each, not as code like the rule's, so that a slip in one is not repeated in the other.
enum SettlementTable {
    struct Row<Change>: Sendable {
        let sentence: String
        let applies: @Sendable (Situation) -> Bool
        let change: @Sendable (Situation) -> Change

        init(
            _ sentence: String, _ applies: @escaping @Sendable (Situation) -> Bool,
            _ change: @escaping @Sendable (Situation) -> Change
        ) {
            self.sentence = sentence
            self.applies = applies
            self.change = change
        }
    }

    private static let reason = Situation.reason

    static let wake: [Row<WakeChange>] = [
        Row("what is settled stays settled", { !$0.state.isUnsettled }, { _ in .none }),
        Row("accepted is recorded whatever the lease", { $0.outcome == .accepted }, { _ in .settle(.accepted) }),
        Row("gone of a device that changed hands is no concern of its", { $0.isGone && !$0.versionMatches }) { _ in
            .settle(.cancelled)
        },
        Row("gone of an old token supersedes, unless another lane has the wake", { $0.isGone && !$0.tokenMatches }) {
            $0.state == .leased && !$0.leaseMatches ? .none : .supersede
        },
        Row("gone or elsewhere since before the registration is tried again, by the holder", { $0.isOldGone }) {
            $0.leaseMatches ? $0.again(step: $0.failures + 1, floor: .schedule(seconds: 0)) : .none
        },
        Row("a token that never worked is tried in the other environment, by the holder", { $0.mayMove }) {
            $0.leaseMatches ? .supersedeInOtherEnvironment : .none
        },
        Row("a believed gone fails the wake", { $0.isGone && $0.isBelieved }, { _ in .settle(.failed) }),
        Row("a gone not believed holds the wake", { $0.isGone }, { _ in .hold(.deviceQuarantined) }),
        Row("nothing else is written without the lease", { !$0.leaseMatches }, { _ in .none }),
        Row("a changed device has no use for the wake", { !$0.versionMatches }, { _ in .settle(.cancelled) }),
        Row("a rotated token gets a successor", { !$0.tokenMatches }, { _ in .supersede }),
        Row("the fault of one subscription is tried again, for that device alone", { $0.isFaultOfSubscription }) {
            $0.again(step: $0.failures + 1, floor: .devicePaced(seconds: 60))
        },
        Row("a second refused credential, or a misconfiguration, holds", { $0.isMisconfigured }) { _ in
            .hold(.laneMisconfigured)
        },
        Row("the first refused credential is renewed at once", { $0.isRenewal }) {
            $0.life == .over ? .settle(.expired) : .retry(delayMilliseconds: 0, pace: .atOnceThenSchedule)
        },
        Row("a refusal fails", { $0.outcome == .refused(reason: reason) }, { _ in .settle(.failed) }),
        Row("transport loss is tried at once, once", { $0.floor == .atOnceThenSchedule }) {
            $0.again(step: $0.failures, floor: .atOnceThenSchedule)
        },
        Row("other faults are tried by the schedule", { $0.floor != nil }) {
            $0.again(step: $0.failures + 1, floor: $0.floor ?? .atOnceThenSchedule)
        },
    ]

    static let device: [Row<DeviceChange>] = [
        Row("an accepted send of its present token proves the device", { $0.outcome == .accepted && $0.isOwn }) {
            .succeeded(environmentMoved: !$0.sentToOwn)
        },
        Row("nothing else of a settled wake touches it", { !$0.state.isUnsettled || $0.outcome == .accepted }) { _ in
            .none
        },
        Row("answers about another version or token do not touch it", { !$0.isOwn }, { _ in .none }),
        Row("an old gone, or a move, does not touch it", { $0.isOldGone || $0.mayMove }, { _ in .none }),
        Row("a believed gone disables it", { $0.isGone && $0.isBelieved }) {
            .disable(reason: reason, evidence: $0.evidenceWithGone)
        },
        Row("a gone not believed quarantines it", { $0.isGone }) {
            .quarantine(reason: reason, evidence: $0.evidenceWithGone)
        },
        Row("nothing else is written without the lease", { !$0.leaseMatches }, { _ in .none }),
        Row("the third day of refusals quarantines it", { $0.isRefused && $0.evidence != .none && $0.refusedDays == 3 })
        {
            .quarantine(reason: reason, evidence: $0.evidenceWithRefusal)
        },
        Row("an earlier refusal is noted with its day", { $0.isRefused }) {
            .noteRefusal(reason: reason, evidence: $0.evidenceWithRefusal)
        },
        Row("loss, patience, credentials and misconfiguration never touch it", { _ in true }, { _ in .none }),
    ]

    static let lane: [Row<LaneChange>] = [
        Row("an accepted send is evidence", { $0.outcome == .accepted }, { _ in .healthy }),
        Row("a misconfiguration pauses what it names", { $0.isMisconfigured }) {
            switch $0.outcome {
            case .misconfigured(let reason, let scope): .misconfigured(reason: reason, scope: scope)
            default: .misconfigured(reason: reason, scope: .lane)
            }
        },
        Row(
            "throttling of the lane slows it down", { $0.floor == .lanePaced(seconds: 60) },
            { _ in .paced(reason: reason, seconds: 60) }),
        Row("everything else is counted", { _ in true }, { _ in .counted(reason: reason) }),
    ]
}

extension Situation {
    var isOwn: Bool { versionMatches && tokenMatches }
    var isRefused: Bool { outcome == .refused(reason: Self.reason) }
    var isRenewal: Bool { outcome == .renewCredential(reason: Self.reason) }

    var isRetry: Bool {
        if case .retry = outcome { return true }
        return false
    }

    /// A "gone", or a "wrong environment" that is not the first word about this token.
    var isGone: Bool {
        switch outcome {
        case .deviceGone: true
        case .wrongEnvironment: !mayMove
        case .accepted, .retry, .unknown, .renewCredential, .misconfigured, .refused: false
        }
    }

    /// What speaks against the token, but is older than the registration by the provider's word or because the request was.
    var isOldGone: Bool {
        switch outcome {
        case .deviceGone(_, let since): isOwn && (registeredSince || since.map { $0 < Self.registeredAt } ?? false)
        case .wrongEnvironment: isOwn && registeredSince
        case .accepted, .retry, .unknown, .renewCredential, .misconfigured, .refused: false
        }
    }

    var mayMove: Bool {
        guard case .wrongEnvironment = outcome else { return false }
        return isOwn && state.isUnsettled && !proven && !otherTried && sentToOwn && !registeredSince
    }

    var isFaultOfSubscription: Bool { outcome == .misconfigured(reason: Self.reason, scope: .subscription) }

    var isMisconfigured: Bool {
        switch outcome {
        case .misconfigured: true
        case .renewCredential: renewedBefore
        case .accepted, .retry, .unknown, .deviceGone, .wrongEnvironment, .refused: false
        }
    }

    var isBelieved: Bool {
        switch lane {
        case .proven: true
        case .provenButBraked: false
        case .unproven, .longAgo, .onlyLater: evidence == .goneOnTwoOtherDays
        }
    }

    var floor: RetryFloor? {
        switch outcome {
        case .retry(_, let floor): floor
        case .unknown: .atOnceThenSchedule
        case .accepted, .renewCredential, .deviceGone, .wrongEnvironment, .misconfigured, .refused: nil
        }
    }

    /// The present day beside those there were.
    var evidenceWithGone: DeviceEvidence {
        switch evidence {
        case .none: DeviceEvidence(goneDays: [Self.today], refusedDays: [])
        case .goneOnTwoOtherDays:
            DeviceEvidence(goneDays: [Self.today - 9, Self.today - 4, Self.today], refusedDays: [])
        case .refusedOnTwoOtherDays:
            DeviceEvidence(goneDays: [Self.today], refusedDays: [Self.today - 9, Self.today - 4])
        case .bothToday: evidence.days
        }
    }

    var evidenceWithRefusal: DeviceEvidence {
        switch evidence {
        case .none: DeviceEvidence(goneDays: [], refusedDays: [Self.today])
        case .goneOnTwoOtherDays:
            DeviceEvidence(goneDays: [Self.today - 9, Self.today - 4], refusedDays: [Self.today])
        case .refusedOnTwoOtherDays:
            DeviceEvidence(goneDays: [], refusedDays: [Self.today - 9, Self.today - 4, Self.today])
        case .bothToday: evidence.days
        }
    }

    var refusedDays: Int { evidenceWithRefusal.refusedDays.count }

    /// Due again after half of a step (the random number is a half), or after the floor with half its spread.
    func again(step: Int64, floor: RetryFloor) -> WakeChange {
        let seconds: Int64 =
            switch floor {
            case .atOnceThenSchedule: 0
            case .schedule(let seconds), .devicePaced(let seconds), .lanePaced(let seconds): seconds
            }
        let minutes: [Int64: Int64] = [0: 0, 1: 1, 2: 2, 3: 4, 4: 8]
        let delay = max((minutes[step] ?? -1) * 30_000, seconds * 1_125)
        return life == .over ? .settle(.expired) : .retry(delayMilliseconds: delay, pace: floor)
    }
}
