import ReveilleBytes
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite struct ProblemTests {
    @Test("a problem has the members of RFC 9457 and a stable code, and names the field and what to do")
    func form() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let answer = await server.send(
                "POST", "/api/v1/notifications", token: token,
                json: ["recipients": ["a"], "category": "c", "ttl": 3])
            expectProblem(answer, 400, "out_of_range", field: "ttl")
            #expect(answer.json.object?.keys == ["type", "title", "status", "detail", "code", "field", "request_id"])
            #expect(answer.json["type"]?.string == ProblemCode.outOfRange.typePath)
            #expect(ProblemCode.outOfRange.typePath == "/api/v1/problems/out_of_range")
            #expect(answer.json["status"]?.integer == 400)
            #expect(answer.json["title"]?.string == ProblemCode.outOfRange.title.description)
            let detail = try #require(answer.json["detail"]?.string)
            #expect(detail.contains("`ttl`"))
            #expect(detail.hasSuffix(ProblemCode.outOfRange.remedy.description))
            #expect(answer.json["request_id"]?.string == answer.fields["reveille-request-id"])
        }
    }

    @Test("the type of each problem leads to what the catalogue says of it, for everybody")
    func typesLead() async throws {
        try await HomeServer.with { server in
            for code in ProblemCode.allCases {
                let entry = await server.send("GET", code.typePath)
                #expect(
                    entry.json == [
                        "code": .string(code.rawValue), "status": .integer(Int64(code.status)),
                        "title": .string(code.title.description), "remedy": .string(code.remedy.description),
                    ])
                #expect(entry.status == 200 && entry.fields["content-type"] == "application/json")
            }
        }
    }

    @Test("a code that is none leads nowhere")
    func noType() async throws {
        try await HomeServer.with { server in
            expectProblem(await server.send("GET", "/api/v1/problems/none"), 404, "not_found")
            expectProblem(await server.send("GET", "/api/v1/problems/"), 404, "not_found")
        }
    }

    @Test("each request has an id of its own, which a client cannot choose")
    func requestIDs() async throws {
        try await HomeServer.with { server in
            var seen: Set<String> = []
            for _ in 0..<20 {
                let answer = await server.send(
                    "GET", "/healthz", fields: [("reveille-request-id", "chosen"), ("x-request-id", "chosen")])
                let id = try #require(answer.fields["reveille-request-id"])
                #expect(id.count == 16 && id.allSatisfy { $0.isHexDigit })
                seen.insert(id)
            }
            #expect(seen.count == 20)
        }
    }

    @Test("no error, log line or metric repeats a value of the request")
    func nothingPrivate() async throws {
        try await HomeServer.with { server in
            let canary = "canary7f3a"
            let producer = try await server.producerToken()
            let profile = try await server.profileToken()
            let bodies: [JSONValue] = [
                ["recipients": [.string(canary), .string(canary)], "category": "c"],
                ["recipients": ["a"], "category": .string(canary), "alert": .string(canary)],
                ["recipients": ["a"], "category": "c", "title": .string(canary + "\u{1}")],
                ["recipients": ["a"], "category": "c", "data": .string(canary)],
                ["recipients": ["a"], "category": "c", "series": .array([.string(canary)])],
                .string(canary),
            ]
            for body in bodies {
                let answer = await server.send("POST", "/api/v1/notifications", token: producer, json: body)
                #expect(answer.status == 400)
                #expect(!answer.text.contains(canary))
            }
            let others = [
                await server.send("GET", "/\(canary)"),
                await server.send("GET", "/api/v1/notifications/\(canary)", token: profile),
                await server.send("GET", "/api/v1/notifications?before=\(canary)", token: profile),
                await server.send("GET", "/api/v1/notifications/sync?since=\(canary)", token: profile),
                await server.send("GET", "/api/v1/notifications", token: canary),
                await server.send(
                    "GET", "/api/v1/notifications", token: profile, fields: [("reveille-device", canary)]),
                await server.send(
                    "POST", "/api/v1/notifications", token: producer, json: ["recipients": ["a"], "category": "c"],
                    fields: [("idempotency-key", canary + "\u{E4}")]),
                await server.send(
                    "POST", "/api/v1/notifications", token: producer, body: Array("{\"\(canary)".utf8),
                    fields: [("content-type", "application/json")]),
                await server.send(
                    "POST", "/api/v1/notifications", token: producer, body: [0x7B], fields: [("content-type", canary)]),
            ]
            for answer in others {
                #expect(answer.status >= 400)
                #expect(!answer.text.contains(canary))
                #expect(answer.fields.pairs.allSatisfy { !$0.value.contains(canary) })
            }
            #expect(!server.log.text.contains(canary))
            #expect(await !server.send("GET", "/metrics").text.contains(canary))
        }
    }

    @Test("a field's name is repeated in printable characters only, and cut")
    func fieldNames() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let long = String(repeating: "x", count: 500)
            for name in [long, "a\u{1F600}\"\n<script>"] {
                let answer = await server.send(
                    "POST", "/api/v1/notifications", token: token,
                    json: .object(
                        JSONObject(members: [("recipients", ["a"]), ("category", "c"), (name, 1)].map { ($0.0, $0.1) }))
                )
                #expect(answer.code == "unknown_field")
                let field = try #require(answer.field)
                #expect(field.utf8.count <= 64)
                #expect(field.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            }
            let query = await server.send(
                "GET", "/api/v1/notifications?\(long)=1", token: try await server.profileToken())
            expectProblem(query, 400, "unknown_parameter", field: String(repeating: "x", count: 64))
        }
    }

    @Test(
        "what the server refuses before a request is one becomes a problem too",
        arguments: [
            (413, "body_too_large", "body_too_large"), (431, "header_too_large", "header_too_large"),
            (431, "too_many_fields", "too_many_fields"), (400, "host_missing", "host_missing"),
            (408, "whatever", "request_timeout"), (505, "whatever", "version_unsupported"),
            (414, "whatever", "target_too_long"), (400, "body_too_large", "bad_request"), (400, "", "bad_request"),
        ])
    func protocolErrors(_ status: Int, _ code: String, _ expected: String) async throws {
        try await HomeServer.with { server in
            expectProblem(Answer(server.api.protocolError(status: status, code: code)), status, expected)
        }
    }

    @Test("the access log names the matched route, the status and the code")
    func accessLog() async throws {
        try await HomeServer.with { server in
            _ = await server.send("GET", "/api/v1/notifications/SOMEID", token: try await server.profileToken())
            let line = try #require(server.log.lines.last)
            #expect(line["route"]?.content == .text("GET /api/v1/notifications/{delivery_id}"))
            #expect(line["status"]?.content == .integer(404))
            #expect(line["code"]?.content == .text("delivery_not_found"))
            _ = await server.send("GET", "/unknown/path")
            #expect(server.log.lines.last?["route"]?.content == .text("unmatched"))
        }
    }

    @Test("requests are counted by matched route and class of status")
    func metrics() async throws {
        try await HomeServer.with { server in
            for _ in 0..<3 { _ = await server.send("GET", "/api/v1/preferences") }
            _ = await server.send("GET", "/api/v1/no-such-route")
            let text = await server.send("GET", "/metrics").text
            #expect(
                text.contains("reveille_http_requests_total{route=\"GET /api/v1/preferences\",status=\"4xx\"} 3"))
            #expect(text.contains("reveille_http_requests_total{route=\"unmatched\",status=\"4xx\"} 1"))
            #expect(!text.contains("no-such-route"))
        }
    }

    @Test("the time from a request to its answer is measured by matched route")
    func durations() async throws {
        let slow = SlowAuthenticator()
        try await HomeServer.with(authenticators: [slow]) { server in
            slow.clock.update { $0 = server.clock }
            for _ in 0..<2 { _ = await server.send("GET", "/api/v1/preferences", token: SlowAuthenticator.token) }
            _ = await server.send("GET", "/healthz")
            let text = await server.send("GET", "/metrics").text
            let label = "{route=\"GET /api/v1/preferences\""
            for line in [
                "reveille_http_request_seconds_count\(label)} 2", "reveille_http_request_seconds_sum\(label)} 0.014",
                "reveille_http_request_seconds_bucket\(label),le=\"0.005\"} 0",
                "reveille_http_request_seconds_bucket\(label),le=\"0.01\"} 2",
                "reveille_http_request_seconds_count{route=\"GET /healthz\"} 1",
                "reveille_http_request_seconds_sum{route=\"GET /healthz\"} 0.0",
            ] {
                let isShown = text.contains(line + "\n")
                #expect(isShown, "\(line)")
            }
        }
    }
}

/// Knows its own token by its form and refuses it; looking at it takes seven milliseconds.
private struct SlowAuthenticator: Authenticator {
    static let token = "slow_token"

    let clock = Probe<ManualClock?>(nil)

    func authenticate(_ token: SecretText) async throws(InboxError) -> Authentication {
        guard token.reveal() == Self.token else { return .otherForm }
        clock.value?.advance(by: .milliseconds(7))
        return .refused
    }
}
