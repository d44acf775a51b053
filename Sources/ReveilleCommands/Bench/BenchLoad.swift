internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime

/// Posts over HTTP and counts what comes back, from outside the server.
final class BenchLoad: Sendable {
    private struct Counts {
        var accepted = 0
        var wakes = 0
        var pushes = 0
    }

    /// Wakes posted and not yet pushed, above which no further post is made: a burst beyond it would rightly be merged into
    /// fewer wakes, and the wakes could not be counted one by one.
    private static let window = 4_000

    /// How often the emulator is asked how many pushes it has.
    private static let pollPause = Duration.milliseconds(2)
    /// Without a new push for so long the rest is given up.
    private static let patience = Duration.seconds(20)

    private let callers: [APICaller]
    private let control: APICaller
    private let token: String
    private let loop: EventLoop
    /// Workers stay on the loop of their connections, as a lean client would.
    private let executor: LoopExecutor
    private let clock = SystemMonotonicClock()
    private let counts = Locked(Counts())

    init(server: String, control: String, token: String, connections: Int, loop: EventLoop) throws {
        callers = try (0..<connections).map { _ in try APICaller(url: server, cleartext: .http2, loop: loop) }
        self.control = try APICaller(url: control, cleartext: .http2, loop: loop)
        self.token = token
        self.loop = loop
        executor = LoopExecutor(loop: loop)
    }

    /// Ends all connections.
    func close() async {
        for caller in callers { await caller.close() }
        await control.close()
    }

    /// Posts that were answered with 202.
    var accepted: Int { counts.withLock { $0.accepted } }
    /// Wakes that those posts stand for.
    var wakesPosted: Int { counts.withLock { $0.wakes } }

    /// The seconds that `body` took.
    func time(_ body: () async throws -> Void) async throws -> Double {
        let start = clock.now()
        try await body()
        return Double(clock.now().nanoseconds - start.nanoseconds) / 1e9
    }

    /// The seconds that `body` took, and the wakes it posted.
    func timeOfWakes(_ body: () async throws -> Void) async throws -> (seconds: Double, units: Int) {
        let before = wakesPosted
        let seconds = try await time(body)
        return (seconds, wakesPosted - before)
    }

    /// Posts to a thousand recipients at a time, going round the devices in strides, so that neighbours in the database are not
    /// neighbours in a post.
    func postWide(wakes: Int, devices: Int, concurrency: Int) async throws {
        let width = min(devices, BenchPipeline.recipientsPerPost)
        let posts = max(1, wakes / width)
        let blocks = devices / width
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<concurrency {
                group.addTask(executorPreference: executor) { [self] in
                    for post in stride(from: worker, to: posts, by: concurrency) {
                        let recipients = (0..<width).map { JSONValue.string("p\($0 * blocks + post % blocks)") }
                        try await waitForRoom()
                        try await self.post(recipients, over: callers[worker % callers.count])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Posts to one recipient at a time, over all connections at once.
    func postSingle(posts: Int, devices: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (worker, caller) in callers.enumerated() {
                group.addTask(executorPreference: executor) { [self] in
                    for post in stride(from: worker, to: posts, by: callers.count) {
                        try await self.post([.string("p\(post % devices)")], over: caller)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func post(_ recipients: [JSONValue], over caller: APICaller) async throws {
        let answer = try await caller.call(
            "POST", "/api/v1/notifications", token: token,
            body: ["recipients": .array(recipients), "category": "message", "title": "bench", "body": "bench"])
        guard answer.status == 202 else { throw APICaller.refusal(answer) }
        counts.withLock { counts in
            counts.accepted += 1
            counts.wakes += recipients.count
        }
    }

    /// Waits until few enough wakes are on their way.
    private func waitForRoom() async throws {
        let wanted = counts.withLock { $0.wakes - Self.window }
        guard try await waitForPushes(wanted) else {
            throw CommandFailure("pushes stopped coming before all wakes were posted; see the server's log")
        }
    }

    /// Asks the emulator how many pushes it accepted.
    private func look() async throws {
        let pushes = Int(try await control.call("GET", "/counters").body["accepted"]?.integer ?? 0)
        let isNew = counts.withLock { counts in
            defer { counts.pushes = max(counts.pushes, pushes) }
            return pushes > counts.pushes
        }
        if !isNew { try await loop.sleep(for: Self.pollPause) }
    }

    /// Waits until the emulator accepted so many pushes, or no more arrive, which is false; the report tells the difference.
    @discardableResult
    func waitForPushes(_ wanted: Int) async throws -> Bool {
        var last = -1
        var deadline = clock.now() + Self.patience
        while true {
            let pushes = counts.withLock { $0.pushes }
            if pushes >= wanted { return true }
            if pushes > last {
                last = pushes
                deadline = clock.now() + Self.patience
            } else if clock.now() >= deadline {
                return false
            }
            try await look()
        }
    }

    /// What the emulator accepted: all, and different ids.
    func pushes() async throws -> (accepted: Int, distinct: Int) {
        let counters = try await control.call("GET", "/counters").body
        let summary = try await control.call("GET", "/pushes/summary").body
        return (
            Int(counters["accepted"]?.integer ?? 0), Int(summary["distinct_apns_ids"]?.integer ?? 0)
        )
    }

    /// The time from commit to wire as the server's histogram has it, in milliseconds.
    func commitToWire() async throws -> (p50: Double?, p99: Double?) {
        let text = try await callers[0].text("GET", "/metrics")
        let histogram = PrometheusHistogram(text, name: "reveille_commit_to_wire_seconds")
        return (histogram.quantile(0.5).map { $0 * 1_000 }, histogram.quantile(0.99).map { $0 * 1_000 })
    }
}
