internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// The rows of the outbox, for one transaction or read.
struct WakeTable {
    let statements: StatementCache

    /// The columns of ``StoredWake`` in the order that ``read(_:)`` takes them.
    static func read(_ row: SQLiteRow, from first: Int32 = 0) throws -> StoredWake {
        guard let state = WakeState(rawValue: row.integer(first + 12)),
            let lastOutcome = StoredOutcome(rawValue: row.integer(first + 20))
        else { throw StoreError(.corrupt) }
        return StoredWake(
            row: WakeRow(row.integer(first)), device: DeviceRow(row.integer(first + 1)),
            lane: row.integer(first + 2), topic: row.integer(first + 3), shape: try .stored(row.integer(first + 4)),
            mode: try .stored(row.integer(first + 5)), reason: try .stored(row.integer(first + 6)),
            isVisible: row.boolean(first + 7), delivery: row.optionalInteger(first + 8),
            collapse: row.optionalText(first + 9).flatMap { CollapseID(stored: $0) },
            tokenVersion: row.integer(first + 10), deviceVersion: row.integer(first + 11), state: state,
            hold: row.optionalInteger(first + 13).flatMap { HoldReason(rawValue: $0) },
            dueAt: row.integer(first + 14), leaseToken: row.optionalInteger(first + 15),
            wasLeased: row.boolean(first + 16), isProbe: row.boolean(first + 17),
            isCombined: row.boolean(first + 18), failures: row.integer(first + 19), lastOutcome: lastOutcome,
            expiresAt: row.integer(first + 21), createdAt: row.integer(first + 22),
            settledAt: row.optionalInteger(first + 23), successor: row.optionalInteger(first + 24).map { WakeRow($0) })
    }

    /// One wake, by its row.
    func find(_ row: WakeRow) throws -> StoredWake? {
        let find = try statements[
            """
            SELECT id, device_id, lane_id, topic_id, shape, mode, reason, visible, delivery_id, collapse, token_version,
              device_version, state, hold_reason, due_at, lease_token, ever_leased, is_probe, is_combined, failures,
              last_outcome, expires_at, created_at, settled_at, successor_id
            FROM wake WHERE id = ?1
            """]
        find.bind(1, row.number)
        return try find.first { try Self.read($0) }
    }

    /// The wakes of a device that are not settled, oldest first.
    func unsettled(of device: DeviceRow) throws -> [StoredWake] {
        let find = try statements[
            """
            SELECT id, device_id, lane_id, topic_id, shape, mode, reason, visible, delivery_id, collapse, token_version,
              device_version, state, hold_reason, due_at, lease_token, ever_leased, is_probe, is_combined, failures,
              last_outcome, expires_at, created_at, settled_at, successor_id
            FROM wake INDEXED BY wake_unsettled WHERE device_id = ?1 AND state < 3 ORDER BY id
            """]
        find.bind(1, device.number)
        return try find.map { try Self.read($0) }
    }

    /// The wakes of a device that were never leased and take part in merging, oldest first.
    func mergeable(of device: DeviceRow) throws -> [StoredWake] {
        let find = try statements[
            """
            SELECT id, device_id, lane_id, topic_id, shape, mode, reason, visible, delivery_id, collapse, token_version,
              device_version, state, hold_reason, due_at, lease_token, ever_leased, is_probe, is_combined, failures,
              last_outcome, expires_at, created_at, settled_at, successor_id
            FROM wake INDEXED BY wake_unleased
            WHERE device_id = ?1 AND state < 3 AND state <> 1 AND ever_leased = 0 ORDER BY id
            """]
        find.bind(1, device.number)
        return try find.map { try Self.read($0) }.filter { MergeRule.takesPart($0.reason) }
    }

    /// Inserts a wake.
    func insert(_ wake: NewWake, now: Int64, slot: Int64, boot: Int64) throws {
        let insert = try statements[
            """
            INSERT INTO wake (id, device_id, lane_id, topic_id, shape, mode, reason, visible, delivery_id, collapse,
              token_version, device_version, state, hold_reason, due_at, lease_token, lease_slot, lease_boot, lease_until,
              ever_leased, attention, is_probe, is_combined, expires_at, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
              ?23, ?24, ?25)
            """]
        insert.bind(1, wake.row.number)
        insert.bind(2, wake.device.number)
        insert.bind(3, wake.lane)
        insert.bind(4, wake.topic)
        insert.bind(5, wake.shape.storedNumber)
        insert.bind(6, wake.mode.storedNumber)
        insert.bind(7, wake.reason.storedNumber)
        insert.bind(8, wake.isVisible)
        insert.bind(9, wake.delivery)
        insert.bind(10, wake.collapse?.text)
        insert.bind(11, wake.tokenVersion)
        insert.bind(12, wake.deviceVersion)
        bind(wake.placement, to: insert, now: now, slot: slot, boot: boot)
        insert.bind(21, wake.needsAttention)
        insert.bind(22, wake.isProbe)
        insert.bind(23, wake.isCombined)
        insert.bind(24, wake.expiresAt)
        insert.bind(25, now)
        try insert.run()
    }

