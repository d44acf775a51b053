internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Upkeep of the outbox by time: leases that ran out, lives that ended, the wall clock's jumps.
struct Sweep {
    /// Wakes dealt with in one transaction.
    static let chunk = 1_000

    private let transaction: WriteTransaction
    private let outbox: Outbox

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
    }

    /// Turns leases that ran out back into waiting wakes; they may have been sent, so they are never merged again,
    /// but no try failed that we know of.
    ///
    /// - Returns: how many, at most ``chunk``.
    func freeLeases() throws -> Int {
        let find = try transaction.statements[
            """
            SELECT id FROM wake INDEXED BY wake_leased
            WHERE state = 1 AND lease_until <= ?1 AND lease_boot = ?2 LIMIT ?3
            """]
        find.bind(1, transaction.steady)
        find.bind(2, transaction.environment.boot)
        find.bind(3, Int64(Self.chunk))
        let rows = try find.map { WakeRow($0.integer(0)) }
        for row in rows {
            guard let wake = try outbox.wakes.find(row) else { continue }
            try outbox.wakes.returnAfterLease(row, now: transaction.now)
            // Whoever held it must not send it any more.
            transaction.effects.revoked(row, on: wake.lane, try transaction.lanes.key(of: wake.lane))
            try outbox.tellWaiting(on: wake.lane, dueMilliseconds: transaction.now)
        }
        return rows.count
    }

    /// Settles wakes whose life is over; returns how many, at most ``chunk``.
    func expire() throws -> Int {
        guard transaction.mayExpire else { return 0 }
        let find = try transaction.statements[
            """
            SELECT id FROM wake INDEXED BY wake_expiring WHERE state < 3 AND state <> 1 AND expires_at <= ?1
            ORDER BY expires_at LIMIT ?2
            """]
        find.bind(1, transaction.now)
        find.bind(2, Int64(Self.chunk))
        let rows = try find.map { WakeRow($0.integer(0)) }
        for row in rows { try outbox.wakes.expire(row, now: transaction.now) }
        return rows.count
    }

    /// The lanes that have due wakes.
    func dueLanes() throws -> [LaneKey] {
        let find = try transaction.statements[
            """
            SELECT id FROM lane WHERE EXISTS (SELECT 1 FROM wake INDEXED BY wake_waiting
              WHERE wake.lane_id = lane.id AND wake.state = 0 AND wake.due_at <= ?1)
            """]
        find.bind(1, transaction.now)
        return try find.map { $0.integer(0) }.map { try transaction.lanes.key(of: $0) }
    }

    /// Follows the slow drift of the clocks, which must not add up to a jump; jumps were dealt with when the transaction began.
    func replan() throws {
        let clocks = transaction.clocks
        let offset = transaction.now - transaction.steady
        guard clocks.boot != transaction.environment.boot || clocks.offset != offset else { return }
        try transaction.recordClocks(jump: 0)
    }

    /// Shifts the times of all unsettled wakes by a jump of the wall clock.
    func shift(by jump: Int64) throws {
        let shift = try transaction.statements[
            """
            UPDATE wake SET created_at = created_at + ?1, due_at = due_at + ?1, expires_at = expires_at + ?1
            WHERE state < 3
            """]
        shift.bind(1, jump)
        try shift.run()
        try transaction.recordClocks(jump: jump)
        for lane in try dueLanes() {
            let number = try transaction.lanes.numberMaking(lane)
            try outbox.tellWaiting(on: number, dueMilliseconds: transaction.now)
        }
    }
}
