package import ReveilleCore
package import ReveilleStorage

/// How a lane is, for readiness and diagnostics.
package struct LaneHealth: Sendable {
    package let key: LaneKey
    package let state: LaneCondition
    /// The provider's word for a pause or a failed connection.
    package let reason: ProviderReason?
    /// Paused topics with the provider's words.
    package let pausedTopics: [(topic: String, reason: ProviderReason)]
    /// Wakes in the lane's hands.
    package let unsent: Int
    package let inFlight: Int
    package let unsettled: Int
    package let returning: Int
    /// Wakes that it would hold.
    package let capacity: Int
    /// Tries a second that it was seen to end.
    package let ratePerSecond: Double
    /// In milliseconds since 1970.
    package let lastAcceptedMilliseconds: Int64?
    package let lastFailureMilliseconds: Int64?
    package let lastFailure: ProviderReason?
    /// What keeps the store from recording, while it does.
    package let storeTrouble: StoreError.Code?

    /// A lane for which nothing is set up.
    package init(notConfigured key: LaneKey) {
        self.init(key: key, state: .notConfigured)
    }

    init(
        key: LaneKey, state: LaneCondition, reason: ProviderReason? = nil,
        pausedTopics: [(topic: String, reason: ProviderReason)] = [], unsent: Int = 0, inFlight: Int = 0,
        unsettled: Int = 0, returning: Int = 0, capacity: Int = 0, ratePerSecond: Double = 0,
        lastAcceptedMilliseconds: Int64? = nil, lastFailureMilliseconds: Int64? = nil,
        lastFailure: ProviderReason? = nil, storeTrouble: StoreError.Code? = nil
    ) {
        self.key = key
        self.state = state
        self.reason = reason
        self.pausedTopics = pausedTopics
        self.unsent = unsent
        self.inFlight = inFlight
        self.unsettled = unsettled
        self.returning = returning
        self.capacity = capacity
        self.ratePerSecond = ratePerSecond
        self.lastAcceptedMilliseconds = lastAcceptedMilliseconds
        self.lastFailureMilliseconds = lastFailureMilliseconds
        self.lastFailure = lastFailure
        self.storeTrouble = storeTrouble
    }
}

extension LaneMachine {
    /// How the lane is now.
    func health(of key: LaneKey, storeTrouble: StoreError.Code?, at now: LaneTime) -> LaneHealth {
        let (state, reason) = healthState(at: now)
        return LaneHealth(
            key: key, state: state, reason: reason,
            pausedTopics: topicPauses.map { ($0.key, $0.value.reason) }.sorted { $0.topic < $1.topic },
            unsent: table.unsent, inFlight: table.inFlight, unsettled: table.ended, returning: returning.count,
            capacity: capacity(at: now), ratePerSecond: rate.estimate, lastAcceptedMilliseconds: lastAccepted,
            lastFailureMilliseconds: lastFailure?.at, lastFailure: lastFailure?.reason,
            storeTrouble: self[gate: .settle].failures > 0 ? storeTrouble : nil)
    }

    private func healthState(at now: LaneTime) -> (LaneCondition, ProviderReason?) {
        if phase == .stopping { return (.stopping, nil) }
        if let lanePause { return (.paused, lanePause.reason) }
        if self[gate: .settle].failures > 0 { return (.storeTrouble, nil) }
        if isPaced(at: now) { return (.paced, lastFailure?.reason) }
        switch senderState {
        case .idle, .ready: return (.working, nil)
        case .opening: return (.opening, nil)
        case .blocked(let reason): return (.blocked, reason)
        case .backingOff(let reason): return (.unreachable, reason)
        case .drained: return (.stopping, nil)
        }
    }
}
