internal import ReveilleSQLite

/// A stretch of deliveries that were numbered one after the other and are indexed by profile together.
///
/// One index over all deliveries would have as many places for new entries as there are profiles: a post to a thousand of a
/// million profiles would write a thousand pages of it. Each run is an index of its own within the same B-tree, small
/// enough that the new entries of a post share pages. Whoever looks for a profile's deliveries looks into each run that can have
/// some, so their number is bounded too: a run ends when it holds its share of everything that is kept.
struct DeliveryRun: Equatable {
    /// A run holds at least one of so many parts of what is kept.
    static let share: Int64 = 64

    let number: Int64
    /// How many deliveries were put into it so far.
    var length: Int64

    /// Begins the next run when this one is long enough; to be called before deliveries are numbered.
    ///
    /// - Parameter change: the last number that was given.
    /// - Parameter minimum: the least length of a run.
    func following(_ change: Int64, minimum: Int64, _ statements: StatementCache) throws -> DeliveryRun {
        guard length >= minimum else { return self }
        let others = try statements["SELECT coalesce(sum(length), 0) FROM delivery_run"].first { $0.integer(0) } ?? 0
        guard length >= (others + length) / Self.share else { return self }
        let close = try statements["UPDATE delivery_run SET length = ?2 WHERE number = ?1"]
        close.bind(1, number)
        close.bind(2, length)
        try close.run()
        let insert = try statements["INSERT INTO delivery_run (number, first) VALUES (?1, ?2)"]
        insert.bind(1, number + 1)
        insert.bind(2, change + 1)
        try insert.run()
        return DeliveryRun(number: number + 1, length: 0)
    }

    /// Forgets the runs before the oldest delivery that is left; the newest stays.
    static func forgetEmpty(_ statements: StatementCache) throws {
        try statements[
            """
            DELETE FROM delivery_run WHERE number < coalesce(
              (SELECT run FROM delivery ORDER BY id LIMIT 1), (SELECT max(number) FROM delivery_run))
            """
        ].run()
    }
}