    private func bind(
        _ placement: NewWake.Placement, to insert: SQLiteStatement, now: Int64, slot: Int64, boot: Int64
    ) {
        var hold: Int64?
        var lease: Lease?
        let state: WakeState
        var due = now
        switch placement {
        case .leased(let given):
            state = .leased
            lease = given
        case .waiting(let dueMilliseconds):
            state = .waiting
            due = dueMilliseconds
        case .held(let reason):
            state = .held
            hold = reason.rawValue
        }
        insert.bind(13, state.rawValue)
        insert.bind(14, hold)
        insert.bind(15, due)
        insert.bind(16, lease?.token)
        insert.bind(17, lease == nil ? nil : slot)
        insert.bind(18, lease == nil ? nil : boot)
        insert.bind(19, lease?.untilMilliseconds)
        insert.bind(20, lease != nil)
    }

    // MARK: Transitions

    /// Ends a wake.
    func settle(_ row: WakeRow, as state: WakeState, now: Int64, successor: WakeRow? = nil) throws {
        let update = try statements[
            """
            UPDATE wake SET state = ?2, settled_at = ?3, successor_id = ?4, attention = 1, hold_reason = NULL,
              lease_token = NULL, lease_slot = NULL, lease_boot = NULL, lease_until = NULL
            WHERE id = ?1
            """]
        update.bind(1, row.number)
        update.bind(2, state.rawValue)
        update.bind(3, now)
        update.bind(4, successor?.number)
        try update.run()
    }

    /// Ends a wake whose life is over; what was held for a lane's sake stays marked, so that the lane's catch-up finds it.
    func expire(_ row: WakeRow, now: Int64) throws {
        let update = try statements[
            """
            UPDATE wake SET state = 5, settled_at = ?2, attention = 1, hold_reason = CASE WHEN hold_reason = 3 THEN 3 END,
              lease_token = NULL, lease_slot = NULL, lease_boot = NULL, lease_until = NULL
            WHERE id = ?1
            """]
        update.bind(1, row.number)
        update.bind(2, now)
        try update.run()
    }

    /// Records an accepted send.
    func accept(_ row: WakeRow, now: Int64) throws {
        try accept([row.number], now: now)
    }

    /// Settles wakes that were accepted, all at once.
    func accept(_ rows: [Int64], now: Int64) throws {
        let update = try statements[
            """
            UPDATE wake SET state = 3, settled_at = ?2, last_outcome = 1, hold_reason = NULL, lease_token = NULL,
              lease_slot = NULL, lease_boot = NULL, lease_until = NULL
            WHERE id IN (SELECT value FROM json_each(?1))
            """]
        update.bind(1, JSONList.of(rows))
        update.bind(2, now)
        try update.run()
    }

    /// Lets a wake wait for a time after a try that did not settle it.
    func retry(_ row: WakeRow, dueMilliseconds: Int64, outcome: StoredOutcome) throws {
        let update = try statements[
            """
            UPDATE wake SET state = 0, due_at = ?2, failures = failures + 1, last_outcome = ?3, attention = 1,
              hold_reason = NULL, lease_token = NULL, lease_slot = NULL, lease_boot = NULL, lease_until = NULL
            WHERE id = ?1
            """]
        update.bind(1, row.number)
        update.bind(2, dueMilliseconds)
        update.bind(3, outcome.rawValue)
        try update.run()
    }

    /// Lets a wake wait whose lease ended without an answer; that is no failure of a try.
    func returnAfterLease(_ row: WakeRow, now: Int64) throws {
        let update = try statements[
            """
            UPDATE wake SET state = 0, due_at = ?2, last_outcome = ?3, attention = 1, hold_reason = NULL,
              lease_token = NULL, lease_slot = NULL, lease_boot = NULL, lease_until = NULL
            WHERE id = ?1
            """]
        update.bind(1, row.number)
        update.bind(2, now)
        update.bind(3, StoredOutcome.leaseEnded.rawValue)
        try update.run()
    }

