package import ReveilleCore

/// The outbox as the dispatcher uses it.
///
/// Every method takes batches; every write that belongs to a
/// lease must match its token.
package protocol DispatchingStore: Sendable {
    /// Sets who is told of new, waiting and revoked wakes; once, before the first accept.
    func attach(_ intake: any LaneIntake) async

    /// Leases up to `limit` due wakes of a lane, oldest due first, and freezes their requests.
    ///
    /// A wake whose token was rotated after an earlier lease is closed as superseded and its successor
    /// leased in its place. Expired ones are settled, not leased. `onlyTopic` restricts to one topic;
    /// `excludingTopics` leaves paused topics out.
    func lease(
        _ lane: LaneKey, limit: Int, lease: Lease, onlyTopic: String?, excludingTopics: Set<String>
    ) async throws(StoreError) -> [LeasedWake]

    /// Records how tries ended, by the rules of ``Settlement``, in one transaction.
    func settle(_ lane: LaneKey, _ tries: [EndedTry]) async throws(StoreError) -> [SettledTry]

    /// Prolongs leases; returns the wakes whose lease was lost.
    func renew(
        _ lane: LaneKey, _ wakes: [WakeRow], token: Int64, untilMilliseconds: Int64
    ) async throws(StoreError) -> [WakeRow]

    /// Gives wakes back that were never sent under this lease; they may merge again.
    func giveBack(
        _ lane: LaneKey, _ wakes: [GivenBackWake], as reason: GiveBackReason
    ) async throws(StoreError)

    /// The wakes among `wakes` that must not be sent: cancelled, expired, lease lost, device changed.
    func unsendable(_ lane: LaneKey, _ wakes: [GivenBackWake]) async throws(StoreError) -> [WakeRow]

    /// The earliest due time of a waiting wake, in milliseconds since 1970; nil when none waits.
    func nextDue(
        _ lane: LaneKey, excludingTopics: Set<String>
    ) async throws(StoreError) -> Int64?

    /// Records a pause of a lane, or of one topic, for diagnostics and for the next start.
    func recordPause(_ lane: LaneKey, topic: String?, reason: ProviderReason?)
        async throws(StoreError)

    /// One wake to probe a paused lane or topic with, leased: a held one, else one that waits and is due; nil when there is
    /// neither.
    func leaseLaneProbe(
        _ lane: LaneKey, topic: String?, lease: Lease
    ) async throws(StoreError) -> LeasedWake?

    /// After a pause: releases held wakes; each device with unsynced visible deliveries younger than
    /// their life gets one wake that stands for its held and expired ones. Returns how many were made.
    func catchUp(_ lane: LaneKey, topic: String?) async throws(StoreError) -> Int

    /// Leases the wake of a lane that waits and is due next, whether its time has come or not: for somebody who wants to see at
    /// once whether a lane that its provider slowed down works; nil when none waits.
    func leaseEarliest(_ lane: LaneKey, lease: Lease) async throws(StoreError) -> LeasedWake?

    /// Makes due one probe for each quarantined device of the topic that has none out, at most `limit`.
    func releaseDeviceProbes(
        _ lane: LaneKey, topic: String, limit: Int
    ) async throws(StoreError) -> Int

    /// Turns leases that ran out back into waiting wakes and settles expired ones (not while
    /// `expiryAllowed` is false); returns the lanes that have due wakes.
    func sweep(expiryAllowed: Bool) async throws(StoreError) -> [LaneKey]

    /// Shifts due times and expiries of all unsettled wakes by a jump of the wall clock over 60 s.
    ///
    /// The difference between wall clock and steady clock is kept with the boot; a second process that noticed the same jump
    /// finds nothing left to shift. In another boot, or at first, it is only recorded.
    func replan() async throws(StoreError)

    /// The lanes that have unsettled wakes or a recorded pause, for the start.
    func lanes() async throws(StoreError) -> [LaneStatus]

    /// Every lane that ever had a device, a wake or a pause, for the operator.
    func allLanes() async throws(StoreError) -> [LaneStatus]
}

