internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What clients read of their inbox and its log.
struct InboxQueries {
    private let session: ReadSession

    init(_ session: ReadSession) {
        self.session = session
    }

    /// Whether a presented cursor tells the outbox anything new.
    func mayChangeSomething(_ cursor: Cursor, by device: DeviceRow) throws -> Bool {
        let find = try session.statements[
            """
            SELECT synced_change < ?2 OR EXISTS (SELECT 1 FROM wake INDEXED BY wake_unsettled
              WHERE device_id = ?1 AND state < 3) FROM device WHERE id = ?1
            """]
        find.bind(1, device.number)
        find.bind(2, cursor.change)
        return try find.first { $0.boolean(0) } ?? false
    }

    // MARK: The log

    /// One page of changes after a cursor; without one the newest page.
    func changes(of profile: ProfileRow, since: Cursor?, limit: Int) throws -> ChangePage {
        guard let since else {
            let entries = try newestEntries(of: profile, limit: limit)
            let last = try session.statements["SELECT last_change FROM sequence"].first { $0.integer(0) } ?? 0
            return try page(
                entries, of: profile, next: try cursor(profile, at: last), hasMore: false, isReset: true)
        }
        guard since.profile == profile, try CursorEpochs(session.statements).epoch(of: since.change) == since.epoch,
            try since.change >= prunedChange(of: profile)
        else { return .cursorGone }
        var entries = try entries(of: profile, after: since.change, limit: limit + 1)
        let hasMore = entries.count > limit
        if hasMore { entries.removeLast() }
        return try page(
            entries, of: profile, next: try cursor(profile, at: entries.last?.number ?? since.change),
            hasMore: hasMore, isReset: false)
    }

    /// The cursor of a change that was numbered.
    private func cursor(_ profile: ProfileRow, at change: Int64) throws -> Cursor {
        guard let epoch = try CursorEpochs(session.statements).epoch(of: change) else { throw StoreError(.corrupt) }
        return Cursor(profile: profile, epoch: epoch, change: change)
    }

    private struct Entry {
        let number: Int64
        let kind: ChangeKind
        let delivery: Int64
    }

    private func entries(of profile: ProfileRow, after number: Int64, limit: Int) throws -> [Entry] {
        let deliveries = try session.statements[
            """
            SELECT d.id, 1, d.id FROM delivery_run r CROSS JOIN delivery d INDEXED BY delivery_by_profile
              ON d.run = r.number AND d.profile_id = ?1 AND d.id > ?2
            WHERE r.number >= coalesce(
                (SELECT number FROM delivery_run WHERE first <= ?2 + 1 ORDER BY number DESC LIMIT 1), 0)
            ORDER BY r.number, d.id LIMIT ?3
            """]
        let changes = try session.statements[
            """
            SELECT id, kind, delivery_id FROM change INDEXED BY change_by_profile WHERE profile_id = ?1 AND id > ?2
            ORDER BY id LIMIT ?3
            """]
        for find in [deliveries, changes] {
            find.bind(1, profile.number)
            find.bind(2, number)
            find.bind(3, Int64(limit))
        }
        return try Array(Self.merged(deliveries, changes).prefix(limit))
    }

    private func newestEntries(of profile: ProfileRow, limit: Int) throws -> [Entry] {
        let deliveries = try session.statements[
            """
            SELECT d.id, 1, d.id FROM delivery_run r CROSS JOIN delivery d INDEXED BY delivery_by_profile
              ON d.run = r.number AND d.profile_id = ?1
            ORDER BY r.number DESC, d.id DESC LIMIT ?2
            """]
        let changes = try session.statements[
            """
            SELECT id, kind, delivery_id FROM change INDEXED BY change_by_profile WHERE profile_id = ?1
            ORDER BY id DESC LIMIT ?2
            """]
        for find in [deliveries, changes] {
            find.bind(1, profile.number)
            find.bind(2, Int64(limit))
        }
        return try Self.merged(deliveries, changes).suffix(limit)
    }

