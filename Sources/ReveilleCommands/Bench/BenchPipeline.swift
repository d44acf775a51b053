internal import Glibc
internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleCrypto
internal import ReveilleJSON
internal import ReveilleRuntime
internal import ReveilleStorage
internal import ReveilleStorageSQLite
internal import ReveilleTelemetry

/// Measures the shipped server from outside: the server and the emulator are processes of their own.
struct BenchPipeline {
    /// What to measure.
    struct Options: Sendable {
        var devices = 1_000
        var wakes = 200_000
        var posts = 40_000
        var connections = 64
    }

    static let topic = "org.example.bench"
    static let recipientsPerPost = 1_000
    /// Posts with many recipients that are under way at once.
    static let wideConcurrency = 4
    private static let warmUpPosts = 4

    let options: Options
    let terminal: Terminal

    /// Runs everything and returns the figures.
    func run() async throws -> BenchPipelineReport {
        let folder = try makeFolder()
        defer { TemporaryFolder.remove(folder) }
        terminal.progress("registering \(options.devices) devices")
        let token = try await seed(folder)
        let emulator = try startEmulator(folder)
        defer { emulator.child.stop() }
        let server = try startServer(folder, emulator: emulator.facts)
        var stopped = false
        defer { if !stopped { server.child.stop() } }
        let loop = EventLoop(name: "bench")
        loop.start()
        defer { loop.stop() }
        let load = try BenchLoad(
            server: server.url, control: emulator.control, token: token, connections: options.connections, loop: loop)
        let result: Result<BenchPipelineReport, any Error>
        do { result = .success(try await measure(load, server.child)) } catch { result = .failure(error) }
        await load.close()
        stopped = true
        server.child.stop()
        terminal.endProgress()
        return try await result.get().counting(rowsIn: folder)
    }

    private func measure(_ load: BenchLoad, _ server: ChildProcess) async throws -> BenchPipelineReport {
        // The first posts open the connections and warm the caches; they are counted, not timed. One after the other: what
        // waits while a lane does not yet know its rate is merged with what comes, and could not be counted.
        try await load.postSingle(posts: 1, devices: options.devices)
        try await load.waitForPushes(load.wakesPosted)
        let width = min(options.devices, Self.recipientsPerPost)
        for _ in 0..<Self.warmUpPosts {
            try await load.postWide(wakes: width, devices: options.devices, concurrency: 1)
            try await load.waitForPushes(load.wakesPosted)
        }
        let idle = server.memoryKiB ?? 0
        // A device's first success is written into its row; what is measured then is a server that has run for a while.
        terminal.progress("waking each of \(options.devices) devices for the first time")
        let first = try await load.timeOfWakes {
            try await load.postWide(
                wakes: options.devices, devices: options.devices, concurrency: Self.wideConcurrency)
            try await load.waitForPushes(load.wakesPosted)
        }
        terminal.progress("posting \(options.wakes) wakes")
        let wide = try await load.timeOfWakes {
            try await load.postWide(wakes: options.wakes, devices: options.devices, concurrency: Self.wideConcurrency)
            try await load.waitForPushes(load.wakesPosted)
        }
        terminal.progress("posting \(options.posts) notifications to one device each")
        var accepting = 0.0
        let single = try await load.timeOfWakes {
            accepting = try await load.time {
                try await load.postSingle(posts: options.posts, devices: options.devices)
            }
            try await load.waitForPushes(load.wakesPosted)
        }
        let wire = try await load.commitToWire()
        let counters = try await load.pushes()
        return BenchPipelineReport(
            devices: options.devices, firstWakesPerSecond: Double(first.units) / first.seconds,
            wakesPerSecond: Double(wide.units) / wide.seconds,
            postsPerSecond: Double(options.posts) / accepting,
            singleWakesPerSecond: Double(options.posts) / single.seconds, accepted: load.accepted,
            expectedWakes: load.wakesPosted, pushes: counters.accepted, distinctPushes: counters.distinct,
            commitToWireP50: wire.p50, commitToWireP99: wire.p99, idleMemoryMiB: Double(idle) / 1_024,
            peakMemoryMiB: Double(server.peakMemoryKiB ?? 0) / 1_024)
    }

    private func makeFolder() throws -> String {
        do {
            return try TemporaryFolder.make("reveille-bench")
        } catch {
            throw CommandFailure(error.reason)
        }
    }

