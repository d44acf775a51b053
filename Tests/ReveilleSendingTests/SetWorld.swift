import LaneTesting
import ReveilleCore
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSending
import ReveilleTLS
import ReveilleTelemetry
import ReveilleTesting

/// A set on a loop whose clock stands still until the test moves it, in front of a scripted server.
actor SetWorld {
    nonisolated let loop: EventLoop
    nonisolated let clock: ManualClock
    nonisolated let server: ScriptedServer
    nonisolated let resolver: ScriptedResolver
    nonisolated let ended = Probe<[ScriptedEnd]>([])
    nonisolated let states = Probe<[SenderState]>([])
    private let metrics = MetricsRegistry()
    private var lane: ScriptedLane?
    private var set: ConnectionSet?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EventLoop, clock: ManualClock, server: ScriptedServer) {
        self.loop = loop
        self.clock = clock
        self.server = server
        resolver = ScriptedResolver([server.address])
    }

    func makeSet(_ change: @Sendable (inout SendingConfiguration) -> Void) throws {
        let tls = try TLSContext(
            client: TLSClientConfiguration(
                alpn: ["h2", "http/1.1"], extraAuthorityPEM: server.authorityPEM, trustsSystemRoots: false))
        var configuration = SendingConfiguration(host: "push.example.org", tls: tls)
        configuration.separatesStandings = false
        // Time passes faster here than answers to PING can come.
        configuration.limits.pulse.idle = .seconds(86_400)
        change(&configuration)
        let lane = ScriptedLane(ended: ended, states: states)
        self.lane = lane
        let counters = SendingMetrics(
            results: metrics.counter("tries_total", help: "Tries.", label: "result", SendingMetrics.Result.self),
            connectionsOpened: metrics.counter("opened_total", help: "Opened."),
            connectionsEnded: metrics.counter(
                "ended_total", help: "Ended.", label: "fate", SendingMetrics.ConnectionFate.self))
        set = ConnectionSet(
            form: TestForm(authority: configuration.authority), configuration: configuration, source: lane, loop: loop,
            resolver: resolver, log: .silent, metrics: counters, random: SeededRandom(seed: 7))
    }

    /// Puts tries into the lane and tells the set.
    func send(_ tries: [ScriptedTry]) {
        lane?.add(tries)
        set?.triesAreWaiting()
    }

    var unsent: Int { lane?.unsent ?? 0 }

    func startDrain(within limit: Duration) -> Task<Void, Never> {
        Task { await set?.drain(within: limit) }
    }

    /// Waits for the end of a try.
    nonisolated func end(of tag: Int) async throws -> TryResult {
        let all = try await ended.wait { $0.contains { $0.tag == UInt64(tag) } }
        guard let found = all.first(where: { $0.tag == UInt64(tag) }) else { throw CancellationError() }
        return found.result
    }

    /// Moves the clock and lets the loop act on it.
    nonisolated func advance(by duration: Duration) async {
        clock.advance(by: duration)
        await loop.settle()
    }
}

/// Runs a set in front of a scripted server for the time of `body`.
func withSet(
    _ change: @escaping @Sendable (inout SendingConfiguration) -> Void = { _ in },
    offering protocols: [String] = ["h2"],
    _ body: (SetWorld) async throws -> Void
) async throws {
    let clock = ManualClock()
    try await withEventLoop(name: "server") { serving in
        let server = try ScriptedServer(on: serving, names: ["push.example.org"], offering: protocols)
        server.answer { _ in ScriptedReply(201) }
        try await server.start()
        try await withEventLoop(name: "set", clock: clock) { loop in
            let world = SetWorld(loop: loop, clock: clock, server: server)
            try await world.makeSet(change)
            let result: Result<Void, any Error>
            do { result = .success(try await body(world)) } catch { result = .failure(error) }
            server.release()
            let drain = await world.startDrain(within: .seconds(1))
            await loop.settle()
            clock.advance(by: .seconds(10))
            await drain.value
            try result.get()
        }
        await server.stop()
    }
}
