internal import ReveilleRuntime
internal import ReveilleSQLite

/// Keeps numbers from being given twice when an older copy of the file was put back.
///
/// Public ids, idempotency of clients ("show each delivery once") and display tokens rest on row numbers. A copy does not know what was
/// numbered after it was made, and nothing in it says that it is one. So every start goes on from a place that no other start of
/// the same copy goes on from: a random way ahead, far longer than what one process numbers.
enum RowNumbers {
    /// How far the numbers of deliveries, notifications and wakes move, at least, and less than twice as far: 2^63 leaves room for a
    /// thousand million starts.
    static let manyAhead: Int64 = 1 << 32
    /// The same for devices, profiles, credentials and claims: a device's row has room for 2^56 in public ids (``PublicIDs``).
    static let fewAhead: Int64 = 1 << 20

    /// Moves all numbers of a store that was there before.
    static func moveAhead(_ connection: SQLiteConnection, random: any RandomSource) throws {
        let many = try connection.prepare(
            "UPDATE sequence SET change = change + ?1, notification = notification + ?1, wake = wake + ?1")
        many.bind(1, way(manyAhead, random))
        try many.run()
        // SQLite makes the row of a table with its first number (https://sqlite.org/autoinc.html).
        let names = #"["device", "profile", "credential", "claim", "producer"]"#
        let missing = try connection.prepare(
            """
            INSERT INTO sqlite_sequence (name, seq) SELECT value, 0 FROM json_each(?1)
            WHERE value NOT IN (SELECT name FROM sqlite_sequence)
            """)
        missing.bind(1, names)
        try missing.run()
        let few = try connection.prepare(
            "UPDATE sqlite_sequence SET seq = seq + ?1 WHERE name IN (SELECT value FROM json_each(?2))")
        few.bind(1, way(fewAhead, random))
        few.bind(2, names)
        try few.run()
    }

    private static func way(_ least: Int64, _ random: any RandomSource) -> Int64 {
        least + Int64(random.uint64() & UInt64(least - 1))
    }
}
