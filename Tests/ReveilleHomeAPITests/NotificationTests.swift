import ReveilleBytes
import ReveilleCore
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleStorage
import Testing

@Suite struct NotificationTests {
    static let path = "/api/v1/notifications"

    @Test("a notification is accepted with one delivery for each recipient, in their order")
    func accepted() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let answer = await server.send(
                "POST", Self.path, token: token,
                json: [
                    "recipients": ["bert", "anna", "çelik 7"], "category": "release", "title": "T\u{E9}\n", "body": "B",
                    "data": ["b": 1, "a": [true, nil, 1.5, "x"]], "series": "s", "alert": "visible", "ttl": 3_600,
                ])
            #expect(answer.status == 202, "\(answer.text)")
            #expect(answer.fields["content-type"] == "application/json")
            #expect(answer.json.object?.keys == ["notification_id", "accepted_at", "deliveries"])
            #expect(UUIDText.decode(answer.json["notification_id"]?.string ?? "") != nil)
            #expect(answer.json["accepted_at"]?.string == "2027-01-15T08:00:00.000Z")
            let deliveries = try #require(answer.json["deliveries"]?.array)
            #expect(deliveries.map { $0["profile_id"]?.string } == ["bert", "anna", "çelik 7"])
            #expect(Set(deliveries.map { $0["delivery_id"]?.string ?? "" }).count == 3)
            #expect(deliveries.allSatisfy { $0["delivery_id"]?.string?.count == 26 })
        }
    }

    @Test("what was posted is what the recipient reads, and nobody else")
    func content() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let anna = try await server.profileToken("anna")
            let bert = try await server.profileToken("bert")
            let stranger = try await server.profileToken("anna", of: "stranger")
            let data: JSONValue = ["z": ["y": 1, "x": [nil, true]], "a": "b"]
            let answer = await server.send(
                "POST", Self.path, token: token,
                json: [
                    "recipients": ["anna"], "category": "release", "title": "T", "body": "B", "data": data,
                    "series": "s",
                ])
            let notification = try #require(answer.json["notification_id"]?.string)
            let delivery = try #require(answer.json["deliveries"]?.array?.first?["delivery_id"]?.string)
            let read = await server.send("GET", "\(Self.path)/\(delivery)", token: anna)
            #expect(
                read.json
                    == [
                        "delivery_id": .string(delivery), "notification_id": .string(notification), "alert": "visible",
                        "category": "release", "title": "T", "body": "B", "data": data, "series": "s",
                        "created_at": "2027-01-15T08:00:00.000Z", "read": false,
                    ])
            for other in [bert, stranger] {
                expectProblem(
                    await server.send("GET", "\(Self.path)/\(delivery)", token: other), 404, "delivery_not_found")
            }
        }
    }

    @Test(
        "numbers in data come back as they were written",
        arguments: [
            "9223372036854775807", "-9223372036854775808", "9007199254740993", "1.10", "1e2", "-0", "-0.0", "1E-400",
            "3.14159265358979323846264338327950288", "18446744073709551616.0",
        ])
    func numbersInData(number: String) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", Self.path, token: try await server.producerToken(),
                body: Array("{\"recipients\":[\"a\"],\"category\":\"c\",\"data\":{\"n\":[\(number)]}}".utf8),
                fields: [("content-type", "application/json")])
            let id = try #require(answer.json["deliveries"]?.array?.first?["delivery_id"]?.string, "\(answer.text)")
            let read = await server.send("GET", "\(Self.path)/\(id)", token: try await server.profileToken("a"))
            #expect(read.text.contains("\"data\":{\"n\":[\(number)]}"), "\(read.text)")
        }
    }

    @Test(
        "the server decides what alerts: an unlisted category is silent, a producer may silence and never escalate",
        arguments: [
            ("release", nil, "visible"), ("release", "visible", "visible"), ("release", "silent", "silent"),
            ("flags", nil, "silent"), ("flags", "visible", "silent"), ("flags", "silent", "silent"),
            ("Release", nil, "silent"),
        ] as [(String, String?, String)])
    func alert(_ category: String, _ wish: String?, _ expected: String) async throws {
        try await HomeServer.with { server in
            var body: JSONObject = ["recipients": ["anna"], "category": .string(category)]
            if let wish { body["alert"] = .string(wish) }
            let answer = await server.send(
                "POST", Self.path, token: try await server.producerToken(), json: .object(body))
            let id = try #require(answer.json["deliveries"]?.array?.first?["delivery_id"]?.string)
            let read = await server.send("GET", "\(Self.path)/\(id)", token: try await server.profileToken())
            #expect(read.json["alert"]?.string == expected)
        }
    }

    @Test("title, body, data, series, alert and ttl may be left out or null, and are then empty")
    func optionals() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let nulls: JSONValue = [
                "recipients": ["anna"], "category": "release", "title": nil, "body": nil, "data": nil, "series": nil,
                "alert": nil, "ttl": nil,
            ]
            for body: JSONValue in [["recipients": ["anna"], "category": "release"], nulls] {
                let answer = await server.send("POST", Self.path, token: token, json: body)
                let id = try #require(answer.json["deliveries"]?.array?.first?["delivery_id"]?.string)
                let read = await server.send("GET", "\(Self.path)/\(id)", token: try await server.profileToken())
                #expect(read.json["title"] == "" && read.json["body"] == "")
                #expect(read.json["data"] == .null && read.json["series"] == .null)
            }
        }
    }

    @Test("sizes at their limits are accepted")
    func limits() async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let text = { (count: Int) in JSONValue.string(String(repeating: "x", count: count)) }
            var deep: JSONValue = 1
            for _ in 0..<15 { deep = .array([deep]) }
            let bodies: [JSONValue] = [
                [
                    "recipients": .array([text(128)]), "category": text(64), "title": text(1_024), "body": text(16_384),
                    "series": text(255), "ttl": 60, "data": ["d": deep],
                ],
                ["recipients": .array((0..<1_000).map { .string("p\($0)") }), "category": "release", "ttl": 2_419_200],
                ["recipients": ["anna"], "category": "release", "data": ["d": text(32_760)]],
            ]
            for body in bodies {
                #expect(await server.send("POST", Self.path, token: token, json: body).status == 202)
            }
        }
    }
}

