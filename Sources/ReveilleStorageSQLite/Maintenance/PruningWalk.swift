/// A walk through a table for what is over its time, in the order of its rows and a piece at a time.
///
/// Rows lie nearly in the order of their ages. The walk therefore begins anew where a whole piece is young: what follows will
/// be younger still. Rows that a wrong clock dated could hide older ones behind them for as long as the clock was wrong; so
/// whenever the first place finds nothing, a second one goes on by one longer piece, whatever that holds, and begins anew only at
/// the end of the table.
struct PruningWalk: Sendable {
    /// A row that was looked at.
    struct Seen {
        let row: Int64
        /// Younger than everything that goes.
        let isYoung: Bool
        /// What it is to be removed for, if anything.
        let isDue: Bool
    }

    /// The second place looks at so many pieces at once.
    private static let longPiece = 8

    private var old: Int64 = 0
    private var anywhere: Int64 = 0

    /// Removes what is due in the next piece.
    ///
    /// - Parameters:
    ///   - limit: the rows of a piece; nothing more is removed when so many are.
    ///   - look: the rows behind one, in their order, at most as many as asked for.
    ///   - remove: removes what is due of a row, and returns how much that was.
    mutating func run(
        limit: Int, look: (_ behind: Int64, _ count: Int) throws -> [Seen], remove: (Int64) throws -> Int
    ) throws -> Int {
        let removed = try step(&old, limit: limit, count: limit, startsAnewAtYoung: true, look, remove)
        if removed > 0 { return removed }
        return try step(
            &anywhere, limit: limit, count: limit * Self.longPiece, startsAnewAtYoung: false, look, remove)
    }

    private func step(
        _ place: inout Int64, limit: Int, count: Int, startsAnewAtYoung: Bool,
        _ look: (_ behind: Int64, _ count: Int) throws -> [Seen], _ remove: (Int64) throws -> Int
    ) throws -> Int {
        let seen = try look(place, count)
        var removed = 0
        for (index, due) in seen.lazy.filter(\.isDue).enumerated() {
            if removed >= limit || index == limit { return removed }
            removed += try remove(due.row)
            place = due.row
        }
        if seen.count < count || (startsAnewAtYoung && seen.allSatisfy(\.isYoung)) {
            place = 0
        } else if let last = seen.last {
            place = last.row
        }
        return removed
    }
}
