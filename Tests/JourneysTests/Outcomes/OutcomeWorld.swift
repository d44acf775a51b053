import ReveilleAPNs
import ReveilleCommands
import ReveilleCore
import ReveilleCrypto
import ReveilleDispatcher
import ReveilleEmulator
import ReveilleEndpoints
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSending
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTLS
import ReveilleTelemetry
import ReveilleTesting
import Testing

/// The whole road on clocks that the test moves: API, store in a file, dispatcher, sender, TLS and HTTP/2 over loopback, and an
/// emulated Apple with both environments.
final class OutcomeWorld: Sendable {
    static let topic = "org.example.mail"
    static let category = "mail"
    static let lane = LaneKey.apns(.production)

    let clock: ManualClock
    let loop: EventLoop
    let apple: APNsEmulator
    let store: SQLiteHomeStore
    let dispatcher: Dispatcher
    let api: HomeAPI
    let producerToken: String
    let adminToken: String
    private let running: Task<Void, any Error>

    private init(
        clock: ManualClock, loop: EventLoop, apple: APNsEmulator, store: SQLiteHomeStore, dispatcher: Dispatcher,
        api: HomeAPI
    ) async throws {
        self.clock = clock
        self.loop = loop
        self.apple = apple
        self.store = store
        self.dispatcher = dispatcher
        self.api = api
        let producer = try #require(try await store.createProducer(name: "tests"))
        producerToken =
            try await store.createToken(.producer(producer), scopes: Set(Scope.allCases), label: "test").token
        adminToken = try await store.createToken(.admin, scopes: [], label: "test").token
        running = Task { try await dispatcher.run() }
    }

    /// Runs everything for the time of `body`.
    static func with(_ body: (OutcomeWorld) async throws -> Void) async throws {
        let clock = ManualClock()
        let directory = try TemporaryDirectory.make()
        defer { directory.remove() }
        try await withEventLoop(name: "home", clock: clock) { loop in
            let key = P256PrivateKey.generate()
            let apple = try APNsEmulator(
                APNsEmulatorConfiguration(
                    addresses: [.production: .loopback(port: 0), .sandbox: .loopback(port: 0)],
                    providerTokens: .signedBy([
                        AppleKey(teamID: "TEAMID6789", keyID: "KEYID12345", publicKey: key.publicKey)
                    ])), wallClock: clock, monotonicClock: clock)
            try apple.start()
            let apps = AppRegistry([App(identifier: topic, topics: [topic], shape: .reveille)])
            let store = try await SQLiteHomeStore.open(
                path: directory.file("store.sqlite"), masterKeys: MasterKeys(current: .generate()), apps: apps,
                clock: clock, steady: clock, random: UnhurriedRandom())
            let credential = try APNsCredential(teamID: "TEAMID6789", keyID: "KEYID12345", key: key)
            let dispatcher = try dispatcher(store, loop: loop, apple: apple, credential, clock)
            let world = try await OutcomeWorld(
                clock: clock, loop: loop, apple: apple, store: store, dispatcher: dispatcher,
                api: api(store, apps, dispatcher, clock))
            let result: Result<Void, any Error>
            do { result = .success(try await body(world)) } catch { result = .failure(error) }
            await world.stop()
            await apple.stop()
            await store.close()
            try result.get()
        }
    }

    /// Stops the dispatcher as a process does at its end; what is unanswered then is given up once its time has passed.
    func stop() async {
        running.cancel()
        let ended = Probe(false)
        let ending = Task {
            _ = await running.result
            ended.update { $0 = true }
        }
        // Time must not run before the lanes know that they end.
        while !ended.value, await dispatcher.health().contains(where: { $0.state != .stopping }) { await breathe() }
        while !ended.value {
            await breathe()
            clock.advance(by: .seconds(1))
        }
        await ending.value
    }

