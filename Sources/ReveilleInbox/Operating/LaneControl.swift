package import ReveilleCore

/// What an admin may tell the dispatcher, and ask it.
package protocol LaneControl: Sendable {
    /// The settings changed: every paused lane and topic probes at once, and a lane that a provider slowed down tries one wake.
    func settingsChanged() async

    /// How each lane is in this process; one that it does not run is missing.
    func conditions() async -> [LaneKey: LaneCondition]
}

/// For a server without a dispatcher: nothing waits to be probed.
package struct NoLanes: LaneControl {
    /// Nothing to tell.
    package init() {}

    package func settingsChanged() async {}

    package func conditions() async -> [LaneKey: LaneCondition] { [:] }
}