    /// Keeps a wake back after a try.
    func hold(_ row: WakeRow, _ reason: HoldReason, outcome: StoredOutcome) throws {
        let update = try statements[
            """
            UPDATE wake SET state = 2, hold_reason = ?2, failures = failures + 1, last_outcome = ?3, attention = 1,
              is_probe = 0, lease_token = NULL, lease_slot = NULL, lease_boot = NULL, lease_until = NULL
            WHERE id = ?1
            """]
        update.bind(1, row.number)
        update.bind(2, reason.rawValue)
        update.bind(3, outcome.rawValue)
        try update.run()
    }

    /// Keeps a wake back that was not tried.
    func hold(_ row: WakeRow, _ reason: HoldReason) throws {
        let update = try statements[
            """
            UPDATE wake SET state = 2, hold_reason = ?2, attention = 1, lease_token = NULL, lease_slot = NULL,
              lease_boot = NULL, lease_until = NULL
            WHERE id = ?1
            """]
        update.bind(1, row.number)
        update.bind(2, reason.rawValue)
        try update.run()
    }

    /// Puts a wake into the hands of a lane and freezes its request.
    ///
    /// A lease before this one, of which nobody said that it sent nothing, may have sent the wake: a quarantine, for one, takes
    /// wakes out of hands, and the end of their try then finds another lease or none.
    func lease(_ row: WakeRow, _ lease: Lease, tokenVersion: Int64, slot: Int64, boot: Int64) throws {
        let update = try statements[
            """
            UPDATE wake SET state = 1, hold_reason = NULL, lease_token = ?2, lease_slot = ?3, lease_boot = ?4,
              lease_until = ?5, ever_leased = 1, token_version = ?6,
              last_outcome = CASE WHEN ever_leased = 1 AND last_outcome = 0 THEN ?7 ELSE last_outcome END
            WHERE id = ?1
            """]
        update.bind(7, StoredOutcome.leaseEnded.rawValue)
        update.bind(1, row.number)
        update.bind(2, lease.token)
        update.bind(3, slot)
        update.bind(4, boot)
        update.bind(5, lease.untilMilliseconds)
        update.bind(6, tokenVersion)
        try update.run()
    }

    // MARK: What wakes stand for

    /// The deliveries that a wake absorbed, without the one it names.
    func absorbed(by row: WakeRow) throws -> [Int64] {
        let find = try statements["SELECT delivery_id FROM wake_delivery WHERE wake_id = ?1 ORDER BY delivery_id"]
        find.bind(1, row.number)
        return try find.map { $0.integer(0) }
    }

    /// Every delivery that a wake stands for, rising.
    func deliveries(of wake: StoredWake) throws -> [Int64] {
        guard let named = wake.delivery else { return [] }
        return (try absorbed(by: wake.row) + [named]).sorted()
    }

    /// Records that a wake stands for one more delivery beside the one it names.
    func absorb(_ delivery: Int64, into row: WakeRow) throws {
        let insert = try statements[
            "INSERT INTO wake_delivery (wake_id, delivery_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING"]
        insert.bind(1, row.number)
        insert.bind(2, delivery)
        try insert.run()
    }

    /// Lets a wake name another delivery.
    func name(_ delivery: Int64, by row: WakeRow) throws {
        let update = try statements["UPDATE wake SET delivery_id = ?2 WHERE id = ?1"]
        update.bind(1, row.number)
        update.bind(2, delivery)
        try update.run()
    }

    /// Takes a delivery off the list of those that a wake absorbed.
    func takeOff(_ delivery: Int64, from row: WakeRow) throws {
        let delete = try statements["DELETE FROM wake_delivery WHERE wake_id = ?1 AND delivery_id = ?2"]
        delete.bind(1, row.number)
        delete.bind(2, delivery)
        try delete.run()
    }

    /// Moves what a wake absorbed to the wake that stands for it now.
    func moveAbsorbed(from old: WakeRow, to new: WakeRow) throws {
        let move = try statements["UPDATE OR IGNORE wake_delivery SET wake_id = ?2 WHERE wake_id = ?1"]
        move.bind(1, old.number)
        move.bind(2, new.number)
        try move.run()
    }
}
