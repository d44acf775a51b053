import ReveilleEmulator
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting

/// An emulated Apple with a registered key, and senders on a loop of their own.
struct Workbench: Sendable {
    let apple: APNsEmulator
    let clock: ManualClock
    let key: TestKey
    let loop: EventLoop
    let clients = Locked<[PushClient]>([])

    /// Seconds since 1970 on the emulator's clock.
    var now: Int64 {
        let now: WallInstant = clock.now()
        return now.seconds
    }

    /// A valid `authorization` field of this moment.
    var bearer: String { key.bearer(issuedAt: now) }

    /// A right request.
    var push: TestPush { TestPush(bearer) }

    /// Connects a sender.
    func connect(
        _ environment: AppleEnvironment = .production, alpn: [String] = ["h2"],
        closesAtEnd: Bool = true
    ) async throws -> PushClient {
        let client = try await PushClient(
            to: apple.address(of: environment) ?? .loopback(port: 1), trusting: apple.authorityPEM,
            alpn: alpn,
            closesAtEnd: closesAtEnd, on: loop)
        clients.withLock { $0.append(client) }
        return client
    }

    /// Connects a sender and lets it show its token, so that its stream limit is raised.
    func connectAuthenticated(
        _ environment: AppleEnvironment = .production
    ) async throws -> PushClient {
        let client = try await connect(environment)
        _ = try await client.send(push.to("00"))
        return client
    }
}

/// Runs an emulated Apple for the time of `body`.
///
/// Its wall clock stands still until the test moves it; timers run in real time.
func withApple<R>(
    _ change: (inout APNsEmulatorConfiguration, TestKey) -> Void = { _, _ in },
    manualTimers: Bool = false, _ body: (Workbench) async throws -> R
) async throws -> R {
    let key = TestKey()
    let clock = ManualClock()
    var configuration = APNsEmulatorConfiguration(
        addresses: [.production: .loopback(port: 0), .sandbox: .loopback(port: 0)],
        providerTokens: .signedBy([key.registered()]), bundleIDs: [TestPush.bundleID])
    change(&configuration, key)
    let apple = try APNsEmulator(
        configuration, wallClock: clock,
        monotonicClock: manualTimers ? clock : SystemMonotonicClock())
    try apple.start()
    return try await withEventLoop(name: "senders") { loop in
        let workbench = Workbench(apple: apple, clock: clock, key: key, loop: loop)
        let result: Result<R, any Error>
        do { result = .success(try await body(workbench)) } catch { result = .failure(error) }
        for client in workbench.clients.withLock({ $0 }) { await client.close() }
        await apple.stop()
        return try result.get()
    }
}
