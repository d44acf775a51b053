import ReveilleCore

/// Which topics have quarantined devices that an accepted send should have probed.
struct QuarantineWatch {
    private struct Topic {
        /// A device was quarantined here since the last probes were made due.
        var hasQuarantined = false
        /// When probes were last made due, on the steady clock.
        var releasedAt: Int64?
    }

    private var topics: [String: Topic] = [:]
    private var due: [String] = []
    private var running: String?

    /// A device of the topic was quarantined.
    mutating func quarantined(_ topic: String) {
        topics[topic, default: Topic()].hasQuarantined = true
    }

    /// A wake of the topic was accepted: the evidence that a probe needs.
    mutating func accepted(_ topic: String, at now: LaneTime, limits: LaneLimits) {
        let known = topics[topic, default: Topic()]
        // Without knowing of any, look now and then: another process may have quarantined some.
        let interval = known.hasQuarantined ? limits.probeReleaseMilliseconds : limits.probeSearchMilliseconds
        if let releasedAt = known.releasedAt, now.steady - releasedAt < interval { return }
        topics[topic] = Topic(hasQuarantined: known.hasQuarantined, releasedAt: now.steady)
        if !due.contains(topic) { due.append(topic) }
    }

    /// The next topic whose probes are to be made due.
    mutating func start() -> String? {
        guard running == nil, !due.isEmpty else { return nil }
        running = due.removeFirst()
        return running
    }

    var isWaiting: Bool { !due.isEmpty }

    /// So many probes were made due; none means that nobody is left to probe.
    mutating func succeed(released: Int) {
        if released == 0, let running { topics[running]?.hasQuarantined = false }
        running = nil
    }

    mutating func fail() {
        if let running, !due.contains(running) { due.append(running) }
        running = nil
    }
}
