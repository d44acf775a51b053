import ReveilleAPNs
import ReveilleCore
import ReveilleCrypto
import ReveilleEmulator
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSending
import ReveilleTLS
import ReveilleTelemetry
import ReveilleTesting

/// A lane that hands out what a test gives it, and notes what comes back.
final class TestLane: TrySource {
    private var waiting: [TestTry] = []
    let ended: Probe<[EndedTry]>
    let states: Probe<[SenderState]>

    init(ended: Probe<[EndedTry]>, states: Probe<[SenderState]>) {
        self.ended = ended
        self.states = states
    }

    var unsent: Int { waiting.count }

    func add(_ tries: [TestTry]) { waiting += tries }

    func hasTry(of standing: TokenStanding) -> Bool { waiting.contains { $0.standing == standing } }

    func nextTry(of standing: TokenStanding, into buffer: TryBuffer) -> Bool {
        guard let next = waiting.firstIndex(where: { $0.standing == standing }) else { return false }
        waiting.remove(at: next).write(into: buffer)
        return true
    }

    func tryDidEnd(tag: UInt64, result: TryResult) { ended.append(EndedTry(tag: tag, result: result)) }

    func senderDidChange(_ state: SenderState) { states.append(state) }
}

/// A sender on a loop whose clock stands still until the test moves it, in front of an emulated Apple.
actor SenderWorld {
    nonisolated let loop: EventLoop
    nonisolated let clock: ManualClock
    nonisolated let apple: APNsEmulator
    nonisolated let tokens: ProviderTokens
    nonisolated let ended = Probe<[EndedTry]>([])
    nonisolated let states = Probe<[SenderState]>([])
    nonisolated let resolver: CountingResolver
    nonisolated let metrics = MetricsRegistry()
    private var lane: TestLane?
    private var sender: APNsSender?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EventLoop, clock: ManualClock, apple: APNsEmulator, tokens: ProviderTokens) {
        self.loop = loop
        self.clock = clock
        self.apple = apple
        self.tokens = tokens
        resolver = CountingResolver(apple.address(of: .production) ?? .loopback(port: 1))
    }

    func makeSender(
        trusting authority: String, offering protocols: [String],
        _ change: @Sendable (inout SendingConfiguration) -> Void
    ) throws {
        let tls = try TLSContext(
            client: TLSClientConfiguration(alpn: protocols, extraAuthorityPEM: authority, trustsSystemRoots: false))
        var configuration = SendingConfiguration(host: "localhost", tls: tls)
        configuration.connections = 1
        change(&configuration)
        let lane = TestLane(ended: ended, states: states)
        self.lane = lane
        sender = APNsSender(
            configuration: configuration, providerTokens: tokens, source: lane, loop: loop, resolver: resolver,
            log: .silent, metrics: APNsMetrics(metrics), wallClock: clock, random: SeededRandom(seed: 7))
    }

    /// Puts tries into the lane and tells the sender.
    func send(_ tries: [TestTry]) {
        lane?.add(tries)
        sender?.triesAreWaiting()
    }

    var unsent: Int { lane?.unsent ?? 0 }
    var requestDeadlineSeconds: Int64 { sender?.requestDeadlineSeconds ?? 0 }

    /// Begins to drain; what is put into the loop afterwards comes after the beginning.
    func startDrain(within limit: Duration) -> Task<Void, Never> {
        Task { await sender?.drain(within: limit) }
    }

    func drain(within limit: Duration) async { await sender?.drain(within: limit) }

    // MARK: Waiting

    /// Waits for the end of a try.
    nonisolated func end(of tag: Int) async throws -> TryResult {
        let all = try await ended.wait { $0.contains { $0.tag == UInt64(tag) } }
        guard let found = all.first(where: { $0.tag == UInt64(tag) }) else { throw CancellationError() }
        return found.result
    }

    /// Waits until so many tries have ended, and returns them by tag.
    nonisolated func ends(_ count: Int) async throws -> [UInt64: ReveilleCore.Outcome] {
        let all = try await ended.wait { $0.count >= count }
        return Dictionary(uniqueKeysWithValues: all.map { ($0.tag, $0.outcome) })
    }

    /// Sends one try, waits until it is accepted: the connection has proved its token.
    nonisolated func prove(_ number: Int = 0) async throws {
        await send([TestTry(number)])
        _ = try await end(of: number)
    }

    /// Moves both clocks, step by step as time would, and lets the loop act on it.
    nonisolated func advance(by duration: Duration, steps: Int = 1) async {
        for _ in 0..<steps {
            clock.advance(by: duration)
            await loop.settle()
        }
    }

    /// How many connections have ended, however they did.
    nonisolated var endedConnections: Int {
        metrics.prometheusText().split(separator: "\n").reduce(0) { sum, line in
            guard line.hasPrefix("reveille_apns_connections_ended_total{") else { return sum }
            return sum + (line.split(separator: " ").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// The numbers of the connections that requests came on, in order.
    nonisolated func connectionsSeen() async -> [Int] { await apple.seen().map(\.connection) }
}

/// Counts how often a name is looked up.
final class CountingResolver: Resolver {
    private let address: Locked<SocketAddress>
    let count = Probe(0)

    init(_ address: SocketAddress) { self.address = Locked(address) }

    func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] {
        count.update { $0 += 1 }
        return [address.withLock { $0 }]
    }
}

/// Runs a sender in front of an emulated Apple for the time of `body`.
func withSender(
    _ change: @escaping @Sendable (inout SendingConfiguration) -> Void = { _ in },
    streamLimit: Int = 1_000, trustsEmulator: Bool = true, offering protocols: [String] = ["h2"],
    _ body: (SenderWorld) async throws -> Void
) async throws {
    let clock = ManualClock()
    let key = P256PrivateKey.generate()
    let registered = AppleKey(teamID: "TEAMID6789", keyID: "KEYID12345", publicKey: key.publicKey)
    let apple = try APNsEmulator(
        APNsEmulatorConfiguration(providerTokens: .signedBy([registered]), streamLimit: streamLimit), wallClock: clock)
    try apple.start()
    let authority =
        trustsEmulator
        ? apple.authorityPEM : try CertificateAuthority.generate(commonName: "Somebody else").certificatePEM
    let tokens = ProviderTokens(
        credential: try APNsCredential(teamID: "TEAMID6789", keyID: "KEYID12345", key: key), wallClock: clock,
        clock: clock)
    try await withEventLoop(name: "sender", clock: clock) { loop in
        let world = SenderWorld(loop: loop, clock: clock, apple: apple, tokens: tokens)
        try await world.makeSender(trusting: authority, offering: protocols, change)
        let result: Result<Void, any Error>
        do { result = .success(try await body(world)) } catch { result = .failure(error) }
        await apple.removeFaults()
        await apple.releaseHeld()
        let drain = await world.startDrain(within: .seconds(1))
        await loop.settle()
        clock.advance(by: .seconds(10))
        await drain.value
        await apple.stop()
        try result.get()
    }
}
