internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What a lane does with the wakes in its hands besides sending them.
struct LaneOperations {
    /// Wakes held at most in one transaction when a lane pauses; a longer queue takes several.
    static let chunk = 2_000

    private let transaction: WriteTransaction
    private let outbox: Outbox

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
    }

    /// Prolongs leases; returns the wakes that are no longer under this lease.
    func renew(_ wakes: [WakeRow], token: Int64, untilMilliseconds: Int64) throws -> [WakeRow] {
        let update = try transaction.statements[
            "UPDATE wake SET lease_until = ?3 WHERE id = ?1 AND state = 1 AND lease_token = ?2"]
        update.bind(2, token)
        update.bind(3, untilMilliseconds)
        return try wakes.filter { wake in
            update.bind(1, wake.number)
            return try update.runCountingChanges() == 0
        }
    }

    /// Gives wakes back that were not sent under their lease.
    ///
    /// One that no earlier lease may have sent counts as never leased again, and may merge.
    func giveBack(_ wakes: [GivenBackWake], as reason: GiveBackReason) throws {
        for given in wakes {
            guard let wake = try outbox.wakes.find(given.wake), wake.state == .leased,
                wake.leaseToken == given.leaseToken
            else { continue }
            let isFresh = wake.failures == 0 && wake.lastOutcome == .none
            try giveBack(wake, as: reason, isFresh: isFresh)
        }
    }

    private func giveBack(_ wake: StoredWake, as reason: GiveBackReason, isFresh: Bool) throws {
        let (state, hold, due): (WakeState, HoldReason?, Int64) =
            switch reason {
            case .waiting: (.waiting, nil, transaction.now)
            case .notBefore(let milliseconds): (.waiting, nil, milliseconds)
            case .laneMisconfigured: (.held, .laneMisconfigured, transaction.now)
            }
        let update = try transaction.statements[
            """
            UPDATE wake SET state = ?2, hold_reason = ?3, due_at = max(?4, created_at), ever_leased = ?5,
              lease_token = NULL, lease_slot = NULL, lease_boot = NULL, lease_until = NULL
            WHERE id = ?1
            """]
        update.bind(1, wake.row.number)
        update.bind(2, state.rawValue)
        update.bind(3, hold?.rawValue)
        update.bind(4, due)
        update.bind(5, !isFresh)
        try update.run()
        if isFresh { transaction.noteUnleasedWake() }
        if state == .waiting { try outbox.tellWaiting(on: wake.lane, dueMilliseconds: due) }
    }

    // MARK: Pauses

    /// Records or ends a pause.
    func recordPause(_ key: LaneKey, topic: String?, reason: ProviderReason?) throws {
        let lane = try transaction.lanes.numberMaking(key)
        defer { transaction.forgetPauses() }
        guard let topic else {
            let update = try transaction.statements[
                """
                UPDATE lane SET pause_reason = ?2,
                  pause_began_at = CASE WHEN ?2 IS NULL THEN NULL ELSE coalesce(pause_began_at, ?3) END
                WHERE id = ?1
                """]
            update.bind(1, lane)
            update.bind(2, reason?.word)
            update.bind(3, transaction.now)
            return try update.run()
        }
        let update = try transaction.statements[
            """
            INSERT INTO lane_topic (lane_id, topic_id, pause_reason, pause_began_at)
            VALUES (?1, ?2, ?3, CASE WHEN ?3 IS NULL THEN NULL ELSE ?4 END)
            ON CONFLICT (lane_id, topic_id) DO UPDATE SET pause_reason = ?3,
              pause_began_at = CASE WHEN ?3 IS NULL THEN NULL ELSE coalesce(pause_began_at, ?4) END
            """]
        update.bind(1, lane)
        update.bind(2, try transaction.lanes.numberMaking(topic: topic))
        update.bind(3, reason?.word)
        update.bind(4, transaction.now)
        try update.run()
    }

    /// Holds waiting wakes of a lane or topic that is paused, so that its catch-up finds them; returns how many at most
    /// ``chunk``.
    func holdWaiting(_ key: LaneKey, topic: String?) throws -> Int {
        guard let lane = try transaction.lanes.number(of: key) else { return 0 }
        let hold = try transaction.statements[
            """
            UPDATE wake SET state = 2, hold_reason = 3, attention = 1 WHERE id IN (
              SELECT id FROM wake INDEXED BY wake_waiting
              WHERE lane_id = ?1 AND state = 0 AND (?2 IS NULL OR topic_id = ?2) AND reason <> 2 LIMIT ?3)
            """]
        hold.bind(1, lane)
        hold.bind(2, try topic.map { try transaction.lanes.number(ofTopic: $0) ?? 0 })
        hold.bind(3, Int64(Self.chunk))
        return try hold.runCountingChanges()
    }

    /// Leases one wake to probe a paused lane or topic with: a held one, else one that waits and is due.
    func leaseProbe(_ key: LaneKey, topic: String?, lease: Lease) throws -> LeasedWake? {
        guard let lane = try transaction.lanes.number(of: key) else { return nil }
        let number = try topic.map { try transaction.lanes.number(ofTopic: $0) ?? 0 }
        return try leaseFirst(of: lane, lease) {
            try heldProbe(lane, number) ?? waiting(lane, number, by: transaction.now)
        }
    }

    /// Leases the waiting wake that is due next, due or not.
    func leaseEarliest(_ key: LaneKey, lease: Lease) throws -> LeasedWake? {
        guard let lane = try transaction.lanes.number(of: key) else { return nil }
        return try leaseFirst(of: lane, lease) { try waiting(lane, nil, by: .max) }
    }

    /// Expired or cancelled ones end on the way; each look finds the next.
    private func leaseFirst(of lane: Int64, _ lease: Lease, _ next: () throws -> StoredWake?) throws -> LeasedWake? {
        let operation = LeaseOperation(transaction, lease: lease)
        for _ in 0..<Self.chunk {
            guard let wake = try next() else { return nil }
            if let leased = try operation.take(wake, on: lane) { return leased }
        }
        return nil
    }

    private func heldProbe(_ lane: Int64, _ topic: Int64?) throws -> StoredWake? {
        let held = try transaction.statements[
            """
            SELECT id FROM wake INDEXED BY wake_stalled
            WHERE lane_id = ?1 AND (?2 IS NULL OR topic_id = ?2) AND hold_reason = 3 AND state = 2
            ORDER BY topic_id, device_id LIMIT 1
            """]
        held.bind(1, lane)
        held.bind(2, topic)
        return try held.first({ WakeRow($0.integer(0)) }).flatMap { try outbox.wakes.find($0) }
    }

    private func waiting(_ lane: Int64, _ topic: Int64?, by time: Int64) throws -> StoredWake? {
        let waiting = try transaction.statements[
            """
            SELECT id FROM wake INDEXED BY wake_waiting
            WHERE lane_id = ?1 AND state = 0 AND due_at <= ?3 AND (?2 IS NULL OR topic_id = ?2) ORDER BY due_at LIMIT 1
            """]
        waiting.bind(1, lane)
        waiting.bind(2, topic)
        waiting.bind(3, time)
        return try waiting.first({ WakeRow($0.integer(0)) }).flatMap { try outbox.wakes.find($0) }
    }
}
