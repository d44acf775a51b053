import RawSockets
import ReveilleBytes
import ReveilleCrypto
import ReveilleEmulator
import ReveilleJSON
import Testing

@Suite("The emulated server of a distributor", .timeLimit(.minutes(5)))
struct UnifiedPushTests {
    private func withServer(
        _ kind: UnifiedPushSettings.Kind, requiresVAPID: Bool = false, requiresEncryption: Bool = true,
        _ body: (PushServiceBench<UnifiedPushProvider>, _ path: String, _ id: String) async throws -> Void
    ) async throws {
        let settings = UnifiedPushSettings(
            kind: kind, requiresVAPID: requiresVAPID, requiresEncryption: requiresEncryption)
        try await withPushService(PushServiceConfiguration<UnifiedPushProvider>(settings: settings)) { bench in
            let made = try await bench.control("POST", "/subscriptions")
            try await body(bench, bench.path(try #require(made["endpoint"]?.string)), try #require(made["id"]?.string))
        }
    }

    @Test("ntfy answers 200 with JSON and its endpoints end in ?up=1")
    func ntfy() async throws {
        try await withServer(.ntfy) { bench, path, id in
            #expect(path == "/up\(id)?up=1")
            let answer = try await bench.send("POST", path, pushFields, body: opaqueBody)
            #expect(answer.status == 200)
            #expect(answer.json?["event"] == "message")
        }
    }

    @Test("NextPush answers 201 and stores itself")
    func nextPush() async throws {
        try await withServer(.nextPush) { bench, path, id in
            #expect(path == "/index.php/apps/uppush/push/\(id)")
            let answer = try await bench.send("POST", path, pushFields, body: opaqueBody)
            #expect(answer.status == 201)
            #expect(answer.fields["ttl"] == "0")
        }
    }

    @Test("the old discovery is answered and is no push", arguments: UnifiedPushSettings.Kind.allCases)
    func discovery(kind: UnifiedPushSettings.Kind) async throws {
        try await withServer(kind) { bench, path, _ in
            let answer = try await bench.send("GET", path)
            #expect(answer.json == ["unifiedpush": ["version": 1]])
            #expect(await bench.emulator.pushes().isEmpty)
        }
    }

    @Test("states of an endpoint", arguments: [("gone", 410), ("unknown", 404), ("unattended", 507)])
    func states(state: String, status: Int) async throws {
        try await withServer(.ntfy) { bench, path, id in
            try await bench.control("POST", "/subscriptions", #"{"id":"\#(id)","state":"\#(state)"}"#)
            let answer = try await bench.send("POST", path, pushFields, body: opaqueBody)
            #expect(answer.status == status)
            #expect(answer.json?["http"]?.integer == Int64(status))
        }
    }

    @Test("sizes, encryption and VAPID as the settings say")
    func rules() async throws {
        try await withServer(.nextPush) { bench, path, _ in
            let large = opaqueBody + [UInt8](repeating: 0, count: 4096)
            let answers = [
                try await bench.send("POST", path, pushFields, body: large),
                try await bench.send("POST", path, body: Array("clear".utf8)),
                try await bench.send("POST", path, pushFields),
            ]
            #expect(answers.map(\.status) == [413, 400, 400])
        }
        try await withServer(.nextPush, requiresEncryption: false) { bench, path, _ in
            let answer = try await bench.send("POST", path, body: Array("clear".utf8))
            #expect(answer.status == 201)
        }
        try await withServer(.ntfy, requiresVAPID: true) { bench, path, _ in
            let fields = pushFields + [bench.vapid(.generate())]
            let answers = [
                try await bench.send("POST", path, pushFields, body: opaqueBody),
                try await bench.send("POST", path, fields, body: opaqueBody),
            ]
            #expect(answers.map(\.status) == [401, 200])
        }
    }
}