/// The end of one try, as the lane saw it.
package struct EndedTry: Sendable {
    package let wake: WakeRow
    package let leaseToken: Int64
    package let outcome: Outcome
    /// The provider's HTTP status, 0 when none came.
    package let status: Int
    /// When its request was handed to the connection, in milliseconds since 1970.
    package let startedAtMilliseconds: Int64
    /// When it ended, in milliseconds since 1970.
    package let endedAtMilliseconds: Int64

    /// Describes the end of a try; without a start one that was answered at once.
    package init(
        wake: WakeRow, leaseToken: Int64, outcome: Outcome, status: Int, startedAtMilliseconds: Int64? = nil,
        endedAtMilliseconds: Int64
    ) {
        self.wake = wake
        self.leaseToken = leaseToken
        self.outcome = outcome
        self.status = status
        self.startedAtMilliseconds = startedAtMilliseconds ?? endedAtMilliseconds
        self.endedAtMilliseconds = endedAtMilliseconds
    }
}

/// What recording the end of a try changed.
package struct SettledTry: Sendable {
    package let wake: WakeRow
    package let topic: String
    package let settlement: Settlement
    /// When the wake, or its successor, is due again; nil when it is settled or held.
    package let dueAtMilliseconds: Int64?
    /// How many devices the lane can wake; only where a fault of one subscription must be judged by it.
    package let laneDevices: Int64?

    /// Describes a change.
    package init(
        wake: WakeRow, topic: String, settlement: Settlement, dueAtMilliseconds: Int64?, laneDevices: Int64? = nil
    ) {
        self.wake = wake
        self.topic = topic
        self.settlement = settlement
        self.dueAtMilliseconds = dueAtMilliseconds
        self.laneDevices = laneDevices
    }
}

/// A wake with the lease it is held under.
package struct GivenBackWake: Hashable, Sendable {
    package let wake: WakeRow
    package let leaseToken: Int64

    /// Pairs a wake with its lease.
    package init(wake: WakeRow, leaseToken: Int64) {
        self.wake = wake
        self.leaseToken = leaseToken
    }
}

/// Why a lane gives wakes back unsent.
package enum GiveBackReason: Hashable, Sendable {
    /// It has no room or is stopping; they wait.
    case waiting
    /// The provider slowed their device or the lane down; they wait, due no earlier than `milliseconds` since 1970, and
    /// count as never leased, so that they merge meanwhile.
    case notBefore(milliseconds: Int64)
    /// The lane or topic is misconfigured; they are held.
    case laneMisconfigured
}

/// A lane as the store knows it.
package struct LaneStatus: Sendable {
    package let key: LaneKey
    /// Unsettled wakes by state.
    package let waiting: Int64
    package let leased: Int64
    package let held: Int64
    /// Devices that can be woken over it.
    package let devices: Int64
    package let quarantined: Int64
    /// The pause of the lane and of each paused topic (nil topic: the lane), with the provider's word.
    package let pauses: [(topic: String?, reason: ProviderReason)]
    /// When a wake was last accepted and last refused, in milliseconds since 1970.
    package let lastAcceptedMilliseconds: Int64?
    package let lastFailureMilliseconds: Int64?
    package let lastFailure: ProviderReason?

    /// Gathers a lane's figures.
    package init(
        key: LaneKey, waiting: Int64, leased: Int64, held: Int64, devices: Int64,
        quarantined: Int64,
        pauses: [(topic: String?, reason: ProviderReason)], lastAcceptedMilliseconds: Int64?,
        lastFailureMilliseconds: Int64?, lastFailure: ProviderReason?
    ) {
        self.key = key
        self.waiting = waiting
        self.leased = leased
        self.held = held
        self.devices = devices
        self.quarantined = quarantined
        self.pauses = pauses
        self.lastAcceptedMilliseconds = lastAcceptedMilliseconds
        self.lastFailureMilliseconds = lastFailureMilliseconds
        self.lastFailure = lastFailure
    }
}