/// Bodies that are refused, each with its status, code and field.
@Suite struct MalformedNotificationTests {
    struct Malformed: Sendable, CustomTestStringConvertible {
        let body: String
        let status: Int
        let code: String
        let field: String?

        init(_ body: String, _ code: String, _ field: String? = nil, status: Int = 400) {
            self.body = body
            self.status = status
            self.code = code
            self.field = field
        }

        var testDescription: String { "\(code) \(field ?? "") \(body.prefix(60))" }
    }

    private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// A valid body with one more or one other member.
    private static func with(_ member: String) -> String {
        "{\"recipients\":[\"a\"],\"category\":\"c\",\(member)}"
    }

    static let texts: [Malformed] = [
        Malformed("", "missing_body"),
        Malformed(" ", "json_unexpected_end"),
        Malformed("{", "json_unexpected_end"),
        Malformed("{\"recipients\":[\"a\"]", "json_unexpected_end"),
        Malformed("nonsense", "json_unexpected_byte"),
        Malformed("{'recipients':[]}", "json_unexpected_byte"),
        Malformed("{\"recipients\":[\"a\",],\"category\":\"c\"}", "json_unexpected_byte"),
        Malformed("{\"recipients\":[\"a\"],\"category\":\"c\"}{}", "json_trailing_bytes"),
        Malformed("{\"recipients\":[\"a\"],\"category\":\"c\"} x", "json_trailing_bytes"),
        Malformed("\u{FEFF}{\"recipients\":[\"a\"],\"category\":\"c\"}", "json_byte_order_mark"),
        Malformed(with("\"ttl\":01"), "json_invalid_number"),
        Malformed(with("\"ttl\":+1"), "json_unexpected_byte"),
        Malformed(with("\"ttl\":1e999"), "json_number_out_of_range"),
        Malformed(with("\"ttl\":18446744073709551616"), "json_number_out_of_range"),
        Malformed(with("\"ttl\":3600.0"), "wrong_type", "ttl"),
        Malformed(with("\"ttl\":-0"), "wrong_type", "ttl"),
        Malformed(with("\"data\":{\"id\":9223372036854775808}"), "json_number_out_of_range"),
        Malformed(with("\"data\":{\"id\":[-9223372036854775809]}"), "json_number_out_of_range"),
        Malformed(with("\"title\":\"\\ud800\""), "json_lone_surrogate"),
        Malformed(with("\"title\":\"\\x41\""), "json_invalid_escape"),
        Malformed(with("\"title\":\"a\nb\""), "json_control_character"),
        Malformed(with("\"category\":\"d\""), "json_duplicate_key"),
        Malformed(with("\"data\":{\"a\":1,\"a\":2}"), "json_duplicate_key"),
        Malformed(
            with("\"data\":" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40)), "json_too_deep"),
        Malformed(with("\"data\":[" + String(repeating: "1,", count: 25_000) + "1]"), "json_too_many_elements"),
        Malformed("[]", "not_an_object"),
        Malformed("null", "not_an_object"),
        Malformed("\"text\"", "not_an_object"),
        Malformed("{}", "missing_field", "recipients"),
        Malformed("{\"recipients\":null,\"category\":\"c\"}", "missing_field", "recipients"),
        Malformed("{\"recipients\":[\"a\"]}", "missing_field", "category"),
        Malformed("{\"recipients\":\"a\",\"category\":\"c\"}", "wrong_type", "recipients"),
        Malformed("{\"recipients\":{},\"category\":\"c\"}", "wrong_type", "recipients"),
        Malformed("{\"recipients\":[],\"category\":\"c\"}", "invalid_value", "recipients"),
        Malformed("{\"recipients\":[1],\"category\":\"c\"}", "wrong_type", "recipients[0]"),
        Malformed("{\"recipients\":[\"a\",null],\"category\":\"c\"}", "wrong_type", "recipients[1]"),
        Malformed("{\"recipients\":[\"a\",\"\"],\"category\":\"c\"}", "too_short", "recipients[1]"),
        Malformed("{\"recipients\":[\"\(x(129))\"],\"category\":\"c\"}", "too_long", "recipients[0]"),
        Malformed("{\"recipients\":[\"a\",\"b\",\"a\"],\"category\":\"c\"}", "invalid_value", "recipients"),
        Malformed("{\"recipients\":[\"a\\u0000\"],\"category\":\"c\"}", "invalid_value", "recipients"),
        Malformed("{\"recipients\":[\"a\\n\"],\"category\":\"c\"}", "invalid_value", "recipients"),
        Malformed("{\"recipients\":[\"a\u{85}\"],\"category\":\"c\"}", "invalid_value", "recipients"),
        Malformed("{\"recipients\":[\"a\u{2028}b\"],\"category\":\"c\"}", "invalid_value", "recipients"),
        Malformed("{\"recipients\":[\"a\"],\"category\":\"\u{2029}\"}", "invalid_value", "category"),
        Malformed(
            "{\"recipients\":[" + (0..<1_001).map { "\"p\($0)\"" }.joined(separator: ",") + "],\"category\":\"c\"}",
            "too_long", "recipients"),
        Malformed("{\"recipients\":[\"a\"],\"category\":7}", "wrong_type", "category"),
        Malformed("{\"recipients\":[\"a\"],\"category\":\"\"}", "too_short", "category"),
        Malformed("{\"recipients\":[\"a\"],\"category\":\"\(x(65))\"}", "too_long", "category"),
        Malformed("{\"recipients\":[\"a\"],\"category\":\"a\\tb\"}", "invalid_value", "category"),
        Malformed(with("\"title\":1"), "wrong_type", "title"),
        Malformed(with("\"title\":[]"), "wrong_type", "title"),
        Malformed(with("\"title\":\"\(x(1_025))\""), "too_long", "title"),
        Malformed(with("\"title\":\"" + String(repeating: "\u{E9}", count: 513) + "\""), "too_long", "title"),
        Malformed(with("\"title\":\"a\\u0000b\""), "invalid_value", "title"),
        Malformed(with("\"title\":\"a\\u007fb\""), "invalid_value", "title"),
        Malformed(with("\"body\":true"), "wrong_type", "body"),
        Malformed(with("\"body\":\"\(x(16_385))\""), "too_long", "body"),
        Malformed(with("\"body\":\"\\u001b[31m\""), "invalid_value", "body"),
        Malformed(with("\"data\":\"x\""), "not_an_object", "data"),
        Malformed(with("\"data\":[1]"), "not_an_object", "data"),
        Malformed(with("\"data\":7"), "not_an_object", "data"),
        Malformed(
            with("\"data\":{\"d\":" + String(repeating: "[", count: 16) + String(repeating: "]", count: 16) + "}"),
            "invalid_value", "data"),
        Malformed(with("\"data\":{\"d\":\"\(x(32_761))\"}"), "too_long", "data"),
        Malformed(with("\"series\":\"\""), "invalid_value", "series"),
        Malformed(with("\"series\":5"), "wrong_type", "series"),
        Malformed(with("\"series\":\"\(x(256))\""), "too_long", "series"),
        Malformed(with("\"series\":\"a\\rb\""), "invalid_value", "series"),
        Malformed(with("\"alert\":\"loud\""), "invalid_value", "alert"),
        Malformed(with("\"alert\":true"), "wrong_type", "alert"),
        Malformed(with("\"alert\":\"Visible\""), "invalid_value", "alert"),
        Malformed(with("\"ttl\":59"), "out_of_range", "ttl"),
        Malformed(with("\"ttl\":2419201"), "out_of_range", "ttl"),
        Malformed(with("\"ttl\":-1"), "out_of_range", "ttl"),
        Malformed(with("\"ttl\":60.5"), "wrong_type", "ttl"),
        Malformed(with("\"ttl\":60.0"), "wrong_type", "ttl"),
        Malformed(with("\"ttl\":\"60\""), "wrong_type", "ttl"),
        Malformed(with("\"ttl\":99999999999999999999"), "json_number_out_of_range"),
        Malformed(with("\"extra\":1"), "unknown_field", "extra"),
        Malformed(with("\"Title\":\"x\""), "unknown_field", "Title"),
        Malformed(with("\"recipient\":\"x\""), "unknown_field", "recipient"),
        Malformed(with("\"badge\":null"), "unknown_field", "badge"),
        Malformed("{\"data\":\"\(x(65_530))\"}", "body_too_large", nil, status: 413),
    ]

    @Test("a body that breaks a rule is refused with its code and field, and nothing is stored", arguments: texts)
    func refused(_ malformed: Malformed) async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let answer = await server.send(
                "POST", "/api/v1/notifications", token: token, body: Array(malformed.body.utf8),
                fields: [("content-type", "application/json")])
            expectProblem(answer, malformed.status, malformed.code, field: malformed.field)
            let inbox = await server.send(
                "GET", "/api/v1/notifications/sync", token: try await server.profileToken("a"))
            #expect(inbox.json["changes"] == [])
        }
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [[0xFF], [0xC3, 0x28], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]]
            as [[UInt8]])
    func badUTF8(_ bytes: [UInt8]) async throws {
        try await HomeServer.with { server in
            let body = Array("{\"recipients\":[\"a\"],\"category\":\"".utf8) + bytes + Array("\"}".utf8)
            let answer = await server.send(
                "POST", "/api/v1/notifications", token: try await server.producerToken(), body: body,
                fields: [("content-type", "application/json")])
            expectProblem(answer, 400, "json_invalid_utf8")
        }
    }

    @Test(
        "a body that is declared to be compressed is refused, not read as if it were not",
        arguments: [["gzip"], ["br"], ["identity", "deflate"], ["identity, gzip"], [""]])
    func contentCoding(_ values: [String]) async throws {
        try await HomeServer.with { server in
            let token = try await server.producerToken()
            let body = Array("{\"recipients\":[\"a\"],\"category\":\"c\"}".utf8)
            let json = ("content-type", "application/json")
            let refused = await server.send(
                "POST", "/api/v1/notifications", token: token, body: body,
                fields: [json] + values.map { ("content-encoding", $0) })
            expectProblem(refused, 415, "unsupported_media_type", field: "Content-Encoding")
            let taken = await server.send(
                "POST", "/api/v1/notifications", token: token, body: body,
                fields: [json, ("content-encoding", "identity")])
            #expect(taken.status == 202)
        }
    }

    @Test(
        "a body that is not declared as JSON is refused",
        arguments: [
            [], ["text/plain"], ["application/x-www-form-urlencoded"], ["application/json; charset=latin1"],
            ["application/jsonp"], ["application/json", "application/json"], [""], ["application/json;"],
        ] as [[String]])
    func mediaType(_ values: [String]) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", "/api/v1/notifications", token: try await server.producerToken(),
                body: Array("{\"recipients\":[\"a\"],\"category\":\"c\"}".utf8),
                fields: values.map { ("content-type", $0) })
            expectProblem(answer, 415, "unsupported_media_type", field: "Content-Type")
        }
    }

    @Test(
        "JSON may be declared in any case and with its charset",
        arguments: [
            "application/json", "Application/JSON", "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
        ])
    func declared(_ value: String) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", "/api/v1/notifications", token: try await server.producerToken(),
                body: Array("{\"recipients\":[\"a\"],\"category\":\"c\"}".utf8), fields: [("content-type", value)])
            #expect(answer.status == 202)
        }
    }

    @Test("a query on a route that has none is refused")
    func query() async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", "/api/v1/notifications?dry_run=1", token: try await server.producerToken(),
                json: ["recipients": ["a"], "category": "c"])
            expectProblem(answer, 400, "unknown_parameter", field: "dry_run")
        }
    }
}
