import ReveilleCore

/// A pause of a lane or topic until an operator acts.
struct Pause {
    /// The provider's word.
    var reason: ProviderReason
    /// Probes that failed in a row, the first fault included.
    var failures: Int64
    /// When the next probe is due, on the steady clock; nil while one is out.
    var nextProbe: Int64?
    /// There was no wake to probe with: the next one that comes is the probe.
    var waitsForWake = false
}

/// Wakes of one lease mark whose leases are renewed in one call.
struct RenewalBatch {
    let token: Int64
    var tags: [UInt64] = []
    var until: Int64 = 0
}
