package import ReveilleCore

/// What an admin may tell the dispatcher, and ask it.
package protocol LaneControl: Sendable {
    /// The settings changed: every paused lane and topic probes at once.
    func settingsChanged() async

    /// How each lane is in this process; one that it does not run is missing.
    func conditions() async -> [LaneKey: LaneCondition]
}

/// Whether a lane of this process can send, and what keeps it from it.
package enum LaneCondition: String, CaseIterable, Sendable {
    /// Sends, or would if there were something.
    case working
    /// Connects, or proves its credential.
    case opening
    /// Cannot reach the provider and waits before it tries again.
    case unreachable
    /// The provider asked for patience.
    case paced
    /// An operator must act.
    case paused
    /// The store cannot record what was answered, so nothing is sent.
    case storeTrouble = "store_trouble"
    /// No credential is set up for it.
    case notConfigured = "not_configured"
    case stopping
}

/// For a server without a dispatcher: nothing waits to be probed.
package struct NoLanes: LaneControl {
    /// Nothing to tell.
    package init() {}

    package func settingsChanged() async {}

    package func conditions() async -> [LaneKey: LaneCondition] { [:] }
}
