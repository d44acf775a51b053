internal import ReveilleSQLite

/// The last numbers given to rows of the hot tables: read when a transaction begins and written once when it ends.
///
/// Deliveries and changes share one sequence, so that a delivery's row is its own change number.
struct RowSequence: Equatable {
    private(set) var change: Int64
    private(set) var notification: Int64
    private(set) var wake: Int64

    func write(_ statements: StatementCache) throws {
        let update = try statements["UPDATE sequence SET change = ?1, notification = ?2, wake = ?3 WHERE id = 1"]
        update.bind(1, change)
        update.bind(2, notification)
        update.bind(3, wake)
        try update.run()
    }

    mutating func nextChange() -> Int64 {
        change += 1
        return change
    }

    /// The first of several numbers in a row.
    mutating func nextChanges(_ count: Int) -> Int64 {
        defer { change += Int64(count) }
        return change + 1
    }

    mutating func nextNotification() -> Int64 {
        notification += 1
        return notification
    }

    mutating func nextWake() -> Int64 {
        wake += 1
        return wake
    }
}
