internal import ReveilleSQLite

/// Whether a lane, or some of its topics, is paused because an operator must act.
struct LanePauses {
    let wholeLane: Bool
    let topics: Set<Int64>

    /// Whether wakes of a topic must be held.
    func holds(_ topic: Int64) -> Bool {
        wholeLane || topics.contains(topic)
    }

    static func read(_ lane: Int64, _ statements: StatementCache) throws -> LanePauses {
        let whole = try statements["SELECT pause_reason IS NOT NULL FROM lane WHERE id = ?1"]
        whole.bind(1, lane)
        let isPaused = try whole.first { $0.boolean(0) } ?? false
        let paused = try statements["SELECT topic_id FROM lane_topic WHERE lane_id = ?1 AND pause_reason IS NOT NULL"]
        paused.bind(1, lane)
        return LanePauses(wholeLane: isPaused, topics: Set(try paused.map { $0.integer(0) }))
    }
}
