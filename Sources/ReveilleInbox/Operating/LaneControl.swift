/// What an admin may tell the dispatcher.
package protocol LaneControl: Sendable {
    /// The settings changed: every paused lane and topic probes at once.
    func settingsChanged() async
}

/// For a server without a dispatcher: nothing waits to be probed.
package struct NoLanes: LaneControl {
    /// Nothing to tell.
    package init() {}

    package func settingsChanged() async {}
}
