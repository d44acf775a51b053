import Glibc
import ReveilleCore
import ReveilleJSON
import ReveilleRuntime

extension CrashRound.Stop.Debt {
    /// What the emulator is told to do with requests of the process that will be stopped.
    fileprivate var fault: JSONValue {
        switch self {
        case .taken: ["kind": "hold", "accepted": true]
        case .untaken: ["kind": "hold", "accepted": false]
        case .refusal: ["kind": "hold_answer", "status": 400, "reason": "PayloadEmpty"]
        case .delay: ["kind": "hold_answer", "status": 503, "reason": "ServiceUnavailable"]
        }
    }
}

/// Rounds in which a process is stopped past its lease and another takes over.
extension CrashRun {
    /// New posts of a phase whose end is something else.
    private static let plenty = 400
    /// Posts that are answered after the stopped process goes on, by either.
    private static let postsAfterwards = 12
    /// A process that is found within a transaction so many times is given up.
    private static let stopAttempts = 200
    /// How long it may work before it is stopped again.
    private static let workPause = Duration.milliseconds(5)
    /// The faults that hold requests of the two processes, by environment.
    private static let sleeperHeld = ["production": "sleeper-production", "sandbox": "sleeper-sandbox"]
    private static let otherHeld = ["production": "other-production", "sandbox": "other-sandbox"]
    /// How many streams a connection has when nothing is to be shown.
    private static let ordinaryStreams = 1_000

    func play(_ stop: CrashRound.Stop, in round: Int) async throws {
        let sleeper = try await fillSleeper(stop, in: round)
        var other: CrashWorld.Server?
        if stop.bothRun { other = try await startOther(in: round) }
        try await freeze(sleeper)
        countCrash(inFlight: try await world.apple.counter("in_flight"))
        await sleeper.leave()
        if let other { stream.use(other.clients) } else { stream.use([]) }
        try await world.apple.setFaults(stop.release == .whileOtherSends ? Self.holds(Self.otherHeld, .taken) : [])
        try await world.apple.setStreamLimit(Self.ordinaryStreams)
        let successor: CrashWorld.Server
        if let other { successor = other } else { successor = try await startOther(in: round) }
        stream.use(successor.clients)
        stream.allow(0)
        if stop.release == .whileOtherSends { try await answer(sleeper, beside: successor) }
        let newest = try await waitUntilSettled(
            "the other process did not take over; \(successor.process.lastWords)")
        if stop.release == .whileStopped { try await world.apple.releaseHeld() }
        let barrier = CrashEvidence.Barrier(
            round: round, number: Int64(try await world.apple.counter("received")), wake: newest)
        progress.withLock { $0.barriers.append(barrier) }
        try await wake(sleeper, beside: successor, stop)
        try await end(sleeper, successor, stop)
    }

    /// Starts the process that is to be stopped, and lets Apple owe it an answer on every stream that it may use.
    private func fillSleeper(_ stop: CrashRound.Stop, in round: Int) async throws -> CrashWorld.Server {
        let streams = CrashRound.streamsBeforeStop
        try await world.apple.setStreamLimit(streams)
        try await world.apple.setFaults(Self.holds(Self.sleeperHeld, stop.debt))
        let sleeper = try world.makeServer("\(round)-sleeper", leaseSeconds: 1, connections: 1)
        try await sleeper.connect()
        stream.use(sleeper.clients)
        stream.allow(Self.plenty)
        try await waitForRequests(2 * streams)
        // What follows is not for this process alone.
        try await world.apple.setFaults([])
        return sleeper
    }

    /// Faults that hold requests in each environment.
    private static func holds(_ names: [String: String], _ debt: CrashRound.Stop.Debt) -> [JSONValue] {
        names.map { environment, name in
            // Apple answers the first request, or there would be no second.
            [
                "id": .string(name), "match": ["environment": .string(environment)], "when": ["skip": 1],
                "action": debt.fault,
            ]
        }
    }

    /// Lets the stopped process learn its answers while the other one has its wakes in flight.
    private func answer(_ sleeper: CrashWorld.Server, beside other: CrashWorld.Server) async throws {
        try await patiently("the leases of the stopped process did not run out; \(other.process.lastWords)") {
            [world] in
            while try await !world.newestHoldsAllLeases() { try await world.loop.sleep(for: Self.lookPause) }
        }
        let owed = 2 * CrashRound.streamsBeforeStop
        try await waitForRequests(owed + 2)
        let answered = try await world.apple.counter("answered")
        sleeper.process.send(SIGCONT)
        for name in Self.sleeperHeld.values { try await world.apple.releaseHeld(by: name) }
        _ = try await world.apple.wait(
            atLeast: ["answered": .integer(Int64(answered + owed))], seconds: Self.patienceSeconds)
        try await sleeper.connect()
        // Behind it in the store's queue is what it makes of the answers, or before it.
        _ = try await sleeper.clients[0].call("GET", "/readyz")
        try await world.apple.setFaults([])
        for name in Self.otherHeld.values { try await world.apple.releaseHeld(by: name) }
    }

    private func startOther(in round: Int) async throws -> CrashWorld.Server {
        let server = try world.makeServer("\(round)-other", leaseSeconds: 1)
        try await server.connect()
        return server
    }

    /// Stops a process where it does not hold the lock for writing, which no other process could wait for.
    private func freeze(_ server: CrashWorld.Server) async throws {
        for _ in 0..<Self.stopAttempts {
            server.process.send(SIGSTOP)
            try await world.waitUntilStopped(server)
            if try await !world.holdsLock(server) { return }
            server.process.send(SIGCONT)
            try await world.loop.sleep(for: Self.workPause)
        }
        throw ProgramProcess.Failure(description: "the process was always stopped within a transaction")
    }

    /// Continues the stopped process, and lets both work.
    private func wake(
        _ sleeper: CrashWorld.Server, beside other: CrashWorld.Server, _ stop: CrashRound.Stop
    ) async throws {
        sleeper.process.send(SIGCONT)
        if stop.release == .afterwards { try await world.apple.releaseHeld() }
        try await sleeper.connect()
        // Its own answer shows that it is awake.
        let readiness = try await sleeper.clients[0].call("GET", "/readyz")
        guard readiness.status == 200 else {
            throw ProgramProcess.Failure(
                description: "after its stop the process says \(readiness); \(sleeper.process.lastWords)")
        }
        let goal = stream.answered + Self.postsAfterwards
        stream.use(sleeper.clients + other.clients)
        stream.allow(2 * Self.postsAfterwards)
        try await patiently("two processes do not answer posts; \(sleeper.process.lastWords)") { [stream] in
            try await stream.wait(untilAnswered: goal)
        }
    }

    private func end(
        _ sleeper: CrashWorld.Server, _ other: CrashWorld.Server, _ stop: CrashRound.Stop
    ) async throws {
        stream.use(other.clients)
        if stop.isDrained { try await sleeper.drain() } else { try await sleeper.kill() }
        stream.use([])
        stream.allow(0)
        try await other.kill()
        let after = try await world.apple.wait(atMost: ["connections_open": 0], seconds: Self.patienceSeconds)
        progress.withLock { $0.lost = Int(after.counters["lost"]?.integer ?? 0) }
        // Nobody is left to whom an answer is owed.
        try await world.apple.releaseHeld()
    }
}
