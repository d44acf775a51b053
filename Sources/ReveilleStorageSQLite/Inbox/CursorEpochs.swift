internal import ReveilleRuntime
internal import ReveilleSQLite

/// Which epoch a change was numbered in.
///
/// Each process draws a random epoch with the first change that it numbers; numbers up to the next epoch's first belong to it. An
/// older copy of the database does not know the epochs of what came after it, and the process that goes on from the copy draws
/// a new one: a cursor from the history that the copy undid names another epoch than its number belongs to, whatever number
/// the new history has reached, and a cursor from before the copy goes on.
struct CursorEpochs {
    /// As many epochs are kept; cursors from before them are unknown.
    static let maximumEpochs: Int64 = 10_000

    private let statements: StatementCache

    init(_ statements: StatementCache) {
        self.statements = statements
    }

    /// The epoch of a change, or of the place before the first for 0; nil for a number that was not given yet or is forgotten.
    func epoch(of change: Int64) throws -> Int64? {
        let find = try statements[
            """
            SELECT value FROM epoch WHERE after < ?1 AND ?1 <= (SELECT last_change FROM sequence) ORDER BY after DESC LIMIT 1
            """]
        find.bind(1, change)
        return try find.first { $0.integer(0) }
    }

    /// Begins an epoch with the change after `last`.
    func begin(after last: Int64, random: any RandomSource) throws {
        let insert = try statements[
            "INSERT INTO epoch (after, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2"]
        insert.bind(1, last)
        insert.bind(2, Int64(random.uint64() >> 1) | 1)
        try insert.run()
        let forget = try statements[
            "DELETE FROM epoch WHERE after <= (SELECT after FROM epoch ORDER BY after DESC LIMIT 1 OFFSET ?1)"]
        forget.bind(1, Self.maximumEpochs)
        try forget.run()
    }
}
