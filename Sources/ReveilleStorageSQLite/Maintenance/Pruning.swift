internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Removes what is older than its retention, a piece at a time.
struct Pruning {
    /// Where the next look begins; rows behind it were kept by the last one.
    struct Position: Sendable {
        var wake: Int64 = 0
        var notification: Int64 = 0
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
        var removed = try pruneWakes(from: &next.wake)
        removed += try pruneNotifications(from: &next.notification)
        removed += try pruneChanges()
        removed += try pruneIdempotency()
        removed += try delete(
            "DELETE FROM claim WHERE id IN (SELECT id FROM claim WHERE expires_at < ?1 LIMIT ?2)", transaction.now)
        removed += try delete(
            """
            DELETE FROM installation WHERE (key, topic_id) IN (SELECT key, topic_id FROM installation i
              WHERE seen_at < ?1 AND NOT EXISTS (SELECT 1 FROM device d
                WHERE d.installation_key = i.key AND d.topic_id = i.topic_id) LIMIT ?2)
            """, cutoff(retention.unreadDeliveries))
        return (removed, next)
    }

    private func cutoff(_ seconds: Int64) -> Int64 {
        transaction.now - seconds * 1_000
    }

    private func delete(_ statement: StaticString, _ cutoff: Int64) throws -> Int {
        let delete = try transaction.statements[statement]
        delete.bind(1, cutoff)
        delete.bind(2, Int64(limit))
        return try delete.runCountingChanges()
    }

    // MARK: Wakes

    private func pruneWakes(from position: inout Int64) throws -> Int {
        let youngest = cutoff(min(retention.acceptedWakes, retention.failedWakes))
        let find = try transaction.statements[
            "SELECT id, state, settled_at, created_at FROM wake WHERE id > ?1 ORDER BY id LIMIT ?2"]
        find.bind(1, position)
        find.bind(2, Int64(limit))
        var seen = 0
        var reachedYoung = false
        var old: [Int64] = []
        try find.forEach { row in
            seen += 1
            if row.integer(3) > youngest { reachedYoung = true }
            guard !reachedYoung else { return }
            position = row.integer(0)
            guard let state = WakeState(rawValue: row.integer(1)), let settledAt = row.optionalInteger(2) else {
                return
            }
            if settledAt < cutoff(kept(state)) { old.append(row.integer(0)) }
        }
        for wake in old { try deleteWake(wake) }
        if reachedYoung || seen < limit { position = 0 }
        return old.count
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
        let createdAt: Int64
        let first: Int64
        let count: Int64
    }

    private func pruneNotifications(from position: inout Int64) throws -> Int {
        let find = try transaction.statements[
            """
            SELECT id, created_at, first_delivery, deliveries FROM notification
            WHERE id > ?1 AND created_at < ?2 ORDER BY id LIMIT ?3
            """]
        find.bind(1, position)
        find.bind(2, cutoff(min(retention.readDeliveries, retention.unreadDeliveries)))
        find.bind(3, Int64(limit))
        let old = try find.map {
            OldNotification(row: $0.integer(0), createdAt: $0.integer(1), first: $0.integer(2), count: $0.integer(3))
        }
        var removed = 0
        for notification in old {
            if removed >= limit { break }
            position = notification.row
            removed +=
                try notification.createdAt < cutoff(retention.unreadDeliveries)
                ? remove(notification) : removeRead(of: notification)
        }
        if old.count < limit, removed < limit { position = 0 }
        if removed > 0 { try DeliveryRun.forgetEmpty(transaction.statements) }
        return removed
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
        hide.bind(4, cutoff(retention.readDeliveries))
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

    private func pruneChanges() throws -> Int {
        let find = try transaction.statements[
            "SELECT id, profile_id FROM change WHERE created_at < ?1 ORDER BY id LIMIT ?2"]
        find.bind(1, cutoff(Lifetime.changeSeconds))
        find.bind(2, Int64(limit))
        let old = try find.map { (change: $0.integer(0), profile: $0.integer(1)) }
        for (change, profile) in old {
            try run("DELETE FROM change WHERE id = ?1", change)
            try run("UPDATE profile SET pruned_change = max(pruned_change, ?2) WHERE id = ?1", profile, change)
        }
        return old.count
    }

    private func pruneIdempotency() throws -> Int {
        let find = try transaction.statements[
            """
            SELECT id FROM notification INDEXED BY notification_keyed
            WHERE idempotency IS NOT NULL AND created_at < ?1 ORDER BY created_at LIMIT ?2
            """]
        find.bind(1, cutoff(Lifetime.idempotencySeconds))
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