    /// The rows of both queries in the order of their numbers.
    private static func merged(_ deliveries: SQLiteStatement, _ changes: SQLiteStatement) throws -> [Entry] {
        try (deliveries.map { try entry($0) } + changes.map { try entry($0) }).sorted { $0.number < $1.number }
    }

    private static func entry(_ row: SQLiteRow) throws -> Entry {
        guard let kind = ChangeKind(rawValue: row.integer(1)) else { throw StoreError(.corrupt) }
        return Entry(number: row.integer(0), kind: kind, delivery: row.integer(2))
    }

    private func page(
        _ entries: [Entry], of profile: ProfileRow, next: Cursor, hasMore: Bool, isReset: Bool
    ) throws -> ChangePage {
        let changes = try entries.map { entry in
            Change(
                number: entry.number, kind: entry.kind, delivery: DeliveryRow(entry.delivery),
                content: entry.kind == .new ? try delivery(DeliveryRow(entry.delivery), of: profile) : nil)
        }
        return .page(
            changes: changes, next: next, hasMore: hasMore, unread: try unread(of: profile), isReset: isReset)
    }

    private func prunedChange(of profile: ProfileRow) throws -> Int64 {
        let find = try session.statements["SELECT pruned_change FROM profile WHERE id = ?1"]
        find.bind(1, profile.number)
        return try find.first { $0.integer(0) } ?? 0
    }

    private func unread(of profile: ProfileRow) throws -> Int64 {
        let find = try session.statements[
            """
            SELECT count(*) FROM delivery_run r CROSS JOIN delivery d INDEXED BY delivery_by_profile
              ON d.run = r.number AND d.profile_id = ?1
            WHERE d.visible = 1 AND d.read_at IS NULL AND d.removed_at IS NULL
            """]
        find.bind(1, profile.number)
        return try find.first { $0.integer(0) } ?? 0
    }

    // MARK: Deliveries

    /// Visible deliveries that were not removed, newest first.
    func deliveries(of profile: ProfileRow, before: DeliveryRow?, limit: Int) throws -> [Delivery] {
        let find = try session.statements[
            """
            SELECT d.id, d.notification_id, d.visible, d.read_at, d.removed_at, n.created_at, n.content
            FROM delivery_run r CROSS JOIN delivery d INDEXED BY delivery_by_profile
              ON d.run = r.number AND d.profile_id = ?1 AND d.id < ?2
            JOIN notification n ON n.id = d.notification_id
            WHERE r.first < ?2 AND d.visible = 1 AND d.removed_at IS NULL
            ORDER BY r.number DESC, d.id DESC LIMIT ?3
            """]
        find.bind(1, profile.number)
        find.bind(2, before?.number ?? .max)
        find.bind(3, Int64(limit))
        return try find.map { try read($0) }
    }

    /// One delivery of a profile.
    func delivery(_ row: DeliveryRow, of profile: ProfileRow) throws -> Delivery? {
        let find = try session.statements[
            """
            SELECT d.id, d.notification_id, d.visible, d.read_at, d.removed_at, n.created_at, n.content
            FROM delivery d JOIN notification n ON n.id = d.notification_id WHERE d.id = ?1 AND d.profile_id = ?2
            """]
        find.bind(1, row.number)
        find.bind(2, profile.number)
        return try find.first { try read($0) }
    }

    private func read(_ row: SQLiteRow) throws -> Delivery {
        let notification = row.integer(1)
        let content =
            try row.optionalBytes(6).map { sealed in
                try NotificationContent(octets: session.sealer.open(sealed, .content, row: notification))
            } ?? .gone
        return Delivery(
            row: DeliveryRow(row.integer(0)), notification: NotificationRow(notification),
            alert: row.boolean(2) ? .visible : .silent, category: content.category, title: content.title,
            body: content.body, data: content.data, series: content.series, createdAtMilliseconds: row.integer(5),
            isRead: !row.isNull(3), isRemoved: !row.isNull(4))
    }
}
