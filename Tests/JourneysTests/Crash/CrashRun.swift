import ReveilleCore
import ReveilleJSON
import ReveilleRuntime

/// Goes through the rounds of one seed on one store, and gathers what is known afterwards.
final class CrashRun: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        let evidence: CrashEvidence
        let figures: CrashFigures
    }

    struct Progress: Sendable {
        var crashes = 0
        var crashesInFlight = 0
        var barriers: [CrashEvidence.Barrier] = []
        /// Requests that Apple owed to connections that ended before the present round.
        var lost = 0
    }

    /// How long anything may take that must come: far above what it takes on a loaded machine.
    static let patienceSeconds: Int64 = 30
    /// Between two looks at the file of other processes.
    static let lookPause = Duration.milliseconds(10)

    let world: CrashWorld
    let stream: PostStream
    let household: CrashHousehold
    let progress = Locked(Progress())

    private init(seed: UInt64, world: CrashWorld, household: CrashHousehold) {
        self.world = world
        self.household = household
        stream = PostStream(household, seed: seed, loop: world.loop)
    }

    /// Runs so many rounds with everything in `folder`; nothing runs any more afterwards.
    static func run(seed: UInt64, rounds: Int, folder: String) async throws -> Outcome {
        let loop = EventLoop(name: "crash")
        loop.start()
        defer { loop.stop() }
        let world = try await CrashWorld(folder: folder, loop: loop)
        let result: Result<Outcome, any Error>
        do {
            let run = try await prepared(seed: seed, world: world)
            result = .success(try await run.go(CrashRound.plan(rounds, random: SeededRandom(seed: seed))))
        } catch {
            result = .failure(error)
        }
        try await world.stop()
        return try result.get()
    }

    private static func prepared(seed: UInt64, world: CrashWorld) async throws -> CrashRun {
        let tokens = try await world.makeProducers()
        let server = try world.makeServer("first", leaseSeconds: 60)
        try await server.connect()
        let household = try await CrashHousehold.make(
            tokens: tokens, server: server.clients[0], random: SeededRandom(seed: ~seed))
        try await server.drain()
        return CrashRun(seed: seed, world: world, household: household)
    }

    private func go(_ plan: [CrashRound]) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.stream.run() }
            group.addTask {
                for round in plan { try await self.play(round) }
                try await self.settleEverything()
            }
            // The first failure ends the other task too.
            for try await _ in group {}
        }
        let (progress, seen) = (progress.withLock { $0 }, try await world.apple.seen())
        let evidence = try await CrashEvidence.gather(self, seen: seen, barriers: progress.barriers)
        return Outcome(
            evidence: evidence, figures: CrashFigures(progress, evidence, postsAnswered: stream.answered))
    }

    private func play(_ round: CrashRound) async throws {
        stream.begin(round: round.number)
        do {
            switch round.manner {
            case .kill(let kill): try await play(kill, in: round.number)
            case .stop(let stop): try await play(stop, in: round.number)
            }
        } catch {
            throw ProgramProcess.Failure(description: "round \(round.number), \(round.manner): \(error)")
        }
    }

    /// A last server, with nothing in its way, sends what the crashed ones left.
    private func settleEverything() async throws {
        try await world.apple.setFaults([])
        let server = try world.makeServer("last", leaseSeconds: 60)
        try await server.connect()
        stream.use(server.clients)
        stream.close()
        try await patiently("the last posts were not answered; \(server.process.lastWords)") { [stream] in
            try await stream.waitUntilFinished()
        }
        try await waitUntilSettled("the last server did not settle everything")
        try await server.drain()
    }

    // MARK: Waiting

    /// Waits until no wake is unsettled; returns the newest one of that moment.
    @discardableResult
    func waitUntilSettled(_ complaint: String) async throws -> WakeRow {
        try await patiently(complaint) { [world] in
            while true {
                let outbox = try await world.outbox()
                if outbox.unsettled == 0 { return WakeRow(outbox.newest) }
                try await world.loop.sleep(for: Self.lookPause)
            }
        }
    }

    /// Waits for `body`, but not without end.
    func patiently<Value: Sendable>(
        _ complaint: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { race in
            race.addTask { try await body() }
            race.addTask { [world] in
                try await world.loop.sleep(for: .seconds(Self.patienceSeconds))
                return nil
            }
            defer { race.cancelAll() }
            guard let first = try await race.next(), let value = first else {
                throw ProgramProcess.Failure(description: complaint)
            }
            return value
        }
    }

    /// Counts a crash, with what Apple had received and not answered at that moment.
    func countCrash(inFlight: Int) {
        progress.withLock { progress in
            progress.crashes += 1
            if inFlight > 0 { progress.crashesInFlight += 1 }
        }
    }
}
