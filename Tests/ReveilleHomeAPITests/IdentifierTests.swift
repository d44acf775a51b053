import ReveilleCore
import ReveilleHomeAPI
import ReveilleJSON
import ReveilleStorage
import Testing

/// Swift calls texts equal that Unicode calls canonically equivalent; the store, providers and clients see octets.
@Suite("Identifiers that come from outside are what their octets are")
struct IdentifierTests {
    /// Two spellings that Swift calls equal.
    private static let composed = "ren\u{E9}"
    private static let decomposed = "rene\u{301}"
    private static let composedInPath = "ren%C3%A9"
    private static let decomposedInPath = "rene%CC%81"

    private static func titles(_ server: HomeServer, _ token: String) async -> [String] {
        let answer = await server.send("GET", "/api/v1/notifications", token: token)
        return (answer.json["notifications"]?.array ?? []).compactMap { $0["title"]?.string }
    }

    @Test("profiles: two spellings are two inboxes, also in one post")
    func profiles() async throws {
        #expect(Self.composed == Self.decomposed)
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let first = try await server.profileToken(Self.composedInPath)
            let second = try await server.profileToken(Self.decomposedInPath)
            try await server.notify([Self.composed], title: "first", token: producer)
            try await server.notify([Self.decomposed], title: "second", token: producer)
            let both = await server.send(
                "POST", "/api/v1/notifications", token: producer,
                json: [
                    "recipients": [.string(Self.decomposed), .string(Self.composed)],
                    "category": .string(HomeServer.visibleCategory), "title": "both",
                ])
            #expect(both.status == 202, "\(both.text)")
            let named = (both.json["deliveries"]?.array ?? []).compactMap { $0["profile_id"]?.string }
            #expect(named.map { Array($0.utf8) } == [Array(Self.decomposed.utf8), Array(Self.composed.utf8)])
            #expect(await Self.titles(server, first) == ["both", "first"])
            #expect(await Self.titles(server, second) == ["both", "second"])
        }
    }

    @Test("recipients: many at once are kept apart too, and only the same octets twice are refused")
    func manyRecipients() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let names = (0..<20).flatMap { ["\(Self.composed)\($0)", "\(Self.decomposed)\($0)"] }
            let deliveries = try await server.notify(names, token: producer)
            #expect(Set(deliveries).count == names.count)
            let third = try await server.profileToken(Self.decomposedInPath + "3")
            #expect(await Self.titles(server, third) == ["Title"])
            let twice = await server.send(
                "POST", "/api/v1/notifications", token: producer,
                json: ["recipients": [.string(Self.composed), .string(Self.composed)], "category": "c", "title": "t"])
            expectProblem(twice, 400, "invalid_value", field: "recipients")
        }
    }

    @Test("profiles: a token of one spelling is not revoked under the other")
    func tokens() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let minted = await server.send(
                "POST", "/api/v1/profiles/\(Self.composedInPath)/tokens", token: producer)
            let id = try #require(minted.json["token_id"]?.string)
            let token = try #require(minted.json["token"]?.string)
            for (path, status) in [(Self.decomposedInPath, 200), (Self.composedInPath, 401)] {
                _ = await server.send("DELETE", "/api/v1/profiles/\(path)/tokens/\(id)", token: producer)
                #expect(await server.send("GET", "/api/v1/notifications", token: token).status == status)
            }
        }
    }

    @Test("categories: the spelling that is not listed is silent")
    func categories() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let reader = try await server.profileToken()
            try await server.notify(title: "listed", category: HomeServer.accentedCategory, token: producer)
            try await server.notify(title: "other", category: "cafe\u{301}", token: producer)
            #expect(await Self.titles(server, reader) == ["listed"])
        }
    }

    @Test("categories: a device that chose one spelling is not woken for the other")
    func chosenCategories() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let token = try await server.profileToken()
            let both: JSONValue = ["caf\u{E9}", "cafe\u{301}"]
            let chosen: [(device: String, categories: JSONValue)] = [
                ("composed", ["caf\u{E9}"]), ("decomposed", ["cafe\u{301}"]), ("both", both),
            ]
            for (number, choice) in chosen.enumerated() {
                let answer = await server.register(
                    Registration.body(
                        choice.device, token: Registration.token(number), extra: [("categories", choice.categories)]),
                    token: token)
                #expect(answer.status == 201, "\(answer.text)")
            }
            try await server.notify(category: HomeServer.accentedCategory, token: producer)
            #expect(try await server.store.wakeCounts().values.reduce(0, +) == 2)
            try await server.notify(category: "cafe\u{301}", token: producer)
            #expect(try await server.store.wakeCounts().values.reduce(0, +) == 4)
        }
    }

    @Test("device ids: two spellings are two installs")
    func devices() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            var ids: Set<String> = []
            for (number, name) in [Self.composed, Self.decomposed].enumerated() {
                let body = Registration.body(name, token: Registration.token(number))
                let answer = await server.register(body, token: token)
                #expect(answer.status == 201)
                ids.insert(try #require(answer.json["server_device_id"]?.string))
                #expect(await server.register(body, token: token).status == 200)
            }
            #expect(ids.count == 2)
        }
    }

    @Test("topics: a Kelvin sign is no K", arguments: ["\u{212A}", "k", "K\u{301}"])
    func topics(letter: String) async throws {
        try await HomeServer.with { server in
            let answer = await server.register(
                Registration.body(topic: HomeServer.kioskTopic.replacing("K", with: letter)),
                token: try await server.profileToken())
            expectProblem(answer, 422, "topic_not_allowed", field: "apns_topic")
        }
    }

    @Test("idempotency keys: they are ASCII, which has one spelling")
    func idempotencyKeys() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            for key in ["caf\u{E9}", "\u{E2}\u{84}\u{AA}", ""] {
                let answer = await server.send(
                    "POST", "/api/v1/notifications", token: producer,
                    json: ["recipients": ["anna"], "category": "c", "title": "t"], fields: [("idempotency-key", key)])
                expectProblem(answer, 400, "invalid_value", field: "Idempotency-Key")
            }
        }
    }

    @Test("producers: two spellings of a name are two producers")
    func producers() async throws {
        try await HomeServer.with { server in
            let first = try await server.store.createProducer(name: Self.composed)
            let second = try await server.store.createProducer(name: Self.decomposed)
            #expect(first != nil && second != nil && first != second)
            #expect(try await server.store.producer(name: Self.decomposed) == second)
        }
    }

    @Test("public ids: another alphabet's letters that fold to ours open nothing", arguments: ["\u{212A}", "\u{17F}"])
    func publicIDs(letter: String) async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let reader = try await server.profileToken()
            // Enough of them to meet one with a K and one with an S.
            for number in 0..<60 {
                let id = try await server.notify(title: "\(number)", token: producer)[0]
                for plain in ["K", "k", "S", "s"] where id.contains(plain) {
                    let other = id.replacing(plain, with: letter).utf8.map {
                        "%" + String($0, radix: 16, uppercase: true)
                    }
                    let answer = await server.send("GET", "/api/v1/notifications/\(other.joined())", token: reader)
                    expectProblem(answer, 404, "delivery_not_found")
                }
            }
        }
    }

    @Test("series: two spellings have two collapse ids")
    func series() async throws {
        try await HomeServer.with { server in
            let ids = [Self.composed, Self.decomposed, Self.composed].map {
                server.secrets.collapse.collapseID(serverDeviceID: "device", subject: .series($0))
            }
            #expect(ids[0] != ids[1])
            #expect(ids[0] == ids[2])
        }
    }
}
