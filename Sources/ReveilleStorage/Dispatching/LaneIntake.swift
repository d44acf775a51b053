package import ReveilleCore

/// The dispatcher as the store's writer sees it; called on the writer's thread, never blocking.
package protocol LaneIntake: AnyObject, Sendable {
    /// Asks for room before wakes are inserted; the grant covers at most `count` wakes.
    ///
    /// Returns nil when the lane is absent, paused or full; the wakes are then inserted unleased.
    func reserve(_ lane: LaneKey, upTo count: Int) -> LeaseGrant?
    /// Takes back room that the transaction did not use or that was rolled back.
    func release(_ lane: LaneKey, count: Int)
    /// Hands over wakes leased at insert, after the commit and in commit order.
    func take(_ lane: LaneKey, _ wakes: [LeasedWake])
    /// Tells that unleased wakes are due on the lane at `dueMilliseconds` (wall clock).
    func wakesAreWaiting(_ lane: LaneKey, dueMilliseconds: Int64)
    /// Tells that leased wakes must not be sent any more: cancelled, or their device changed.
    func revoke(_ lane: LaneKey, _ wakes: [WakeRow])
}

/// Room on a lane for wakes that are leased at insert.
package struct LeaseGrant: Hashable, Sendable {
    /// How many wakes it covers.
    package let count: Int
    /// The lease that they get.
    package let lease: Lease

    /// Grants room.
    package init(count: Int, lease: Lease) {
        self.count = count
        self.lease = lease
    }
}

/// A lease on wakes: who holds it and until when.
package struct Lease: Hashable, Sendable {
    /// The mark that every later write must match.
    package let token: Int64
    /// When it runs out, in milliseconds of the clock that counts suspend (CLOCK_BOOTTIME).
    package let untilMilliseconds: Int64

    /// Describes a lease.
    package init(token: Int64, untilMilliseconds: Int64) {
        self.token = token
        self.untilMilliseconds = untilMilliseconds
    }
}

/// A wake in the hands of a lane: all that its frozen request is made of.
package struct LeasedWake: Sendable {
    package let wake: WakeRow
    package let lease: Lease
    package let device: DeviceRow
    /// The newest delivery it stands for; nil for a verification.
    package let delivery: DeliveryRow?
    /// The token frozen in the request, sealed; opened just before it is sent.
    package let sealedToken: [UInt8]
    /// What the provider had said about the token when the wake was leased.
    package let standing: TokenStanding
    package let topic: String
    package let shape: Shape
    package let mode: WakeMode
    package let reason: WakeReason
    package let collapse: CollapseID?
    /// When its life ends, in milliseconds since 1970.
    package let expiresAtMilliseconds: Int64
    /// Tries that ended without settling it.
    package let failures: Int64
    /// The code of a verification.
    package let verificationCode: String?
    /// When it was committed, in milliseconds of the steady clock; for the time from commit to wire.
    ///
    /// The store sets it after the commit.
    package var committedAtMilliseconds: Int64

    /// Gathers a wake.
    package init(
        wake: WakeRow, lease: Lease, device: DeviceRow, delivery: DeliveryRow?,
        sealedToken: [UInt8], standing: TokenStanding, topic: String, shape: Shape, mode: WakeMode, reason: WakeReason,
        collapse: CollapseID?,
        expiresAtMilliseconds: Int64, failures: Int64, verificationCode: String?,
        committedAtMilliseconds: Int64
    ) {
        self.wake = wake
        self.lease = lease
        self.device = device
        self.delivery = delivery
        self.sealedToken = sealedToken
        self.standing = standing
        self.topic = topic
        self.shape = shape
        self.mode = mode
        self.reason = reason
        self.collapse = collapse
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.failures = failures
        self.verificationCode = verificationCode
        self.committedAtMilliseconds = committedAtMilliseconds
    }
}
