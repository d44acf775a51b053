/// What bounds a lane; each number with its reason.
package struct LaneLimits: Hashable, Sendable {
    /// How long a lease lasts.
    package var leaseMilliseconds: Int64 = 60_000
    /// A lease must outlast the request's deadline by this much.
    package var leaseMarginMilliseconds: Int64 = 5_000
    /// Wakes that a lane holds before it knows its rate: one post to a thousand devices.
    package var initialCapacity = 1_024
    /// Wakes that even the slowest lane holds, so that its streams stay full.
    package var smallestCapacity = 64
    /// Wakes that a lane holds while it has no connection: enough to open one and be busy until it knows more.
    package var openingCapacity = 256
    /// Wakes that a lane holds at most, about 40 MB.
    package var largestCapacity = 65_536
    /// A wake that sat in memory for longer is looked up again before it is sent: another process may have cancelled it.
    package var freshMilliseconds: Int64 = 1_000
    /// Ended tries that wait for the store before a lane stops sending.
    package var largestUnsettled = 8_192
    /// Wakes in one call of the store: a transaction that holds the writer for a few milliseconds.
    package var largestBatch = 2_048
    /// Pacing longer than this gives wakes back, so that they merge in the store meanwhile.
    package var patienceMilliseconds: Int64 = 5_000
    /// When wakes of tokens that are not proven fill half of the lane and stand still for longer than that patience, further ones
    /// go back for so long: the half in hand is work for about a quarter of a lease.
    package var detourMilliseconds: Int64 = 10_000
    /// Devices whose pacing a lane remembers; beyond it the retry of their own wake still waits.
    package var largestPacedDevices = 4_096
    /// Quarantined devices probed after one accepted send.
    package var probesAtOnce = 64
    /// Probes of quarantined devices of one topic are made due at most this often.
    package var probeReleaseMilliseconds: Int64 = 10_000
    /// Quarantined devices of another process are looked for this often.
    package var probeSearchMilliseconds: Int64 = 600_000
    /// The longest a lane goes without asking for due wakes, whatever it was told.
    package var longestDueMilliseconds: Int64 = 3_600_000

    /// The usual limits.
    package init() {}

    /// Leases are renewed, and their mark is drawn anew, this often.
    var renewalMilliseconds: Int64 { max(1, leaseMilliseconds / 3) }

    /// What a lease must have left before the first byte of a try.
    ///
    /// Where leases are too short for the rule (a rig that waits for them to run out) three quarters of one must be left, and
    /// renewals alone protect the try.
    func requiredLeaseMilliseconds(requestDeadlineSeconds: Int64) -> Int64 {
        min(requestDeadlineSeconds * 1_000 + leaseMarginMilliseconds, leaseMilliseconds * 3 / 4)
    }
}
