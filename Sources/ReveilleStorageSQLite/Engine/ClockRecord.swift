internal import ReveilleCore
internal import ReveilleSQLite

/// How the wall clock stood to the steady clock when a transaction last recorded it, and what its jumps add up to.
///
/// Whoever writes first after a jump shifts the times of all unsettled wakes before it does anything else, so that no
/// transaction ever sees times of two clocks in one table.
struct ClockRecord {
    /// The boot that the offset belongs to; offsets of different boots cannot be compared.
    let boot: Int64?
    /// Wall clock less steady clock, in milliseconds.
    let offset: Int64
    /// The sum of all jumps so far: the wall clock less this is plan time, which never jumps.
    let shift: Int64

    /// By how much the wall clock jumped since the record; 0 for the drift that clocks have.
    func jump(to offset: Int64, boot: Int64) -> Int64 {
        guard self.boot == boot else { return 0 }
        let change = offset - self.offset
        return abs(change) > ClockJump.toleranceMilliseconds ? change : 0
    }

    func write(_ statements: StatementCache) throws {
        let update = try statements["UPDATE meta SET clock_boot = ?1, clock_offset = ?2, clock_shift = ?3"]
        update.bind(1, boot)
        update.bind(2, offset)
        update.bind(3, shift)
        try update.run()
    }
}
