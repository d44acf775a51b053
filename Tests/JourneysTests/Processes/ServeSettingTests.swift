import Glibc
import ReveilleBytes
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("What a setting says is what the process does", .temporaryDirectory, .serialized, .timeLimit(.minutes(5)))
struct ServeSettingTests {
    /// A server, Apple, and phones in the production environment.
    private struct Scene {
        let world: CrashWorld
        let server: CrashWorld.Server
        let producer: String
        private(set) var profiles: [String] = []

        /// Starts a server with further settings.
        init(_ world: CrashWorld, _ more: [String: String]) async throws {
            self.world = world
            producer = try #require(try await world.makeProducers().first)
            server = try world.makeServer("setting", leaseSeconds: 60, more: more)
            try await server.connect()
        }

        /// Registers phones, each of a profile of its own, and wakes them once, so that their tokens are proven.
        mutating func register(_ count: Int) async throws {
            for number in 1...count {
                let profile = "person-\(number)"
                let minted = try await post("/api/v1/profiles/\(profile)/tokens", producer, [:], 201)
                let token = try #require(minted["token"]?.string)
                let digits = String(number, radix: 16)
                let device: JSONValue = [
                    "device_id": .string(profile), "apns_environment": "production",
                    "apns_token": .string(String(repeating: "a", count: 64 - digits.count) + digits),
                    "apns_topic": .string(CrashHousehold.topic), "os": "ios",
                ]
                _ = try await post("/api/v1/devices/push/apple", token, device, 201)
                profiles.append(profile)
            }
            try await notify()
            let accepted = try await world.apple.wait(
                atLeast: ["accepted": .integer(Int64(count))], atMost: ["in_flight": 0], seconds: 25)
            #expect(accepted.met)
        }

        /// Posts a notification to every phone.
        func notify() async throws {
            let body: JSONValue = [
                "recipients": .array(profiles.map { .string($0) }), "category": .string(CrashHousehold.visibleCategory),
                "title": "A title",
            ]
            _ = try await post("/api/v1/notifications", producer, body, 202)
        }

        private func post(_ path: String, _ token: String, _ body: JSONValue, _ expected: Int) async throws -> JSONValue
        {
            let client = try #require(server.clients.first)
            let (status, json) = try await client.call("POST", path, token: token, body: body)
            #expect(status == expected, "\(path): \(json)")
            return json
        }

        /// Asks for something harmless again and again until a condition holds.
        func until(_ condition: () async throws -> Bool) async throws {
            let client = try #require(server.clients.first)
            while try await !condition() { #expect(try await client.call("GET", "/healthz").status == 200) }
        }
    }

    private static func with(_ more: [String: String], _ body: (inout Scene) async throws -> Void) async throws {
        let folder = try #require(TemporaryDirectory.current).path
        try await withEventLoop(name: "setting") { loop in
            let world = try await CrashWorld(folder: folder, loop: loop)
            do {
                var scene = try await Scene(world, more)
                try await body(&scene)
            } catch {
                try await world.stop()
                throw error
            }
            try await world.stop()
        }
    }

    @Test("a server has as many event loops as the setting says", arguments: [1, 3])
    func threads(count: Int) async throws {
        try await Self.with(["REVEILLE_THREADS": "\(count)"]) { scene in
            #expect(try Self.threads(of: scene.server.process).filter { $0.hasPrefix("loop-") }.count == count)
            try await scene.server.drain()
        }
    }

    private static func threads(of process: ProgramProcess) throws -> [String] {
        let folder = "/proc/\(process.processID)/task"
        let listing = try #require(opendir(folder))
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let task = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !task.hasPrefix("."), let file = fopen("\(folder)/\(task)/comm", "r") else { continue }
            defer { fclose(file) }
            var name = [CChar](repeating: 0, count: 64)
            if fgets(&name, 64, file) != nil {
                names.append(String(decoding: name.prefix { $0 > 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            }
        }
        return names
    }

    @Test(
        "a stop waits for an answer as long as the setting says, and no longer",
        arguments: [("0", false), ("300", true)])
    func drain(seconds: String, isAwaited: Bool) async throws {
        try await Self.with(["REVEILLE_DRAIN_SECONDS": seconds]) { scene in
            try await scene.register(1)
            // Later than a stop without patience, sooner than one with the usual patience would end.
            try await scene.world.apple.setFaults([["action": ["kind": "delay", "milliseconds": 4_000]]])
            try await scene.notify()
            #expect(try await scene.world.apple.wait(atLeast: ["in_flight": 1], seconds: 25).met)
            try await scene.server.drain()
            #expect(try await scene.world.outbox().unsettled == (isAwaited ? 0 : 1))
        }
    }

    @Test("to each environment there are at most as many connections as the setting says", arguments: [1, 3])
    func connections(count: Int) async throws {
        try await Self.with(["REVEILLE_APNS_CONNECTIONS": "\(count)"]) { scene in
            try await scene.register(24)
            let before = try await scene.world.apple.seen().count
            // A connection is saturated by one slow request, and another is opened after two looks a tenth of a second apart.
            try await scene.world.apple.setStreamLimit(1)
            try await scene.world.apple.setFaults([["action": ["kind": "delay", "milliseconds": 300]]])
            try await scene.notify()
            #expect(try await scene.world.apple.wait(atLeast: ["accepted": 48], seconds: 25).met)
            let used = try await scene.world.apple.seen().dropFirst(before).compactMap { $0["connection"]?.integer }
            #expect(Set(used).count == count)
            try await scene.server.drain()
        }
    }

    @Test("without descriptors the log says so of the name and of the key file, and all goes on once there are some")
    func descriptors() async throws {
        try await Self.with([:]) { scene in
            let process = scene.server.process
            try await scene.register(1)
            try await scene.world.apple.dropConnections()
            try await scene.world.worker.run { try process.limitOpenFiles(to: 3) }
            try await scene.notify()
            try await scene.until {
                process.lastWords.contains(
                    "the provider's name cannot be looked up: the limit of open files is reached")
                    && process.lastWords.contains(
                        "the master key file cannot be looked at: the limit of open files is reached")
            }
            #expect(!process.lastWords.contains("has no address"))
            try await scene.world.worker.run { try process.limitOpenFiles(to: 256) }
            #expect(try await scene.world.apple.wait(atLeast: ["accepted": 2], seconds: 25).met)
            try await scene.server.drain()
        }
    }

    @Test("the file that REVEILLE_ENV_FILE names gives a process its settings, below its variables")
    func environmentFile() async throws {
        let directory = try #require(TemporaryDirectory.current)
        let file = directory.file("reveille.env")
        let text = """
            REVEILLE_DATA=\(directory.file("data"))
            REVEILLE_MASTER_KEY_FILE=\(directory.file("master.key"))
            REVEILLE_LISTEN=127.0.0.1:0
            REVEILLE_THREADS=3
            """
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
        close(descriptor)
        for (more, threads) in [([:], 3), (["REVEILLE_THREADS": "1"], 1)] as [([String: String], Int)] {
            let server = try ProgramProcess(
                ["serve", "--json"], variables: more.merging(["REVEILLE_ENV_FILE": file]) { $1 },
                log: directory.file("log"))
            #expect(try await server.announcement()["url"]?.string != nil)
            #expect(try Self.threads(of: server).filter { $0.hasPrefix("loop-") }.count == threads)
            server.send(SIGTERM)
            #expect(try await server.end() == .exited(0))
        }
        #expect(access(directory.file("data/reveille.db"), F_OK) == 0)
    }
}