    private static func dispatcher(
        _ store: SQLiteHomeStore, loop: EventLoop, apple: APNsEmulator, _ credential: APNsCredential,
        _ clock: ManualClock
    ) throws -> Dispatcher {
        let tokens = ProviderTokens(credential: credential, wallClock: clock, clock: clock)
        let tls = try TLSContext(
            client: TLSClientConfiguration(
                alpn: [HTTP2ClientConnection.protocolName], extraAuthorityPEM: apple.authorityPEM,
                trustsSystemRoots: false))
        let registry = MetricsRegistry()
        let metrics = APNsMetrics(registry)
        var options = DispatcherOptions()
        // As `serve` stops: sooner than a request runs out.
        options.drainLimit = .seconds(10)
        options.lanes = APNsEnvironment.allCases.map { LaneKey.apns($0) }
        return Dispatcher(
            store: store, tokens: store.vault, publicIDs: store.secrets.publicIDs, collapse: store.secrets.collapse,
            senders: { key, source, loop in
                let place = apple.address(of: key == .apns(.production) ? .production : .sandbox)
                var configuration = SendingConfiguration(host: "localhost", address: place, tls: tls)
                // The clock runs faster than PING and its answer: an idle connection would be given up at random.
                configuration.limits.pulse.idle = .seconds(86_400)
                return APNsSender(
                    configuration: configuration, providerTokens: tokens, source: source, loop: loop,
                    resolver: NoNames(), log: .silent,
                    metrics: metrics, wallClock: clock)
            }, loops: [loop], options: options, steady: clock, wall: clock, log: .silent,
            metrics: DispatcherMetrics(
                registry: registry, reasons: APNsOutcomes.rows.map { APNsOutcomes.word($0.reason) }))
    }

    /// A test looks more often than any client may.
    private static var limits: InboxLimits {
        var limits = InboxLimits()
        limits.profile = RateLimit(perSecond: 100_000, burst: 1_000_000)
        return limits
    }

    private static func api(
        _ store: SQLiteHomeStore, _ apps: AppRegistry, _ dispatcher: Dispatcher, _ clock: ManualClock
    ) -> HomeAPI {
        let inbox = HomeInbox(
            store: store, secrets: store.secrets, apps: apps,
            categories: CategoryRegistry([Category(name: category, alert: .visible)]),
            apple: ApplePushSettings(provider: .customAPNs), services: PushServices(policy: EndpointPolicy(), keys: []),
            lanes: LaneSwitch(dispatcher),
            limits: limits,
            clock: clock, steady: clock, random: SystemRandom(), pause: { _ in try await OneShot<Void>().wait() })
        return HomeAPI(inbox: inbox, log: .silent, metrics: MetricsRegistry(), clock: clock, random: SystemRandom())
    }

    // MARK: Time

    /// Lets time pass on both clocks, in steps between which what came due is done.
    func pass(_ duration: Duration) async {
        var left = duration
        while left > .zero {
            let step = min(left, .seconds(300))
            await jump(step)
            left -= step
        }
    }

    /// Lets time pass at once.
    func jump(_ duration: Duration) async {
        await breathe()
        clock.advance(by: duration)
        await breathe()
    }

    /// Lets everything that began come to its end, the store's work included: what Apple has not seen then was not on its way.
    func rest() async throws {
        for _ in 0..<3 {
            await breathe()
            // Writes are done in the order in which they were asked for.
            try await store.probeWrite()
        }
        await breathe()
    }

    /// Lets both loops act on what is there.
    func breathe() async {
        for _ in 0..<2 {
            await loop.settle()
            _ = await apple.counters()
        }
    }
}

/// Draws as the system does, but no jitter of nearly nothing: a next try that is due at once would come before the row is looked at.
private struct UnhurriedRandom: RandomSource {
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        SystemRandom().fill(buffer)
        // Of a number from 0 to 1, which is drawn in eight octets, at least a sixteenth.
        if buffer.count == 8 { buffer[7] |= 0x10 }
    }
}

/// The emulator's addresses are given; nothing is ever looked up.
private struct NoNames: Resolver {
    func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] { [] }
}
