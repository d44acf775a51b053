import RawSockets
import ReveilleBytes
import ReveilleCrypto
import ReveilleEmulator
import ReveilleJSON
import ReveilleNetwork
import ReveilleTesting
import Testing

@Suite("The emulated push service of a browser", .timeLimit(.minutes(5)))
struct WebPushRuleTests {
    private static let key = P256PrivateKey.generate()

    private func withService(
        _ habits: WebPushHabits = .mozilla, allowsAnonymous: Bool = true,
        _ body: (PushServiceBench<WebPushProvider>, _ path: String, _ id: String) async throws -> Void
    ) async throws {
        let settings = WebPushSettings(habits: habits, allowsAnonymous: allowsAnonymous)
        try await withPushService(PushServiceConfiguration<WebPushProvider>(settings: settings)) { bench in
            let made = try await bench.control(
                "POST", "/subscriptions", #"{"vapid_key":"\#(Base64URL.encode(Self.key.publicKey.x963))"}"#)
            let endpoint = try #require(made["endpoint"]?.string)
            #expect(endpoint.hasPrefix("https://\(bench.authority)/wpush/v2/"))
            try await body(bench, bench.path(endpoint), try #require(made["id"]?.string))
        }
    }

    @Test("takes a right push, says where it lies, and lists what it saw")
    func takes() async throws {
        try await withService { bench, path, id in
            let fields = pushFields + [bench.vapid(Self.key), ("Urgency", "high"), ("Topic", "abc_-9")]
            let answer = try await bench.send("POST", path, fields, body: opaqueBody)
            #expect(answer.status == 201)
            #expect(answer.fields["location"]?.hasPrefix("https://\(bench.authority)/m/") == true)
            #expect(answer.fields["ttl"] == "60")
            let push = try #require(await bench.emulator.pushes().first)
            #expect(push.target == id)
            #expect(push.request.body == opaqueBody)
            let subscription = await bench.emulator.perform { $0.subscription(id) }
            #expect(subscription?.deliveries.first?.instructions.urgency == "high")
            #expect(subscription?.deliveries.first?.instructions.topic == "abc_-9")
        }
    }

    @Test("a push without a body has no encoding")
    func empty() async throws {
        try await withService { bench, path, _ in
            #expect(try await bench.send("POST", path, [("TTL", "0"), bench.vapid(Self.key)]).status == 201)
            let wrong = try await bench.send("POST", path, pushFields + [bench.vapid(Self.key)])
            #expect(wrong.json?["errno"] == 110)
        }
    }

    /// Fields without VAPID, body, status with Mozilla, the rule.
    private static let refused: [([(String, String)], [UInt8], Int, String)] = [
        ([("Content-Encoding", "aes128gcm")], opaqueBody, 400, "ttl_missing"),
        ([("TTL", "-1"), ("Content-Encoding", "aes128gcm")], opaqueBody, 400, "ttl_malformed"),
        ([("TTL", "1"), ("TTL", "2"), ("Content-Encoding", "aes128gcm")], opaqueBody, 400, "ttl_malformed"),
        (pushFields + [("Urgency", "urgent")], opaqueBody, 400, "urgency"),
        (pushFields + [("Urgency", "low"), ("Urgency", "high")], opaqueBody, 400, "urgency"),
        (pushFields + [("Topic", String(repeating: "a", count: 33))], opaqueBody, 400, "topic"),
        (pushFields + [("Topic", "a+b")], opaqueBody, 400, "topic"),
        ([("TTL", "1")], opaqueBody, 400, "encoding"),
        ([("TTL", "1"), ("Content-Encoding", "aesgcm")], opaqueBody, 400, "encoding"),
        (pushFields, Array(opaqueBody.prefix(102)), 400, "body"),
        (pushFields, [UInt8](repeating: 65, count: 200), 400, "body"),
        (pushFields, opaqueBody + [UInt8](repeating: 0, count: 4096 - 121), 413, "too_large"),
    ]

    @Test("refuses what the RFCs refuse", arguments: refused.indices)
    func refuses(row: Int) async throws {
        let (fields, body, status, rule) = Self.refused[row]
        try await withService { bench, path, _ in
            let answer = try await bench.send("POST", path, fields + [bench.vapid(Self.key)], body: body)
            #expect(answer.status == status)
            let seen = await bench.emulator.seen().last
            #expect(seen?.brokenRule == rule)
        }
    }

    @Test("4096 octets are the most")
    func largest() async throws {
        try await withService { bench, path, _ in
            let body = opaqueBody + [UInt8](repeating: 0, count: 4096 - opaqueBody.count)
            let answer = try await bench.send("POST", path, pushFields + [bench.vapid(Self.key)], body: body)
            #expect(answer.status == 201)
        }
    }

    @Test("VAPID: every fault has its rule, and 401 or 403 by the service", arguments: WebPushHabits.allCases)
    func vapid(habits: WebPushHabits) async throws {
        try await withService(habits) { bench, path, _ in
            let other = P256PrivateKey.generate()
            let table: [((String, String)?, String)] = [
                (nil, "vapid_missing"),
                (bench.vapid(other), "vapid_key"),
                (bench.vapid(other, shown: Self.key), "vapid_malformed"),
                (("Authorization", "Bearer x"), "vapid_malformed"),
                (("Authorization", "vapid t=a.b.c, k=AAAA"), "vapid_malformed"),
                (bench.vapid(Self.key, aud: "https://example.org"), "vapid_audience"),
                (bench.vapid(Self.key, aud: "https://\(bench.authority)/"), "vapid_audience"),
                (bench.vapid(Self.key, lifetime: 0), "vapid_expiry"),
                (bench.vapid(Self.key, lifetime: 86_401), "vapid_expiry"),
                (bench.vapid(Self.key, sub: "mailto:mailto:a@b"), "vapid_subject"),
                (bench.vapid(Self.key, sub: "https://localhost"), "vapid_subject"),
            ]
            for (field, rule) in table {
                let answer = try await bench.send(
                    "POST", path, pushFields + [field].compactMap(\.self), body: opaqueBody)
                let expected: Int
                switch habits {
                case .mozilla, .microsoft: expected = 401
                case .apple: expected = 403
                case .rfc, .google: expected = rule == "vapid_missing" ? 401 : 403
                }
                #expect(answer.status == expected, "\(rule)")
                let seen = await bench.emulator.seen().last
                #expect(seen?.brokenRule == rule)
            }
            let good = bench.vapid(Self.key, lifetime: 86_400, sub: nil)
            let cache = [("X-WNS-Cache-Policy", "cache")]
            #expect(try await bench.send("POST", path, pushFields + [good] + cache, body: opaqueBody).status == 201)
        }
    }

    @Test("each service speaks its own words")
    func words() async throws {
        try await withService(.apple) { bench, path, _ in
            let answer = try await bench.send("POST", path, pushFields + [bench.vapid(.generate())], body: opaqueBody)
            #expect(answer.json?["reason"] == "VapidPkHashMismatch")
        }
        try await withService(.google) { bench, path, _ in
            let body = opaqueBody + [UInt8](repeating: 0, count: 4096)
            let answer = try await bench.send("POST", path, pushFields + [bench.vapid(Self.key)], body: body)
            #expect(answer.status == 400)
        }
        try await withService(.microsoft) { bench, path, _ in
            let fields = [("TTL", "0"), ("Content-Encoding", "aes128gcm"), bench.vapid(Self.key)]
            let answer = try await bench.send("POST", path, fields, body: opaqueBody)
            #expect(answer.status == 400)
            #expect(answer.fields["x-wns-status"] == "dropped")
            let policy = fields + [("X-WNS-Cache-Policy", "no-cache")]
            let taken = try await bench.send("POST", path, policy, body: opaqueBody)
            #expect(taken.status == 201)
        }
    }

    @Test("404, 405 and 410 are what they should be")
    func states() async throws {
        try await withService { bench, path, id in
            let fields = pushFields + [bench.vapid(Self.key)]
            #expect(try await bench.send("POST", path + "x", fields, body: opaqueBody).json?["errno"] == 102)
            #expect(try await bench.send("PUT", path, fields, body: opaqueBody).status == 405)
            try await bench.control("POST", "/subscriptions", #"{"id":"\#(id)","state":"gone"}"#)
            let gone = try await bench.send("POST", path, fields, body: opaqueBody)
            #expect(gone.status == 410)
            #expect(gone.json?["errno"] == 106)
            #expect(gone.fields["cache-control"] == "max-age=86400")
        }
    }

    @Test("an absent user agent gets the newest of a topic and nothing that is too old")
    func storing() async throws {
        try await withService { bench, path, id in
            try await bench.control("POST", "/subscriptions", #"{"id":"\#(id)","online":false}"#)
            for (ttl, topic) in [("60", "a"), ("60", "a"), ("10", "b"), ("0", "c")] {
                let fields = [("TTL", ttl), ("Topic", topic), bench.vapid(Self.key)]
                #expect(try await bench.send("POST", path, fields).status == 201)
            }
            bench.clock.jumpWall(by: .seconds(10))
            let shown = try await bench.control("POST", "/subscriptions", #"{"id":"\#(id)","online":true}"#)
            #expect(shown["deliveries"]?.array?.map { $0["topic"] } == ["a"])
            #expect(shown["counters"]?["replaced"] == 1)
            #expect(shown["counters"]?["expired"] == 2)
        }
    }

    @Test("keys that a user agent keeps are taken, and bad ones refused")
    func foreignKeys() async throws {
        try await withService { bench, _, _ in
            let point = Base64URL.encode(P256PrivateKey.generate().publicKey.x963)
            let auth = Base64URL.encode([UInt8](repeating: 1, count: 16))
            let made = try await bench.control("POST", "/subscriptions", #"{"p256dh":"\#(point)","auth":"\#(auth)"}"#)
            #expect(made["keys"]?["p256dh"]?.string == point)
            #expect(made["holds_keys"] == false)
            let off = Base64URL.encode([4] + [UInt8](repeating: 1, count: 64))
            for body in [#"{"p256dh":"\#(off)","auth":"\#(auth)"}"#, #"{"p256dh":"\#(point)"}"#, #"{"color":1}"#] {
                let answer = await bench.emulator.control(
                    ControlRequest(method: "POST", path: "/subscriptions", body: Array(body.utf8)))
                #expect(answer.status == 400)
            }
        }
    }
}
