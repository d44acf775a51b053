internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What lanes ask without changing anything.
struct LaneReports {
    private let session: ReadSession

    init(_ session: ReadSession) {
        self.session = session
    }

    /// The wakes among `wakes` that must not be sent.
    func unsendable(_ wakes: [GivenBackWake]) throws -> [WakeRow] {
        let clock = session.clock
        let find = try session.statements[
            """
            SELECT w.state, w.lease_token, w.expires_at, w.reason, d.version = w.device_version, d.state, w.is_probe,
              d.push_mode = 2 AND d.gate = 2
            FROM wake w LEFT JOIN device d ON d.id = w.device_id WHERE w.id = ?1
            """]
        return try wakes.filter { given in
            find.bind(1, given.wake.number)
            let mayBeSent = try find.first { row in
                let isVerification = row.integer(3) == WakeReason.verify.storedNumber
                let deviceState = row.optionalInteger(5).flatMap { DeviceState(rawValue: $0) }
                return row.integer(0) == WakeState.leased.rawValue && row.optionalInteger(1) == given.leaseToken
                    && (!clock.mayExpire || row.integer(2) > clock.now) && row.boolean(4)
                    && (isVerification || Self.isOpen(deviceState, isProbe: row.boolean(6)) && row.boolean(7))
            }
            return mayBeSent != true
        }.map(\.wake)
    }

    private static func isOpen(_ state: DeviceState?, isProbe: Bool) -> Bool {
        switch state {
        case .active: true
        case .quarantined: isProbe
        case .pending, .needsRegistration, nil: false
        }
    }

    /// The earliest due time of a waiting wake of a lane.
    func nextDue(_ key: LaneKey, excludingTopics: Set<String>) throws -> Int64? {
        guard let lane = try session.lanes.number(of: key) else { return nil }
        let topics = try TopicFilter(only: nil, excluding: excludingTopics, session.lanes)
        let find = try session.statements[
            """
            SELECT due_at FROM wake INDEXED BY wake_waiting
            WHERE lane_id = ?1 AND state = 0 AND topic_id NOT IN (SELECT value FROM json_each(?2))
            ORDER BY due_at LIMIT 1
            """]
        find.bind(1, lane)
        find.bind(2, topics.excludedJSON)
        return try find.first { $0.integer(0) }
    }

    /// Every lane.
    func lanes() throws -> [LaneStatus] {
        let find = try session.statements["SELECT id, pause_reason FROM lane ORDER BY id"]
        let lanes = try find.map { (number: $0.integer(0), pause: $0.optionalText(1)) }
        let counts = try unsettledByLane()
        return try lanes.map { try status($0.number, pause: $0.pause, counts[$0.number] ?? [:]) }
    }

    private func unsettledByLane() throws -> [Int64: [Int64: Int64]] {
        let find = try session.statements[
            """
            SELECT lane_id, state, count(*) FROM wake INDEXED BY wake_unsettled WHERE state < 3
            GROUP BY lane_id, state
            """]
        var counts: [Int64: [Int64: Int64]] = [:]
        try find.forEach { counts[$0.integer(0), default: [:]][$0.integer(1)] = $0.integer(2) }
        return counts
    }

    private func status(_ number: Int64, pause: String?, _ count: [Int64: Int64]) throws -> LaneStatus {
        let find = try session.statements[
            """
            SELECT topic_id, active + pending + quarantined, quarantined, pause_reason, last_accepted_at,
              last_failure_at, last_failure
            FROM lane_topic WHERE lane_id = ?1
            """]
        find.bind(1, number)
        let topics = try find.map { row in
            (
                topic: row.integer(0), devices: row.integer(1), quarantined: row.integer(2),
                pause: row.optionalText(3), accepted: row.optionalInteger(4), failed: row.optionalInteger(5),
                failure: row.optionalText(6)
            )
        }
        var pauses: [(topic: String?, reason: ProviderReason)] = []
        if let pause { pauses.append((nil, ProviderReason(stored: pause))) }
        for topic in topics {
            guard let reason = topic.pause else { continue }
            pauses.append((try session.lanes.topic(of: topic.topic), ProviderReason(stored: reason)))
        }
        let lastFailed = topics.filter { $0.failed != nil }.max { ($0.failed ?? 0) < ($1.failed ?? 0) }
        return LaneStatus(
            key: try session.lanes.key(of: number), waiting: count[WakeState.waiting.rawValue] ?? 0,
            leased: count[WakeState.leased.rawValue] ?? 0, held: count[WakeState.held.rawValue] ?? 0,
            devices: topics.map(\.devices).reduce(0, +), quarantined: topics.map(\.quarantined).reduce(0, +),
            pauses: pauses, lastAcceptedMilliseconds: topics.compactMap(\.accepted).max(),
            lastFailureMilliseconds: lastFailed?.failed,
            lastFailure: lastFailed?.failure.map { ProviderReason(stored: $0) })
    }
}

extension LaneStatus {
    /// True when a lane must run for it: something is unsettled, or a pause must be probed.
    var needsLane: Bool {
        waiting + leased + held > 0 || !pauses.isEmpty
    }
}
