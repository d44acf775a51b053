internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// A delivery that a device has not fetched, that nobody has read, and that is younger than the life its producer gave.
struct MissedDelivery {
    let row: Int64
    /// When its life ends, by the wall clock.
    let endsAt: Int64
    let isVisible: Bool
}

/// What a device missed.
struct MissedDeliveries {
    /// The most notifications that are opened for their category.
    private static let maximumOpened = 10_000

    private let transaction: WriteTransaction
    private let device: StoredDevice
    /// From plan time to the wall clock.
    private let shift: Int64

    init(_ transaction: WriteTransaction, _ device: StoredDevice) {
        self.transaction = transaction
        self.device = device
        shift = transaction.now - transaction.planNow
    }

    /// The missed ones among deliveries, rising; of more than `limit` the newest visible ones, and then the newest silent ones.
    func among(_ deliveries: some Collection<Int64>, limit: Int) throws -> [MissedDelivery] {
        let find = try transaction.statements[
            """
            SELECT d.id, n.ends_at, d.visible FROM json_each(?6) j CROSS JOIN delivery d ON d.id = j.value
            JOIN notification n ON n.id = d.notification_id
            WHERE d.profile_id = ?1 AND d.id > ?2 AND d.read_at IS NULL AND d.removed_at IS NULL AND n.ends_at > ?3
              AND NOT EXISTS (SELECT 1 FROM receipt WHERE device_id = ?4 AND delivery_id = d.id)
            ORDER BY d.visible DESC, d.id DESC LIMIT ?5
            """]
        bind(find, limit: limit)
        find.bind(6, JSONList.of(deliveries))
        return try find.map { missed($0) }.sorted { $0.row < $1.row }
    }

    /// The newest missed ones that are visible and of a category that the device asked for, rising.
    func visible(limit: Int) throws -> [MissedDelivery] {
        let wanted = try WantedCategories(device.categories, of: device.row, transaction.sealer)
        let find = try transaction.statements[
            """
            SELECT d.id, n.ends_at, d.visible, n.id, n.content
            FROM delivery_run r CROSS JOIN delivery d INDEXED BY delivery_by_profile
              ON d.run = r.number AND d.profile_id = ?1 AND d.id > ?2
            JOIN notification n ON n.id = d.notification_id
            WHERE r.number >= coalesce(
                (SELECT number FROM delivery_run WHERE first <= ?2 + 1 ORDER BY number DESC LIMIT 1), 0)
              AND d.visible = 1 AND d.read_at IS NULL AND d.removed_at IS NULL AND n.ends_at > ?3
              AND NOT EXISTS (SELECT 1 FROM receipt WHERE device_id = ?4 AND delivery_id = d.id)
            ORDER BY r.number DESC, d.id DESC LIMIT ?5
            """]
        bind(find, limit: wanted.isEverything ? limit : Self.maximumOpened)
        var newest: [MissedDelivery] = []
        try find.forEach { row in
            guard newest.count < limit, try wanted.isEverything || wanted.contains(category(row)) else { return }
            newest.append(missed(row))
        }
        return newest.reversed()
    }

    private func bind(_ find: SQLiteStatement, limit: Int) {
        find.bind(1, device.profile.number)
        find.bind(2, device.syncedChange)
        find.bind(3, transaction.planNow)
        find.bind(4, device.row.number)
        find.bind(5, Int64(limit))
    }

    private func missed(_ row: SQLiteRow) -> MissedDelivery {
        MissedDelivery(row: row.integer(0), endsAt: row.integer(1) + shift, isVisible: row.boolean(2))
    }

    private func category(_ row: SQLiteRow) throws -> String {
        guard let sealed = row.optionalBytes(4) else { return NotificationContent.gone.category }
        let octets = try transaction.sealer.open(sealed, .content, row: row.integer(3))
        return try NotificationContent(octets: octets).category
    }
}
