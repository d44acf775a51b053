import ReveilleJSON
import ReveilleStorage
import ReveilleTesting
import Testing

/// Faults of other push servers, by the numbers of the collection.
@Suite struct ReportedFaultTests {
    private static let production = HomeServer.topic

    @Test("case 47: a token has no fixed length, an odd or endless one is none")
    func tokenLength() async throws {
        let vector = try Repository.vector("047-token-length-not-fixed")
        let tokens = try #require(vector["input"]?["tokens"]?.array)
        let accepted = try #require(vector["expected"]?["accepted"]?.array)
        for (token, isAccepted) in zip(tokens, accepted) {
            try await HomeServer.with { server in
                let text = token["hex"]?.string ?? ""
                let answer = await server.register(
                    Registration.body(token: text), token: try await server.profileToken())
                #expect((answer.status == 201) == (isAccepted == true), "\(text.count) \(answer.text)")
                if isAccepted == false { #expect(answer.field == "apns_token") }
            }
        }
    }

    @Test("case 48: every lossless print of a token is one device, a description without its middle is refused")
    func printedForms() async throws {
        let vector = try Repository.vector("048-token-printed-forms")
        let inputs = try #require(vector["input"]?["inputs"]?.array).compactMap(\.string)
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            var ids: Set<String> = []
            for (index, input) in inputs.enumerated() {
                let answer = await server.register(Registration.body(token: input), token: token)
                switch index {
                case 3: expectProblem(answer, 400, "invalid_value", field: "apns_token")
                case 4:
                    expectProblem(answer, 400, "invalid_value", field: "apns_token")
                    #expect(answer.json["detail"]?.string?.contains("middle") == true)
                default:
                    #expect(answer.status == (index == 0 ? 201 : 200), "\(answer.text)")
                    ids.insert(answer.json["id"]?.string ?? "")
                }
            }
            #expect(ids.count == 1)
            let base64 = "eydOAbdhAmjdywvVscPyuf+Fef/LQL3dFe769BnsD5Y="
            let answer = await server.register(Registration.body("other", token: base64), token: token)
            // The same token in base64 from another install of the same profile: the newest registration owns it.
            #expect(answer.status == 201 || answer.status == 200)
            #expect(await server.send("GET", "/api/v1/devices/push", token: token).json["devices"]?.array?.count == 1)
        }
    }

