import ReveilleJSON
import ReveilleStorage
import Testing

@Suite struct ProfileTests {
    @Test("a producer mints tokens for profiles of its own namespace")
    func mint() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let answer = await server.send(
                "POST", "/api/v1/profiles/anna%20b/tokens", token: producer, json: ["label": "phone"])
            #expect(answer.status == 201)
            #expect(answer.json.object?.keys == ["token_id", "profile_id", "token"])
            #expect(answer.json["profile_id"] == "anna b")
            let token = try #require(answer.json["token"]?.string)
            try await server.notify(["anna b"], token: producer)
            let inbox = await server.send("GET", "/api/v1/notifications", token: token)
            #expect(inbox.json["notifications"]?.array?.count == 1)
            // The same name under another producer is another profile.
            let stranger = await server.send(
                "POST", "/api/v1/profiles/anna%20b/tokens", token: try await server.producerToken("stranger"))
            let other = await server.send("GET", "/api/v1/notifications", token: stranger.json["token"]?.string)
            #expect(other.json["notifications"] == [])
        }
    }

    @Test("every mint is another token with another id")
    func mintAgain() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            var tokens: Set<String> = []
            var ids: Set<String> = []
            for body: JSONValue? in [nil, [:], ["label": nil], ["label": ""]] {
                let answer = await server.send("POST", "/api/v1/profiles/anna/tokens", token: producer, json: body)
                tokens.insert(answer.json["token"]?.string ?? "")
                ids.insert(answer.json["token_id"]?.string ?? "")
            }
            #expect(tokens.count == 4 && ids.count == 4)
        }
    }

    @Test(
        "a profile id or label that breaks a rule is refused",
        arguments: [
            (String(repeating: "p", count: 129), [:], "invalid_value", "profile_id"),
            ("a%0Ab", [:], "invalid_value", "profile_id"), ("anna", ["label": 1], "wrong_type", "label"),
            ("anna", ["label": "a\n"], "invalid_value", "label"),
            ("anna", ["label": .string(String(repeating: "l", count: 129))], "too_long", "label"),
            ("anna", ["scopes": []], "unknown_field", "scopes"),
        ] as [(String, JSONValue, String, String)])
    func refused(_ profile: String, _ json: JSONValue, _ code: String, _ field: String) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", "/api/v1/profiles/\(profile)/tokens", token: try await server.producerToken(), json: json)
            expectProblem(answer, 400, code, field: field)
        }
    }

    @Test(
        "a name that could never be given a token, being no segment of a path, cannot be posted to either",
        arguments: ["a/b", "/", ".", ".."])
    func noSegment(profile: String) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", "/api/v1/notifications", token: try await server.producerToken(),
                json: ["recipients": ["anna", .string(profile)], "category": "message"])
            expectProblem(answer, 400, "invalid_value", field: "recipients")
        }
    }

    @Test("revoking what is not there is no error")
    func revokeNothing() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            for path in ["anna/tokens/nonsense", "nobody/tokens/\(String(repeating: "A", count: 26))"] {
                #expect(await server.send("DELETE", "/api/v1/profiles/\(path)", token: producer).status == 204)
            }
        }
    }

    @Test("the push mode of a profile is kept, and is a hard gate over its devices")
    func pushMode() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let token = try await server.profileToken()
            _ = try await server.registered(token: token)
            let row = try #require(try await server.store.allDevices(after: nil, limit: 1).first).row
            #expect(await server.send("GET", "/api/v1/preferences", token: token).json == ["push_mode": "private_push"])
            for mode in ["off", "in_app_only"] {
                let put = await server.send(
                    "PUT", "/api/v1/preferences", token: token, json: ["push_mode": .string(mode)])
                #expect(put.json == ["push_mode": .string(mode)])
                try await server.notify(token: producer)
                #expect(try await server.store.unsettledWakes(of: row).count == 0)
            }
            _ = await server.send("PUT", "/api/v1/preferences", token: token, json: ["push_mode": "private_push"])
            try await server.notify(token: producer)
            #expect(try await server.store.unsettledWakes(of: row).count == 1)
        }
    }

    @Test("preferences of a later version are refused and not ignored", arguments: ["muted_categories", "quiet_hours"])
    func later(_ field: String) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "PUT", "/api/v1/preferences", token: try await server.profileToken(),
                json: .object(JSONObject(members: [(key: "push_mode", value: "off"), (key: field, value: .array([]))])))
            expectProblem(answer, 501, "not_available_yet", field: field)
        }
    }

    @Test(
        "preferences that break a rule are refused",
        arguments: [
            ([:], "missing_field", "push_mode"), (["push_mode": nil], "missing_field", "push_mode"),
            (["push_mode": "on"], "invalid_value", "push_mode"), (["push_mode": 1], "wrong_type", "push_mode"),
            (["push_mode": "off", "x": 1], "unknown_field", "x"),
        ] as [(JSONValue, String, String)])
    func malformed(_ json: JSONValue, _ code: String, _ field: String) async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            expectProblem(
                await server.send("PUT", "/api/v1/preferences", token: token, json: json), 400, code, field: field)
            #expect(await server.send("GET", "/api/v1/preferences", token: token).json == ["push_mode": "private_push"])
        }
    }
}
