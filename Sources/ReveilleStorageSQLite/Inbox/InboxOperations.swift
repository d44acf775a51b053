internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What clients say of their inbox.
struct InboxOperations {
    /// Deliveries read in one transaction when everything is.
    private static let readPiece = 1_000

    private let transaction: WriteTransaction

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
    }

    /// Marks one delivery read; false when it is not the profile's.
    func markRead(_ row: DeliveryRow, of profile: ProfileRow) throws -> Bool {
        guard let isRead = try isRead(row, of: profile) else { return false }
        if isRead { return true }
        try read(row.number, of: profile)
        try Coverage(transaction).apply(toDevicesOf: profile)
        return true
    }

    /// How far reading everything has come.
    struct ReadingAll: Sendable {
        /// The last change that is meant; what comes later stays unread.
        var upTo: Int64
        /// The last delivery that was looked at.
        var after: Int64 = 0
        /// How many became read.
        var count: Int64 = 0
        var isFinished = false
    }

    /// Marks the next unread visible deliveries up to a change read, at most ``readPiece``.
    ///
    /// The last piece ends the wakes that stood for any of them, also when others before it, which something interrupted, had read
    /// them.
    ///
    /// - Parameter progress: what the piece before returned.
    func markAllRead(of profile: ProfileRow, upTo change: Int64?, _ progress: ReadingAll?) throws -> ReadingAll {
        var progress = progress ?? ReadingAll(upTo: change ?? transaction.sequence.change)
        let find = try transaction.statements[
            """
            SELECT d.id FROM delivery_run r CROSS JOIN delivery d INDEXED BY delivery_by_profile
              ON d.run = r.number AND d.profile_id = ?1 AND d.id > ?2 AND d.id <= ?3
            WHERE r.first <= ?3 AND r.number >= coalesce(
                (SELECT number FROM delivery_run WHERE first <= ?2 + 1 ORDER BY number DESC LIMIT 1), 0)
              AND d.visible = 1 AND d.read_at IS NULL AND d.removed_at IS NULL
            ORDER BY r.number, d.id LIMIT ?4
            """]
        find.bind(1, profile.number)
        find.bind(2, progress.after)
        find.bind(3, progress.upTo)
        find.bind(4, Int64(Self.readPiece))
        let unread = try find.map { $0.integer(0) }
        for delivery in unread { try read(delivery, of: profile) }
        progress.count += Int64(unread.count)
        progress.after = unread.last ?? progress.after
        progress.isFinished = unread.count < Self.readPiece
        if progress.isFinished { try Coverage(transaction).apply(toDevicesOf: profile) }
        return progress
    }

    /// Records that a device received a delivery; false when it or the device is not the profile's.
    func recordReceipt(_ row: DeliveryRow, by device: DeviceRow, of profile: ProfileRow) throws -> Bool {
        guard try isRead(row, of: profile) != nil, let synced = try syncedChange(of: device, profile) else {
            return false
        }
        let insert = try transaction.statements[
            """
            INSERT INTO receipt (device_id, delivery_id, created_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING
            """]
        insert.bind(1, device.number)
        insert.bind(2, row.number)
        insert.bind(3, transaction.now)
        if try insert.runCountingChanges() > 0 {
            try Coverage(transaction).apply(to: device, syncedChange: synced, witness: .device)
        }
        return true
    }

    /// Records how far a device has fetched.
    ///
    /// A cursor that is foreign, of another epoch or from the future changes nothing.
    func acknowledge(_ cursor: Cursor, by device: DeviceRow) throws {
        guard try CursorEpochs(transaction.statements).epoch(of: cursor.change) == cursor.epoch,
            let synced = try syncedChange(of: device, cursor.profile)
        else { return }
        if cursor.change > synced {
            try DeviceTable(statements: transaction.statements).setSynced(device, change: cursor.change)
        }
        try Coverage(transaction).apply(
            to: device, syncedChange: max(cursor.change, synced), witness: .device)
    }

    private func read(_ delivery: Int64, of profile: ProfileRow) throws {
        let update = try transaction.statements["UPDATE delivery SET read_at = ?2 WHERE id = ?1"]
        update.bind(1, delivery)
        update.bind(2, transaction.planNow)
        try update.run()
        let insert = try transaction.statements[
            "INSERT INTO change (id, profile_id, kind, delivery_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5)"]
        insert.bind(1, transaction.sequence.nextChange())
        insert.bind(2, profile.number)
        insert.bind(3, ChangeKind.read.rawValue)
        insert.bind(4, delivery)
        insert.bind(5, transaction.planNow)
        try insert.run()
    }

    /// Whether a delivery of the profile was read; nil when there is none.
    private func isRead(_ row: DeliveryRow, of profile: ProfileRow) throws -> Bool? {
        let find = try transaction.statements[
            "SELECT read_at IS NOT NULL FROM delivery WHERE id = ?1 AND profile_id = ?2"]
        find.bind(1, row.number)
        find.bind(2, profile.number)
        return try find.first { $0.boolean(0) }
    }

    private func syncedChange(of device: DeviceRow, _ profile: ProfileRow) throws -> Int64? {
        let find = try transaction.statements["SELECT synced_change FROM device WHERE id = ?1 AND profile_id = ?2"]
        find.bind(1, device.number)
        find.bind(2, profile.number)
        return try find.first { $0.integer(0) }
    }
}
