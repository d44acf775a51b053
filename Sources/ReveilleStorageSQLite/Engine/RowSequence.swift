internal import ReveilleSQLite

/// The last numbers given to rows of the hot tables: read when a transaction begins and written once when it ends.
///
/// Deliveries and changes share one sequence, so that a delivery's row is its own change number. Numbers rise and have gaps
/// (``RowNumbers``).
struct RowSequence: Equatable {
    private(set) var change: Int64
    /// The last change that was really numbered; ``change`` may be ahead of it.
    private(set) var lastChange: Int64
    private(set) var notification: Int64
    private(set) var wake: Int64
    /// The run that new deliveries belong to.
    private(set) var run: DeliveryRun

    /// Before a transaction has read anything.
    static let none = RowSequence(
        change: 0, lastChange: 0, notification: 0, wake: 0, run: DeliveryRun(number: 1, length: 0))

    func write(_ statements: StatementCache) throws {
        let update = try statements[
            """
            UPDATE sequence SET change = ?1, last_change = ?2, notification = ?3, wake = ?4, run_length = ?5 WHERE id = 1
            """]
        update.bind(1, change)
        update.bind(2, lastChange)
        update.bind(3, notification)
        update.bind(4, wake)
        update.bind(5, run.length)
        try update.run()
    }

    mutating func nextChange() -> Int64 { nextChanges(1) }

    /// The first of the numbers of several deliveries in a row, which belong to a run.
    mutating func nextDeliveries(_ count: Int, in run: DeliveryRun) -> Int64 {
        self.run = run
        self.run.length += Int64(count)
        return nextChanges(count)
    }

    private mutating func nextChanges(_ count: Int) -> Int64 {
        defer {
            change += Int64(count)
            if count > 0 { lastChange = change }
        }
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
