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

    init(topic: String?) {
        self = topic.map { .topic($0) } ?? .lane
    }
}
