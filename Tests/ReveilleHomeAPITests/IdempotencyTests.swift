import ReveilleJSON
import ReveilleTesting
import Testing

@Suite struct IdempotencyTests {
    private static let path = "/api/v1/notifications"
    private static let body: JSONValue = [
        "recipients": ["anna", "bert"], "category": "release", "title": "T", "data": ["a": 1, "b": ["c": 2, "d": 3]],
    ]

    private static func post(
        _ server: HomeServer, _ token: String, key: String?, _ body: JSONValue = body
    ) async -> Answer {
        await server.send("POST", path, token: token, json: body, fields: key.map { [("idempotency-key", $0)] } ?? [])
    }

    @Test("the same key with the same request gives the same answer and nothing new, for 24 hours")
    func replay() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let first = await Self.post(server, token, key: "k")
            #expect(first.status == 202)
            server.clock.advance(by: .seconds(24 * 3_600 - 1))
            for _ in 0..<3 {
                let again = await Self.post(server, token, key: "k")
                #expect(again.status == 202)
                #expect(again.body == first.body)
            }
            let inbox = await server.send("GET", Self.path, token: try await server.profileToken("anna"))
            #expect(inbox.json["notifications"]?.array?.count == 1)
        }
    }

    @Test("without a key every request is new")
    func noKey() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let first = await Self.post(server, token, key: nil)
            let second = await Self.post(server, token, key: nil)
            #expect(first.json["notification_id"] != second.json["notification_id"])
        }
    }

    @Test("spacing, order of members, escapes and an explicit null do not make another request")
    func sameMeaning() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let first = await Self.post(server, token, key: "k")
            let same = """
                { "data": {"b": {"d": 3, "c": 2}, "a": 1},  "title": "\\u0054", "series": null,
                  "category":"release","recipients":["anna","bert"] }
                """
            let again = await server.send(
                "POST", Self.path, token: token, body: Array(same.utf8),
                fields: [("content-type", "application/json"), ("idempotency-key", "k")])
            #expect(again.body == first.body)
        }
    }

    @Test(
        "the same key with another request is 422, whichever field differs",
        arguments: [
            ("recipients", ["anna"]), ("recipients", ["bert", "anna"]), ("recipients", ["anna", "carl"]),
            ("category", "other"), ("title", "U"), ("title", ""), ("body", "B"), ("data", ["a": 1]), ("data", nil),
            ("series", "s"), ("alert", "silent"), ("ttl", 60),
        ] as [(String, JSONValue)])
    func otherRequest(_ key: String, _ value: JSONValue) async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            #expect(await Self.post(server, token, key: "k").status == 202)
            var other = Self.body.object ?? JSONObject()
            other[key] = value
            expectProblem(
                await Self.post(server, token, key: "k", .object(other)), 422, "idempotency_key_reused",
                field: "Idempotency-Key")
            #expect(await Self.post(server, token, key: "other", .object(other)).status == 202)
        }
    }

    @Test("fields cannot be shifted into each other")
    func boundaries() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let first: JSONValue = ["recipients": ["ab", "c"], "category": "d", "title": "ef", "body": ""]
            let second: JSONValue = ["recipients": ["a", "bc"], "category": "d", "title": "e", "body": "f"]
            #expect(await Self.post(server, token, key: "k", first).status == 202)
            expectProblem(
                await Self.post(server, token, key: "k", second), 422, "idempotency_key_reused",
                field: "Idempotency-Key")
        }
    }

    @Test("keys of different producers do not meet")
    func producers() async throws {
        try await HomeServer.with { server in
            let first = await Self.post(server, try await server.producerToken("one"), key: "k")
            let second = await Self.post(server, try await server.producerToken("two"), key: "k")
            #expect(first.status == 202 && second.status == 202)
            #expect(first.json["notification_id"] != second.json["notification_id"])
        }
    }

    @Test("a refused request leaves its key free")
    func refusedLeavesFree() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            expectProblem(
                await Self.post(server, token, key: "k", ["recipients": [], "category": "c"]), 400, "invalid_value",
                field: "recipients")
            #expect(await Self.post(server, token, key: "k").status == 202)
        }
    }

    @Test("case 134: the same key in eight requests at once makes one notification")
    func concurrent() async throws {
        let vector = try Repository.vector("134-idempotency-concurrent")
        let requests = try #require(vector["input"]?["requests"]?.array)
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for request in requests {
                    let key = try #require(request["key"]?.string)
                    let body: JSONValue = [
                        "recipients": ["anna"], "category": "release", "title": request["body"]?["title"] ?? .null,
                        "series": request["body"]?["collapse_id"] ?? .null,
                    ]
                    group.addTask { await Self.post(server, token, key: key, body) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 8)
            #expect(answers.allSatisfy { $0.status == 202 })
            #expect(Set(answers.map(\.text)).count == 1)
            let inbox = await server.send("GET", Self.path, token: try await server.profileToken())
            #expect(inbox.json["notifications"]?.array?.count == 1)
        }
    }

    @Test(
        "a key that is no key is refused",
        arguments: [[""], [String(repeating: "k", count: 256)], ["a\u{E4}"], ["k", "k"]])
    func malformedKeys(_ keys: [String]) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", Self.path, token: try await server.producerToken(), json: Self.body,
                fields: keys.map { ("idempotency-key", $0) })
            expectProblem(answer, 400, "invalid_value", field: "Idempotency-Key")
        }
    }

    @Test("a key of 255 octets is a key")
    func longestKey() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let key = String(repeating: "k", count: 255)
            let first = await Self.post(server, token, key: key)
            #expect(first.status == 202)
            #expect(await Self.post(server, token, key: key).body == first.body)
        }
    }
}
