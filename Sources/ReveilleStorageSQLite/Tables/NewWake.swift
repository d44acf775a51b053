internal import ReveilleCore
internal import ReveilleStorage

/// A wake that is about to be inserted.
struct NewWake {
    /// Where it starts.
    enum Placement {
        /// In the hands of a lane; the request is frozen from the start.
        case leased(Lease)
        case waiting(dueMilliseconds: Int64)
        case held(HoldReason)
    }

    var row: WakeRow
    var device: DeviceRow
    var lane: Int64
    var topic: Int64
    var shape: Shape
    var mode: WakeMode
    var reason: WakeReason
    /// Whether its notification is visible, whatever the mode on the wire.
    var isVisible: Bool
    var delivery: Int64?
    var collapse: CollapseID?
    var tokenVersion: Int64
    var deviceVersion: Int64
    var placement: Placement
    /// Whether the device's row must be looked at when the wake is accepted.
    var needsAttention: Bool
    var isProbe = false
    var isCombined = false
    var expiresAt: Int64
}

/// A wake as it stands in its table.
struct StoredWake {
    let row: WakeRow
    let device: DeviceRow
    let lane: Int64
    let topic: Int64
    let shape: Shape
    let mode: WakeMode
    let reason: WakeReason
    let isVisible: Bool
    let delivery: Int64?
    let collapse: CollapseID?
    let tokenVersion: Int64
    let deviceVersion: Int64
    let state: WakeState
    let hold: HoldReason?
    let dueAt: Int64
    let leaseToken: Int64?
    let wasLeased: Bool
    let isProbe: Bool
    let isCombined: Bool
    let failures: Int64
    let lastOutcome: StoredOutcome
    let expiresAt: Int64
    let createdAt: Int64
    let settledAt: Int64?
    let successor: WakeRow?

    /// What decides whether it merges with another.
    var mergeKey: MergeRule.Key { MergeRule.Key(mode: mode, collapse: collapse) }
}
