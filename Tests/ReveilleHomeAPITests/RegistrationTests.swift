import ReveilleCore
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleStorage
import Testing

@Suite struct RegistrationTests {
    @Test("a new device is 201, the same again is 200, with the same ids and the fields of the answer")
    func newAndKnown() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let first = await server.register(token: token)
            #expect(first.status == 201)
            #expect(
                first.json.object?.keys == [
                    "id", "server_device_id", "enabled", "push_mode", "state", "display_token",
                    "display_token_expires_at",
                ])
            #expect(first.json["enabled"] == true)
            #expect(first.json["push_mode"] == "private_push")
            #expect(first.json["state"] == "active")
            #expect(first.json["display_token_expires_at"] == "2027-04-15T08:00:00.000Z")
            #expect(first.json["id"] != first.json["server_device_id"])
            let again = await server.register(token: token)
            #expect(again.status == 200)
            #expect(again.json["id"] == first.json["id"])
            #expect(again.json["server_device_id"] == first.json["server_device_id"])
        }
    }

    @Test("the five fields of the relay document are enough")
    func documentedRequest() async throws {
        try await HomeServer.with { server in
            let answer = await server.register(
                [
                    "device_id": "apple-device-local-id", "apns_token": .string(Registration.token(1)),
                    "apns_environment": "production", "apns_topic": .string(HomeServer.topic),
                    "push_mode": "private_push",
                ], token: try await server.profileToken())
            #expect(answer.status == 201)
        }
    }

    @Test("rotation keeps the server's device id, removal ends it")
    func rotation() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let first = await server.register(token: token)
            let rotated = await server.register(Registration.body(token: Registration.token(2)), token: token)
            #expect(rotated.status == 200)
            #expect(rotated.json["server_device_id"] == first.json["server_device_id"])
            let id = try #require(first.json["id"]?.string)
            #expect(await server.send("DELETE", "/api/v1/devices/push/\(id)", token: token).status == 204)
            let anew = await server.register(Registration.body(token: Registration.token(2)), token: token)
            #expect(anew.status == 201)
            #expect(anew.json["server_device_id"] != first.json["server_device_id"])
        }
    }

    @Test("with the provider off a device registers all the same, and the capability says so")
    func providerOff() async throws {
        try await HomeServer.with(provider: .off) { server in
            let token = try await server.profileToken()
            #expect(await server.register(token: token).status == 201)
            let capability = await server.send("GET", "/api/v1/notifications/capability", token: token)
            #expect(capability.json["apple_push"]?["available"] == false)
        }
    }

    @Test(
        "each push mode is taken, and only private push is enabled",
        arguments: [("off", false), ("in_app_only", false), ("private_push", true)])
    func modes(_ mode: String, _ enabled: Bool) async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let answer = await server.register(
                Registration.body(extra: [("push_mode", .string(mode))]), token: token)
            #expect(answer.status == 201)
            #expect(answer.json["push_mode"] == .string(mode))
            #expect(answer.json["enabled"] == .boolean(enabled))
            // Without the field the choice stays.
            #expect(await server.register(token: token).json["push_mode"] == .string(mode))
        }
    }

    @Test("name and categories distinguish absent, empty and given")
    func wishes() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let device = { () async -> JSONValue? in
                await server.send("GET", "/api/v1/devices/push", token: token).json["devices"]?.array?.first
            }
            _ = await server.register(
                Registration.body(extra: [("name", "Phone"), ("categories", ["release", "mail"])]), token: token)
            #expect(await device()?["name"] == "Phone")
            #expect(await device()?["categories"] == ["release", "mail"])
            _ = await server.register(token: token)
            #expect(await device()?["name"] == "Phone")
            #expect(await device()?["categories"] == ["release", "mail"])
            _ = await server.register(
                Registration.body(extra: [("name", ""), ("categories", [])]), token: token)
            #expect(await device()?["name"] == .null)
            #expect(await device()?["categories"] == .null)
            _ = await server.register(
                Registration.body(extra: [("name", "Pad"), ("categories", ["x"])]), token: token)
            _ = await server.register(
                Registration.body(extra: [("name", nil), ("categories", nil)]), token: token)
            #expect(await device()?["name"] == .null)
            #expect(await device()?["categories"] == .null)
        }
    }

    @Test("what the app says of itself is kept")
    func description() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let answer = await server.register(
                Registration.body(
                    topic: HomeServer.macTopic,
                    extra: [
                        ("os", "macos"), ("app_version", "2.1 (77)"), ("locale", "de_CH@currency=CHF"),
                        ("apns_environment", "sandbox"),
                    ]), token: token)
            #expect(answer.status == 201)
            let device = await server.send("GET", "/api/v1/devices/push", token: token).json["devices"]?.array?.first
            #expect(device?["os"] == "macos")
            #expect(device?["app_version"] == "2.1 (77)")
            #expect(device?["locale"] == "de_CH@currency=CHF")
            #expect(device?["apns_environment"] == "sandbox")
            #expect(device?["apns_topic"] == .string(HomeServer.macTopic))
        }
    }

    @Test("a topic that is not on the list of an app is refused")
    func topic() async throws {
        try await HomeServer.with { server in
            let answer = await server.register(
                Registration.body(topic: "org.example.other"), token: try await server.profileToken())
            expectProblem(answer, 422, "topic_not_allowed", field: "apns_topic")
        }
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let member: String
        let value: JSONValue?
        let code: String
        let field: String

        init(_ member: String, _ value: JSONValue?, _ code: String, _ field: String? = nil) {
            self.member = member
            self.value = value
            self.code = code
            self.field = field ?? member
        }

        var testDescription: String { "\(member) \(code)" }
    }

    private static func long(_ count: Int) -> JSONValue { .string(String(repeating: "x", count: count)) }

    static let refused: [Refused] = [
        Refused("device_id", nil, "missing_field"), Refused("device_id", "", "too_short"),
        Refused("device_id", 7, "wrong_type"), Refused("device_id", long(129), "too_long"),
        Refused("device_id", "a\u{0}", "invalid_value"), Refused("device_id", "a\nb", "invalid_value"),
        Refused("apns_token", nil, "missing_field"), Refused("apns_token", "", "too_short"),
        Refused("apns_token", 7, "wrong_type"), Refused("apns_token", "abc", "invalid_value"),
        Refused("apns_token", long(1_025), "too_long"),
        Refused("apns_token", .string(String(repeating: "ab", count: 201)), "invalid_value"),
        Refused("apns_environment", nil, "missing_field"), Refused("apns_environment", "development", "invalid_value"),
        Refused("apns_environment", "Production", "invalid_value"), Refused("apns_environment", true, "wrong_type"),
        Refused("apns_topic", nil, "missing_field"), Refused("apns_topic", "", "too_short"),
        Refused("apns_topic", [], "wrong_type"), Refused("apns_topic", long(256), "too_long"),
        Refused("os", "android", "invalid_value"), Refused("os", "iOS", "invalid_value"),
        Refused("os", 1, "wrong_type"),
        Refused("name", 1, "wrong_type"), Refused("name", long(129), "too_long"),
        Refused("name", "a\u{7}", "invalid_value"), Refused("app_version", long(65), "too_long"),
        Refused("app_version", 2.1, "wrong_type"), Refused("app_version", "1\u{1}", "invalid_value"),
        Refused("locale", long(65), "too_long"), Refused("locale", "de CH", "invalid_value"),
        Refused("locale", "", "invalid_value"), Refused("locale", 1, "wrong_type"),
        Refused("push_mode", "full_preview", "invalid_value"), Refused("push_mode", false, "wrong_type"),
        Refused("categories", "release", "wrong_type"), Refused("categories", [1], "wrong_type", "categories[0]"),
        Refused("categories", [""], "too_short", "categories[0]"),
        Refused("categories", .array([long(65)]), "too_long", "categories[0]"),
        Refused("categories", ["a", "a"], "invalid_value"), Refused("categories", ["a\n"], "invalid_value"),
        Refused("categories", .array((0..<65).map { .string("c\($0)") }), "too_long"),
        Refused("generation", 1, "invalid_value", "installation_key"),
        Refused("generation", 0, "out_of_range"), Refused("generation", "1", "wrong_type"),
        Refused("generation", 9_007_199_254_740_992, "out_of_range"),
        Refused("installation_key", .string(Registration.key(1)), "invalid_value", "generation"),
        Refused("installation_key", 1, "wrong_type"), Refused("installation_key", long(129), "too_long"),
        Refused("verification_code", 123, "wrong_type"), Refused("verification_code", long(65), "too_long"),
        Refused("verification_code", "", "invalid_value"), Refused("verification_code", "1\u{2}", "invalid_value"),
        Refused("token", "x", "unknown_field"), Refused("platform", "apple", "unknown_field"),
        Refused("badge", nil, "unknown_field"),
    ]

    @Test("a field that breaks its rule is refused with its name, and no device is made", arguments: refused)
    func field(_ refused: Refused) async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            var object = try #require(Registration.body().object)
            object[refused.member] = refused.value ?? (refused.code == "unknown_field" ? .some(.null) : nil)
            expectProblem(
                await server.register(.object(object), token: token), 400, refused.code, field: refused.field)
            let devices = await server.send("GET", "/api/v1/devices/push", token: token)
            #expect(devices.json["devices"] == [])
        }
    }

    @Test(
        "an installation key is 32 octets in base64url, base64 or hexadecimal",
        arguments: [
            ("0101010101010101010101010101010101010101010101010101010101010101", true),
            ("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE", true),
            ("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=", true),
            ("010101", false), ("AQEB", false), ("not a key", false),
            ("zz01010101010101010101010101010101010101010101010101010101010101", false),
        ])
    func installationKey(_ key: String, _ isGood: Bool) async throws {
        try await HomeServer.with { server in
            let answer = await server.register(
                Registration.body(extra: [("installation_key", .string(key)), ("generation", 1)]),
                token: try await server.profileToken())
            if isGood {
                #expect(answer.status == 201)
            } else {
                expectProblem(answer, 400, "invalid_value", field: "installation_key")
            }
        }
    }

    @Test("the three printed forms of one installation key are the same key")
    func sameKey() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let forms = [
                "0101010101010101010101010101010101010101010101010101010101010101",
                "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE", "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=",
            ]
            for (index, form) in forms.enumerated() {
                let answer = await server.register(
                    Registration.body(extra: [
                        ("installation_key", .string(form)), ("generation", .integer(Int64(index + 1))),
                    ]),
                    token: token)
                #expect(answer.status == (index == 0 ? 201 : 200))
            }
        }
    }

    @Test("an older generation is stale, another key does not match")
    func generations() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let body = { (key: UInt8, generation: Int64, number: Int) in
                Registration.body(
                    token: Registration.token(number),
                    extra: [("installation_key", .string(Registration.key(key))), ("generation", .integer(generation))])
            }
            #expect(await server.register(body(1, 5, 1), token: token).status == 201)
            #expect(await server.register(body(1, 5, 1), token: token).status == 200)
            expectProblem(
                await server.register(body(1, 4, 2), token: token), 409, "stale_generation", field: "generation")
            expectProblem(
                await server.register(body(1, 5, 2), token: token), 409, "stale_generation", field: "generation")
            expectProblem(
                await server.register(body(2, 6, 2), token: token), 409, "installation_key_mismatch",
                field: "installation_key")
            #expect(await server.register(body(1, 6, 2), token: token).status == 200)
        }
    }
}
