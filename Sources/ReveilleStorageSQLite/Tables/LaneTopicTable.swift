internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What is known of one topic on one lane.
struct LaneTopicRow {
    let lane: Int64
    let topic: Int64
    private(set) var lastAcceptedAt: Int64?
    private(set) var lastFailureAt: Int64?
    private(set) var lastFailure: String?
    private(set) var disabledDay: Int64
    private(set) var disabledCount: Int64
    private(set) var wakeable: Int64
    private(set) var isChanged = false

    init(
        lane: Int64, topic: Int64, lastAcceptedAt: Int64? = nil, lastFailureAt: Int64? = nil,
        lastFailure: String? = nil,
        disabledDay: Int64 = 0, disabledCount: Int64 = 0, wakeable: Int64 = 0
    ) {
        self.lane = lane
        self.topic = topic
        self.lastAcceptedAt = lastAcceptedAt
        self.lastFailureAt = lastFailureAt
        self.lastFailure = lastFailure
        self.disabledDay = disabledDay
        self.disabledCount = disabledCount
        self.wakeable = wakeable
    }

    /// What the rules ask; devices that were disabled today still count as the lane's, so that the day's limit stands still.
    func facts(now: Int64) -> LaneFacts {
        let today = disabledDay == Brake.day(ofMilliseconds: now) ? disabledCount : 0
        return LaneFacts(lastAcceptedMilliseconds: lastAcceptedAt, devices: wakeable + today, disabledToday: today)
    }

    mutating func accepted(at milliseconds: Int64) {
        lastAcceptedAt = max(lastAcceptedAt ?? .min, milliseconds)
        isChanged = true
    }

    mutating func failed(at milliseconds: Int64, _ reason: ProviderReason) {
        lastFailureAt = milliseconds
        lastFailure = reason.word
        isChanged = true
    }

    mutating func disabledDevice(at milliseconds: Int64) {
        let day = Brake.day(ofMilliseconds: milliseconds)
        disabledCount = disabledDay == day ? disabledCount + 1 : 1
        disabledDay = day
        wakeable -= 1
        isChanged = true
    }
}

/// The evidence of lanes by topic, for one transaction or read.
struct LaneTopicTable {
    let statements: StatementCache

    /// What is known of a topic on a lane; nothing when it was never used.
    func row(lane: Int64, topic: Int64) throws -> LaneTopicRow {
        let find = try statements[
            """
            SELECT last_accepted_at, last_failure_at, last_failure, disabled_day, disabled_count, wakeable
            FROM lane_topic WHERE lane_id = ?1 AND topic_id = ?2
            """]
        find.bind(1, lane)
        find.bind(2, topic)
        let row = try find.first { row in
            LaneTopicRow(
                lane: lane, topic: topic, lastAcceptedAt: row.optionalInteger(0),
                lastFailureAt: row.optionalInteger(1), lastFailure: row.optionalText(2), disabledDay: row.integer(3),
                disabledCount: row.integer(4), wakeable: row.integer(5))
        }
        return row ?? LaneTopicRow(lane: lane, topic: topic)
    }

    /// How many devices can be woken over a lane, under all of its topics.
    func wakeableDevices(lane: Int64) throws -> Int64 {
        let find = try statements["SELECT coalesce(sum(wakeable), 0) FROM lane_topic WHERE lane_id = ?1"]
        find.bind(1, lane)
        return try find.first { $0.integer(0) } ?? 0
    }

    /// Writes what changed.
    func write(_ row: LaneTopicRow) throws {
        guard row.isChanged else { return }
        let write = try statements[
            """
            INSERT INTO lane_topic (lane_id, topic_id, last_accepted_at, last_failure_at, last_failure, disabled_day,
              disabled_count)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (lane_id, topic_id) DO UPDATE SET last_accepted_at = ?3, last_failure_at = ?4,
              last_failure = ?5, disabled_day = ?6, disabled_count = ?7
            """]
        write.bind(1, row.lane)
        write.bind(2, row.topic)
        write.bind(3, row.lastAcceptedAt)
        write.bind(4, row.lastFailureAt)
        write.bind(5, row.lastFailure)
        write.bind(6, row.disabledDay)
        write.bind(7, row.disabledCount)
        try write.run()
    }
}