    @Test("case 52: a token that would steer a path is refused at registration")
    func tokenInPath() async throws {
        let vector = try Repository.vector("052-token-in-path")
        let tokens = try #require(vector["input"]?["tokens"]?.array).compactMap(\.string)
        let paths = try #require(vector["expected"]?["path_built"]?.array)
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            for (text, path) in zip(tokens, paths) {
                let answer = await server.register(Registration.body(token: text), token: token)
                if path.isNull {
                    expectProblem(answer, 400, "invalid_value", field: "apns_token")
                } else {
                    #expect(answer.status == 201)
                }
            }
        }
    }

    @Test("case 53: a token of another service is refused and named as such")
    func otherService() async throws {
        let vector = try Repository.vector("053-fcm-token-sent-to-apns")
        let registrations = try #require(vector["input"]?["registrations"]?.array)
        let accepted = try #require(vector["expected"]?["accepted"]?.array)
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            for (registration, isAccepted) in zip(registrations, accepted) where registration["platform"] == "apns" {
                let answer = await server.register(
                    Registration.body(token: registration["token"]?.string ?? ""), token: token)
                if isAccepted == true {
                    #expect(answer.status == 201)
                } else {
                    expectProblem(answer, 400, "invalid_value", field: "apns_token")
                    #expect(answer.json["detail"]?.string?.contains("another service") == true)
                }
            }
        }
    }

    @Test("case 138: a token that signs in to another account moves with it")
    func tokenMoves() async throws {
        let requests = try #require(try Repository.vector("138-token-changes-account")["input"]?["requests"]?.array)
        try await HomeServer.with { server in
            var tokens: [String: String] = [:]
            var displayTokens: [String] = []
            for request in requests {
                let account = try #require(request["account"]?.string)
                let token = try await server.profileToken(account)
                tokens[account] = token
                let answer = await server.register(
                    Registration.body(
                        request["device_id"]?.string ?? "", token: request["token"]?.string ?? ""), token: token)
                #expect(answer.status == 201)
                displayTokens.append(answer.json["display_token"]?.string ?? "")
                server.clock.advance(by: .seconds(1))
            }
            let devices = { (account: String) async -> Int? in
                await server.send("GET", "/api/v1/devices/push", token: tokens[account]).json["devices"]?.array?.count
            }
            #expect(await devices("A") == 0)
            #expect(await devices("B") == 1)
            let old = await server.send("GET", "/api/v1/notifications", token: displayTokens[0])
            expectProblem(old, 401, "invalid_credential")
            #expect(await server.send("GET", "/api/v1/notifications", token: displayTokens[1]).status == 200)
        }
    }

    @Test("a late registration of an older sign-in does not take the token back")
    func lateOlderSignIn() async throws {
        try await HomeServer.with { server in
            let older = try await server.profileToken("A")
            server.clock.advance(by: .seconds(10))
            let newer = try await server.profileToken("B")
            #expect(await server.register(token: newer).status == 201)
            expectProblem(await server.register(token: older), 409, "newer_sign_in")
            #expect(await server.send("GET", "/api/v1/devices/push", token: older).json["devices"] == [])
            #expect(await server.send("GET", "/api/v1/devices/push", token: newer).json["devices"]?.array?.count == 1)
        }
    }

    @Test("case 139: an app that shares installs keeps a proven install in two accounts, and one may leave")
    func twoAccounts() async throws {
        let requests = try #require(try Repository.vector("139-same-token-two-accounts")["input"]?["requests"]?.array)
        try await HomeServer.with { server in
            var tokens: [String: String] = [:]
            var ids: [String: String] = [:]
            for (index, request) in requests.enumerated() {
                if let removal = request["delete"] {
                    let account = try #require(removal["account"]?.string)
                    let answer = await server.send(
                        "DELETE", "/api/v1/devices/push/\(ids[account] ?? "")", token: tokens[account])
                    #expect(answer.status == 204)
                    continue
                }
                let account = try #require(request["account"]?.string)
                let token = try await server.profileToken(account)
                tokens[account] = token
                let answer = await server.register(
                    Registration.body(
                        request["device_id"]?.string ?? "", token: request["token"]?.string ?? "",
                        topic: HomeServer.sharedTopic,
                        extra: [
                            ("installation_key", .string(Registration.key(1))),
                            ("generation", .integer(Int64(index + 1))),
                        ]), token: token)
                #expect(answer.status == 201)
                ids[account] = answer.json["id"]?.string
                server.clock.advance(by: .seconds(1))
            }
            #expect(await server.send("GET", "/api/v1/devices/push", token: tokens["A"]).json["devices"] == [])
            let left = await server.send("GET", "/api/v1/devices/push", token: tokens["B"])
            #expect(left.json["devices"]?.array?.count == 1)
        }
    }

    @Test("case 140: the same registration twice at once makes one device")
    func doublePost() async throws {
        let input = try #require(try Repository.vector("140-double-post-race")["input"])
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let body = Registration.body(
                input["body"]?["device_id"]?.string ?? "", token: input["body"]?["token"]?.string ?? "")
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<2 { group.addTask { await server.register(body, token: token).status } }
                return await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(statuses == [200, 201])
            #expect(await server.send("GET", "/api/v1/devices/push", token: token).json["devices"]?.array?.count == 1)
        }
    }

    @Test("case 143: a new token of the same install replaces its old one, so a notification is one wake")
    func newTokenReplaces() async throws {
        let requests = try #require(try Repository.vector("143-supersede-old-token")["input"]?["requests"]?.array)
        try await HomeServer.with { server in
            let token = try await server.profileToken("A")
            var ids: Set<String> = []
            for request in requests {
                let answer = await server.register(
                    Registration.body(request["device_id"]?.string ?? "", token: request["token"]?.string ?? ""),
                    token: token)
                ids.insert(answer.json["id"]?.string ?? "")
            }
            #expect(ids.count == 1)
            try await server.notify(["A"], token: try await server.producerToken())
            let devices = try await server.store.allDevices(after: nil, limit: 10)
            #expect(devices.count == 1)
            #expect(try await server.store.unsettledWakes(of: try #require(devices.first).row).count == 1)
        }
    }

    @Test("case 45: the environment is part of the registration")
    func environment() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            _ = await server.register(
                Registration.body(extra: [("apns_environment", "sandbox")]), token: token)
            let device = await server.send("GET", "/api/v1/devices/push", token: token).json["devices"]?.array?.first
            #expect(device?["apns_environment"] == "sandbox")
        }
    }
}
