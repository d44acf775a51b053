internal import ReveilleSQLite

/// What every transaction reads before anything else, in one statement.
struct TransactionStart {
    /// The last numbers given to rows.
    let sequence: RowSequence
    /// The generation of the master key that the store is sealed under now.
    let keyGeneration: Int64
    /// How the clocks stood to each other when somebody last looked.
    let clocks: ClockRecord

    static func read(_ statements: StatementCache) throws -> TransactionStart? {
        let find = try statements[
            """
            SELECT s.change, s.notification, s.wake, (SELECT max(generation) FROM master_key), m.clock_boot,
              m.clock_offset, m.clock_shift, (SELECT max(number) FROM delivery_run), s.run_length,
              s.last_change
            FROM sequence s, meta m
            """]
        return try find.first { row in
            TransactionStart(
                sequence: RowSequence(
                    change: row.integer(0), lastChange: row.integer(9), notification: row.integer(1),
                    wake: row.integer(2),
                    run: DeliveryRun(number: row.integer(7), length: row.integer(8))),
                keyGeneration: row.integer(3),
                clocks: ClockRecord(
                    boot: row.optionalInteger(4), offset: row.optionalInteger(5) ?? 0, shift: row.integer(6)))
        }
    }
}
