/// What is paused until an operator acts.
package enum PauseScope: Hashable, Sendable {
    case lane
    case topic(String)

    /// The topic, nil for the whole lane.
    package var topic: String? {
        switch self {
        case .lane: nil
        case .topic(let topic): topic
        }
    }

    /// Puts the lane first, then topics by name, so that the same run does the same again.
    static func precedes(_ left: PauseScope, _ right: PauseScope) -> Bool { (left.topic ?? "") < (right.topic ?? "") }

    init(topic: String?) {
        self = topic.map { .topic($0) } ?? .lane
    }
}
