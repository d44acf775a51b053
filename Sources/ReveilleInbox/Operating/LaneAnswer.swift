package import ReveilleCore
import ReveilleStorage

/// A lane as the operator sees it.
package struct LaneAnswer: Hashable, Sendable {
    /// Whether a lane sends.
    package enum State: String, CaseIterable, Sendable {
        case healthy
        /// Some topics are paused, the lane is not.
        case topicsPaused = "topics_paused"
        /// An operator must act; one wake at a time probes it.
        case paused
    }

    /// A pause of the whole lane (no topic) or of one topic.
    package struct Pause: Hashable, Sendable {
        package let topic: String?
        /// The provider's word, from a closed list.
        package let reason: String
    }

    package let provider: ProviderKind
    /// The environment of APNs, or the origin of a push service; empty where there is only one place.
    package let place: String
    /// Whether a client of the server chose the place: whom users have as push service is nobody's business but the operator's.
    package let isChosenByClient: Bool
    package let credential: String
    package let state: State
    package let pauses: [Pause]
    /// How it is in the process that answers; nil when that does not run it.
    package let condition: LaneCondition?
    package let waiting: Int64
    package let leased: Int64
    package let held: Int64
    package let devices: Int64
    package let quarantined: Int64
    package let lastAcceptedMilliseconds: Int64?
    package let lastFailureMilliseconds: Int64?
    package let lastFailure: String?

    init(_ status: LaneStatus, condition: LaneCondition?) {
        self.condition = condition
        provider = status.key.provider
        place = status.key.destination.place
        switch status.key.provider {
        case .apns, .fcm: isChosenByClient = false
        case .webPush, .unifiedPush: isChosenByClient = true
        }
        credential = status.key.credential
        pauses = status.pauses.map { Pause(topic: $0.topic, reason: $0.reason.word) }
        if status.pauses.contains(where: { $0.topic == nil }) {
            state = .paused
        } else {
            state = status.pauses.isEmpty ? .healthy : .topicsPaused
        }
        waiting = status.waiting
        leased = status.leased
        held = status.held
        devices = status.devices
        quarantined = status.quarantined
        lastAcceptedMilliseconds = status.lastAcceptedMilliseconds
        lastFailureMilliseconds = status.lastFailureMilliseconds
        lastFailure = status.lastFailure?.word
    }
}