    /// Makes the store with a profile and a device each, through the store's own interface.
    private func seed(_ folder: String) async throws -> String {
        let key = P256PrivateKey.generate()
        do {
            try FileWriting.write(Array(key.pkcs8PEM.reveal().utf8), to: folder + "/apns.p8", mode: 0o600)
        } catch {
            throw CommandFailure("the key of the benchmark cannot be written: \(error.reason)")
        }
        let source = SettingsSource(environment: environment(folder, emulator: nil))
        let settings = try HomeSettings.read(source)
        let store = try await StoreOpener.open(settings, log: .silent)
        guard let producer = try await store.createProducer(name: "bench") else {
            throw CommandFailure("the benchmark's producer cannot be made")
        }
        let token = try await store.createToken(.producer(producer), scopes: [.notify], label: "bench").token
        let app = App(identifier: Self.topic, topics: [Self.topic], shape: .reveille)
        let devices = options.devices
        try await withThrowingTaskGroup(of: Void.self) { group in
            let lanes = 256
            for lane in 0..<lanes {
                group.addTask {
                    for number in stride(from: lane, to: devices, by: lanes) {
                        let profile = try await store.profile("p\(number)", of: producer)
                        _ = try await store.register(Self.registration(profile, app, number))
                    }
                }
            }
            try await group.waitForAll()
        }
        await store.close()
        return token
    }

    private static func registration(_ profile: ProfileRow, _ app: App, _ number: Int) throws -> DeviceRegistration {
        DeviceRegistration(
            profile: profile, signedInAtMilliseconds: 1, credential: nil, app: app, topic: topic,
            lane: .apns(.production), address: .apns(try DeviceToken(octets: SecureRandom.bytes(32))),
            installID: "d\(number)",
            installationKey: nil, generation: nil, os: .iOS, name: .absent, appVersion: nil, locale: nil, pushMode: nil,
            categories: .absent, idempotencyKey: nil, verificationCode: nil)
    }

    /// The defaults of the server; only what it needs to find its parts is set.
    private func environment(_ folder: String, emulator: (url: String, authority: String)?) -> [String: String] {
        var variables = [
            "REVEILLE_DATA": folder + "/data", "REVEILLE_MASTER_KEY_FILE": folder + "/master.key",
            "REVEILLE_APPLE_PUSH": "custom_apns", "REVEILLE_APNS_TEAM_ID": "BENCHTEAM1",
            "REVEILLE_APNS_KEY_ID": "BENCHKEY01", "REVEILLE_APNS_KEY_FILE": folder + "/apns.p8",
            "REVEILLE_APPS": Self.topic, "REVEILLE_VISIBLE_CATEGORIES": "message", "REVEILLE_LISTEN": "127.0.0.1:0",
        ]
        if let emulator {
            variables["REVEILLE_APNS_PRODUCTION_URL"] = emulator.url
            variables["REVEILLE_APNS_SANDBOX_URL"] = emulator.url
            variables["REVEILLE_APNS_CA_FILE"] = emulator.authority
        }
        return variables
    }

    private func startEmulator(
        _ folder: String
    ) throws -> (child: ChildProcess, facts: (url: String, authority: String), control: String) {
        let authority = folder + "/ca.pem"
        let (child, line) = try ChildProcess.startOurselves(
            [
                "emulate", "apns", "--listen", "127.0.0.1:0", "--sandbox-listen", "127.0.0.1:0", "--control",
                "127.0.0.1:0", "--ids-only", "--ca-file", authority, "--json",
            ], environment: [:], errorsTo: folder + "/emulator.log")
        guard let facts = try? JSONReader.parse(Array(line.utf8)), let url = facts["production"]?.string,
            let control = facts["control"]?.string
        else {
            child.stop()
            throw CommandFailure("the emulator did not say where it listens")
        }
        return (child, (url, authority), control)
    }

    private func startServer(
        _ folder: String, emulator: (url: String, authority: String)
    ) throws -> (child: ChildProcess, url: String) {
        let (child, line) = try ChildProcess.startOurselves(
            ["serve", "--json"], environment: environment(folder, emulator: emulator),
            errorsTo: folder + "/server.log")
        guard let url = (try? JSONReader.parse(Array(line.utf8)))?["url"]?.string else {
            child.stop()
            throw CommandFailure("the server did not say where it listens")
        }
        return (child, url)
    }
}
