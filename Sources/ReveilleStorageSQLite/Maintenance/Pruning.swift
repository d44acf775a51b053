internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Removes what is older than its retention, a piece at a time.
struct Pruning {
    /// Where the next look at each table goes on.
    struct Position: Sendable {
        var wakes = PruningWalk()
        var notifications = PruningWalk()
        var changes = PruningWalk()
    }

    private let transaction: WriteTransaction
    private let retention: Retention
    private let limit: Int

    init(_ transaction: WriteTransaction, _ retention: Retention, limit: Int) {
        self.transaction = transaction
        self.retention = retention
        self.limit = limit
    }

    /// Removes at most `limit` rows of each kind from `position` on.
    func run(from position: Position) throws -> (removed: Int, next: Position) {
        var next = position
        var removed = try pruneWakes(&next.wakes)
        removed += try pruneNotifications(&next.notifications)
        removed += try pruneChanges(&next.changes)
        removed += try pruneIdempotency()
        removed += try delete(
            "DELETE FROM claim WHERE id IN (SELECT id FROM claim WHERE expires_at < ?1 LIMIT ?2)", transaction.now)
        removed += try delete(
            "DELETE FROM proof WHERE device_id IN (SELECT device_id FROM proof WHERE expires_at < ?1 LIMIT ?2)",
            transaction.now)
        removed += try pruneUnproven()
        removed += try delete(
            """
            DELETE FROM installation WHERE (key, topic_id) IN (SELECT key, topic_id FROM installation i
              WHERE seen_at < ?1 AND NOT EXISTS (SELECT 1 FROM device d
                WHERE d.installation_key = i.key AND d.topic_id = i.topic_id) LIMIT ?2)
            """, cutoff(retention.unreadDeliveries))
        return (removed, next)
    }

    /// By the wall clock, for what is recorded for the operator to read.
    private func cutoff(_ seconds: Int64) -> Int64 {
        transaction.now - seconds * 1_000
    }

    /// By plan time, for what belongs to clients: a clock that was wrong takes nothing of it away.
    private func planCutoff(_ seconds: Int64) -> Int64 {
        transaction.planNow - seconds * 1_000
    }

    private func delete(_ statement: StaticString, _ cutoff: Int64) throws -> Int {
        let delete = try transaction.statements[statement]
        delete.bind(1, cutoff)
        delete.bind(2, Int64(limit))
        return try delete.runCountingChanges()
    }

    /// Devices whose subscription did not prove itself in time vanish.
    private func pruneUnproven() throws -> Int {
        let find = try transaction.statements[
            """
            SELECT id FROM device INDEXED BY device_pending WHERE state = 1 AND registered_at < ?1
            ORDER BY registered_at LIMIT ?2
            """]
        find.bind(1, cutoff(Lifetime.unprovenSeconds))
        find.bind(2, Int64(limit))
        let rows = try find.map { DeviceRow($0.integer(0)) }
        for row in rows {
            try Outbox(transaction).cancelAll(of: row)
            try DeviceTable(statements: transaction.statements).delete(row)
        }
        return rows.count
    }

    // MARK: Wakes

    private func pruneWakes(_ walk: inout PruningWalk) throws -> Int {
        let youngest = cutoff(min(retention.acceptedWakes, retention.failedWakes))
        let find = try transaction.statements[
            "SELECT id, state, settled_at, created_at FROM wake WHERE id > ?1 ORDER BY id LIMIT ?2"]
        return try walk.run(limit: limit) { behind, count in
            find.bind(1, behind)
            find.bind(2, Int64(count))
            return try find.map { row in
                guard let state = WakeState(rawValue: row.integer(1)) else { throw StoreError(.corrupt) }
                return PruningWalk.Seen(
                    row: row.integer(0), isYoung: row.integer(3) > youngest,
                    isDue: row.optionalInteger(2).map { $0 < cutoff(kept(state)) } ?? false)
            }
        } remove: { wake in
            try deleteWake(wake)
            return 1
        }
    }

    /// What went wrong is kept longer than what did not.
    private func kept(_ state: WakeState) -> Int64 {
        switch state {
        case .failed, .expired: retention.failedWakes
        case .accepted, .cancelled, .merged, .superseded, .waiting, .leased, .held: retention.acceptedWakes
        }
    }

    private func deleteWake(_ row: Int64) throws {
        for statement in [
            try transaction.statements["DELETE FROM wake WHERE id = ?1"],
            try transaction.statements["DELETE FROM wake_delivery WHERE wake_id = ?1"],
            try transaction.statements["DELETE FROM wake_try WHERE wake_id = ?1"],
        ] {
            statement.bind(1, row)
            try statement.run()
        }
    }

    // MARK: Notifications

    private struct OldNotification {
        let row: Int64
        let plannedAt: Int64
        let first: Int64
        let count: Int64
    }

