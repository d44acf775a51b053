internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage

/// What the operations of one transaction work with; confined to the writer's thread and used for one transaction after
/// another.
final class WriteTransaction {
    let connection: SQLiteConnection
    let statements: StatementCache
    let lanes: LaneDirectory
    let sealer: Sealer
    let collapse: CollapseMaker
    let environment: StoreEnvironment
    /// Who is asked for room and told of wakes.
    var intake: (any LaneIntake)?

    /// The wall clock when the transaction began, in milliseconds since 1970.
    private(set) var now: Int64 = 0
    /// The steady clock when the transaction began, in milliseconds.
    private(set) var steady: Int64 = 0
    /// False for ten minutes after a jump of the wall clock.
    private(set) var mayExpire = true
    /// How the clocks stood to each other when this was last recorded.
    private(set) var clocks = ClockRecord(boot: nil, offset: 0, shift: 0)
    /// The wall clock less all its jumps, in milliseconds: ages of what is kept are measured by it.
    var planNow: Int64 { now - clocks.shift }
    var sequence = RowSequence.none
    var effects = TransactionEffects()
    private var storedSequence = RowSequence.none
    /// Whether the changes that are numbered here belong to an epoch of this connection's own.
    private var hasEpoch = false
    private var unleasedWait: Bool?
    private var pauses: [Int64: LanePauses] = [:]

    init(connection: SQLiteConnection, environment: StoreEnvironment) {
        self.connection = connection
        self.environment = environment
        statements = StatementCache(connection)
        lanes = LaneDirectory(statements)
        sealer = environment.makeSealer()
        collapse = environment.secrets.collapse.maker(environment.secrets.publicIDs)
    }

    /// Begins a transaction that holds the write lock from its start, so that it never has to be upgraded.
    func begin() throws {
        try statements["BEGIN IMMEDIATE"].run()
        readClocks()
        unleasedWait = nil
        pauses = [:]
        effects = TransactionEffects()
        guard let stored = try TransactionStart.read(statements) else { throw StoreError(.corrupt) }
        // After a rotation by another process nothing may be sealed under the old key any more.
        try KeyFollowing(environment).follow(connection, generation: stored.keyGeneration)
        storedSequence = stored.sequence
        sequence = stored.sequence
        clocks = stored.clocks
        let jump = clocks.jump(to: now - steady, boot: environment.boot)
        if jump != 0 { try Sweep(self).shift(by: jump) }
    }

    /// Records how the clocks stand to each other now, after a jump or some drift.
    func recordClocks(jump: Int64) throws {
        clocks = ClockRecord(boot: environment.boot, offset: now - steady, shift: clocks.shift + jump)
        try clocks.write(statements)
    }

    /// Puts everything on disk.
    func commit() throws {
        if sequence != storedSequence { try sequence.write(statements) }
        let beginsEpoch = !hasEpoch && sequence.lastChange != storedSequence.lastChange
        if beginsEpoch {
            try CursorEpochs(statements).begin(after: storedSequence.lastChange, random: environment.random)
        }
        try statements["COMMIT"].run()
        if beginsEpoch { hasEpoch = true }
    }

    /// Undoes everything, as far as the engine has not already.
    func rollBack() {
        effects.undo(for: intake)
        effects = TransactionEffects()
        lanes.forget()
        guard connection.isInTransaction else { return }
        // When even this fails the connection is opened anew before the next transaction.
        try? statements["ROLLBACK"].run()
    }

    /// Hands over what was leased, and tells what changed.
    func applyEffects() {
        var effects = effects
        self.effects = TransactionEffects()
        effects.apply(to: intake, steadyMilliseconds: environment.clock.steadyMilliseconds())
    }

    private func readClocks() {
        let reading = environment.clock.read()
        now = reading.now
        steady = reading.steady
        mayExpire = reading.mayExpire
    }

    // MARK: Facts read once a transaction

    /// Whether any wake waits that was never leased: without one, nothing can be merged.
    func someWakeIsUnleased() throws -> Bool {
        if let unleasedWait { return unleasedWait }
        let find = try statements[
            """
            SELECT 1 FROM wake INDEXED BY wake_unleased WHERE state < 3 AND state <> 1 AND ever_leased = 0 LIMIT 1
            """]
        let waits = try find.first { _ in true } ?? false
        unleasedWait = waits
        return waits
    }

    /// The first of the numbers of several new deliveries, and the run that they belong to.
    func nextDeliveries(_ count: Int) throws -> (first: Int64, run: Int64) {
        let run = try sequence.run.following(
            sequence.change, minimum: environment.options.deliveriesPerRun, statements)
        return (sequence.nextDeliveries(count, in: run), run.number)
    }

    /// A wake was put into the database unleased.
    func noteUnleasedWake() {
        unleasedWait = true
    }

    /// The pauses of a lane and its topics.
    func pauses(of lane: Int64) throws -> LanePauses {
        if let known = pauses[lane] { return known }
        let read = try LanePauses.read(lane, statements)
        pauses[lane] = read
        return read
    }

    /// A pause was recorded.
    func forgetPauses() {
        pauses = [:]
    }
}
