import Glibc
import ReveilleJSON
import ReveilleRuntime

extension CrashRound.Apple {
    /// The faults that make the emulator behave so.
    var faults: [JSONValue] {
        switch self {
        case .answering: []
        case .silent(let isTaken, let after, let every):
            [
                [
                    "when": ["skip": .integer(Int64(after)), "every": .integer(Int64(every))],
                    "action": ["kind": "stall", "accepted": .boolean(isTaken)],
                ]
            ]
        case .slow(let milliseconds):
            [["action": ["kind": "delay", "milliseconds": .integer(Int64(milliseconds))]]]
        case .unreachable: [["action": ["kind": "refuse_connection"]]]
        }
    }
}

/// Rounds that end with SIGKILL.
extension CrashRun {
    /// New posts beyond those that a moment waits for, so that others are under way then.
    private static let surplus = 12
    /// New posts of a round that waits for Apple.
    private static let plenty = 400

    func play(_ kill: CrashRound.Kill, in round: Int) async throws {
        try await world.apple.setFaults(kill.apple.faults)
        let server = try world.makeServer("\(round)", leaseSeconds: kill.leaseSeconds)
        switch kill.moment {
        case .starting(let milliseconds): try await world.loop.sleep(for: .milliseconds(milliseconds))
        case .answered(let count):
            try await server.connect()
            let goal = stream.answered + count
            stream.use(server.clients)
            stream.allow(count + Self.surplus)
            try await patiently("\(count) posts were not answered; \(server.process.lastWords)") { [stream] in
                try await stream.wait(untilAnswered: goal)
            }
        case .held(let count):
            try await server.connect()
            stream.use(server.clients)
            stream.allow(Self.plenty)
            try await waitForRequests(count)
        }
        if kill.pauseMilliseconds > 0 { try await world.loop.sleep(for: .milliseconds(kill.pauseMilliseconds)) }
        server.process.send(SIGKILL)
        stream.use([])
        stream.allow(0)
        try await server.kill()
        try await countKill()
    }

    /// Waits until Apple owes so many answers.
    func waitForRequests(_ count: Int) async throws {
        let owed = try await world.apple.wait(
            atLeast: ["in_flight": .integer(Int64(count))], seconds: Self.patienceSeconds)
        guard owed.met else {
            throw ProgramProcess.Failure(
                description: "Apple did not get \(count) requests to leave unanswered, but \(owed.counters)")
        }
    }

    /// Counts the crash when Apple has noticed the end of every connection.
    ///
    /// What it then calls lost it had received and not answered at the moment of the crash.
    private func countKill() async throws {
        let after = try await world.apple.wait(atMost: ["connections_open": 0], seconds: Self.patienceSeconds)
        guard after.met else { throw ProgramProcess.Failure(description: "a dead server's connection stays open") }
        let lost = Int(after.counters["lost"]?.integer ?? 0)
        let before = progress.withLock { progress in
            defer { progress.lost = lost }
            return progress.lost
        }
        countCrash(inFlight: lost - before)
    }
}