    private func pruneNotifications(_ walk: inout PruningWalk) throws -> Int {
        let youngest = planCutoff(min(retention.readDeliveries, retention.unreadDeliveries))
        let find = try transaction.statements[
            "SELECT id, planned_at FROM notification WHERE id > ?1 ORDER BY id LIMIT ?2"]
        let removed = try walk.run(limit: limit) { behind, count in
            find.bind(1, behind)
            find.bind(2, Int64(count))
            return try find.map { row in
                let isYoung = row.integer(1) >= youngest
                return PruningWalk.Seen(row: row.integer(0), isYoung: isYoung, isDue: !isYoung)
            }
        } remove: { row in
            guard let notification = try notification(row) else { return 0 }
            return try notification.plannedAt < planCutoff(retention.unreadDeliveries)
                ? remove(notification) : removeRead(of: notification)
        }
        if removed > 0 { try DeliveryRun.forgetEmpty(transaction.statements) }
        return removed
    }

    private func notification(_ row: Int64) throws -> OldNotification? {
        let find = try transaction.statements[
            "SELECT id, planned_at, first_delivery, deliveries FROM notification WHERE id = ?1"]
        find.bind(1, row)
        return try find.first {
            OldNotification(row: $0.integer(0), plannedAt: $0.integer(1), first: $0.integer(2), count: $0.integer(3))
        }
    }

    /// Everything of it goes; cursors from before its deliveries are too old from now on.
    private func remove(_ notification: OldNotification) throws -> Int {
        let deliveries = try deliveries(of: notification)
        for (delivery, profile) in deliveries {
            try run("DELETE FROM delivery WHERE id = ?1", delivery)
            try run("UPDATE profile SET pruned_change = max(pruned_change, ?2) WHERE id = ?1", profile, delivery)
            try run(
                """
                DELETE FROM receipt WHERE delivery_id = ?2
                  AND device_id IN (SELECT id FROM device INDEXED BY device_by_profile WHERE profile_id = ?1)
                """, profile, delivery)
        }
        try run(
            "DELETE FROM idempotency WHERE notification_id = ?1 AND (producer_id, key) IN (SELECT producer_id, idempotency FROM notification WHERE id = ?1)",
            notification.row)
        try run("DELETE FROM notification WHERE id = ?1", notification.row)
        return deliveries.count + 1
    }

    /// What was read leaves the inbox but stays in the log; with the last delivery the content goes.
    private func removeRead(of notification: OldNotification) throws -> Int {
        let hide = try transaction.statements[
            """
            UPDATE delivery SET removed_at = ?3 WHERE id >= ?1 AND id < ?2 AND read_at < ?4 AND removed_at IS NULL
            """]
        hide.bind(1, notification.first)
        hide.bind(2, notification.first + notification.count)
        hide.bind(3, transaction.now)
        hide.bind(4, planCutoff(retention.readDeliveries))
        let hidden = try hide.runCountingChanges()
        guard hidden > 0 else { return 0 }
        let empty = try transaction.statements[
            """
            UPDATE notification SET content = NULL WHERE id = ?1 AND NOT EXISTS (
              SELECT 1 FROM delivery WHERE id >= ?2 AND id < ?3 AND removed_at IS NULL)
            """]
        empty.bind(1, notification.row)
        empty.bind(2, notification.first)
        empty.bind(3, notification.first + notification.count)
        try empty.run()
        return hidden
    }

    private func deliveries(of notification: OldNotification) throws -> [(delivery: Int64, profile: Int64)] {
        let find = try transaction.statements["SELECT id, profile_id FROM delivery WHERE id >= ?1 AND id < ?2"]
        find.bind(1, notification.first)
        find.bind(2, notification.first + notification.count)
        return try find.map { ($0.integer(0), $0.integer(1)) }
    }

    // MARK: Changes and keys

    private func pruneChanges(_ walk: inout PruningWalk) throws -> Int {
        let youngest = planCutoff(Lifetime.changeSeconds)
        let find = try transaction.statements[
            "SELECT id, created_at FROM change WHERE id > ?1 ORDER BY id LIMIT ?2"]
        return try walk.run(limit: limit) { behind, count in
            find.bind(1, behind)
            find.bind(2, Int64(count))
            return try find.map { row in
                let isYoung = row.integer(1) >= youngest
                return PruningWalk.Seen(row: row.integer(0), isYoung: isYoung, isDue: !isYoung)
            }
        } remove: { change in
            try run(
                """
                UPDATE profile SET pruned_change = max(pruned_change, ?1)
                WHERE id = (SELECT profile_id FROM change WHERE id = ?1)
                """, change)
            try run("DELETE FROM change WHERE id = ?1", change)
            return 1
        }
    }

    private func pruneIdempotency() throws -> Int {
        let find = try transaction.statements[
            """
            SELECT id FROM notification INDEXED BY notification_keyed
            WHERE idempotency IS NOT NULL AND planned_at < ?1 ORDER BY planned_at LIMIT ?2
            """]
        find.bind(1, planCutoff(Lifetime.idempotencySeconds))
        find.bind(2, Int64(limit))
        let old = try find.map { $0.integer(0) }
        for row in old {
            try run(
                "DELETE FROM idempotency WHERE notification_id = ?1 AND (producer_id, key) IN (SELECT producer_id, idempotency FROM notification WHERE id = ?1)",
                row)
            try run("UPDATE notification SET idempotency = NULL WHERE id = ?1", row)
        }
        return old.count
    }

    private func run(_ text: StaticString, _ first: Int64, _ second: Int64? = nil) throws {
        let statement = try transaction.statements[text]
        statement.bind(1, first)
        if let second { statement.bind(2, second) }
        try statement.run()
    }
}
