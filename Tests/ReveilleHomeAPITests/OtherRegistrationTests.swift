import ReveilleCore
import ReveilleJSON
import ReveilleStorage
import Testing

@Suite("Devices that FCM, a distributor or a browser's push service reaches")
struct OtherRegistrationTests {
    /// A kind of registration.
    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        let body: JSONValue
        let other: JSONValue
        let os: String
        let state: String
        let lane: LaneKey

        var path: String { "/api/v1/devices/push/\(name)" }
        var testDescription: String { name }
    }

    static let kinds = [
        Kind(
            name: "android", body: Subscriptions.fcm(), other: Subscriptions.fcm(token: "another:APA91b"),
            os: "android",
            state: "active", lane: .fcm),
        Kind(
            name: "unifiedpush", body: Subscriptions.body(endpoint: Subscriptions.distributorEndpoint),
            other: Subscriptions.body(endpoint: Subscriptions.distributorEndpoint + "2"), os: "android",
            state: "pending",
            lane: LaneKey(.unifiedPush(origin: "https://ntfy.example.org"), credential: "present")),
        Kind(
            name: "web", body: Subscriptions.body(),
            other: Subscriptions.body(endpoint: Subscriptions.browserEndpoint + "d"), os: "browser", state: "pending",
            lane: LaneKey(
                .webPush(origin: "https://updates.push.services.mozilla.com"), credential: "present")),
    ]

    @Test("register, rotate and are listed by their kind, without address or keys", arguments: kinds)
    func register(kind: Kind) async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let first = await server.send("POST", kind.path, token: token, json: kind.body)
            #expect(first.status == 201, "\(first.text)")
            #expect(first.json["state"]?.string == kind.state && first.json["enabled"] == true)
            let again = await server.send("POST", kind.path, token: token, json: kind.body)
            #expect(again.status == 200 && again.json["id"] == first.json["id"])
            let rotated = await server.send("POST", kind.path, token: token, json: kind.other)
            #expect(rotated.status == 200 && rotated.json["server_device_id"] == first.json["server_device_id"])
            let listed = await server.send("GET", "/api/v1/devices/push", token: token)
            let device = try #require(listed.json["devices"]?.array?.first)
            #expect(device["platform"]?.string == kind.name && device["os"]?.string == kind.os)
            #expect(device["app"]?.string == HomeServer.topic && device["apns_topic"] == nil)
            for secret in ["APA91b", "up123", "wpush", Subscriptions.p256dh, Subscriptions.auth] {
                #expect(!listed.text.contains(secret) && !first.text.contains(secret))
            }
            let stored = try await server.store.allDevices(after: nil, limit: 9)
            #expect(stored.map(\.lane) == [kind.lane])
        }
    }

    @Test("a subscription is active once its device returned the code; an app of before needs none")
    func proof() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let path = "/api/v1/devices/push/web"
            let first = await server.send("POST", path, token: token, json: Subscriptions.body())
            let id = try #require(first.json["id"]?.string)
            let lane = try #require(try await server.store.allDevices(after: nil, limit: 1).first).lane
            let wakes = try await server.store.lease(
                lane, limit: 9, lease: Lease(token: 1, untilMilliseconds: .max), onlyTopic: nil, excludingTopics: [])
            let code = try #require(wakes.first?.verificationCode)
            expectProblem(
                await server.send("POST", "/api/v1/devices/push/\(id)/verify", token: token, json: ["code": "no"]), 422,
                "wrong_code", field: "code")
            let verified = await server.send(
                "POST", "/api/v1/devices/push/\(id)/verify", token: token, json: ["code": .string(code)])
            #expect(verified.status == 200 && verified.json["state"] == "active", "\(verified.text)")
            let old = await server.send(
                "POST", path, token: token,
                json: Subscriptions.body(
                    "old", endpoint: "https://fcm.googleapis.com/fcm/send/x", app: HomeServer.oldTopic))
            #expect(old.json["state"] == "active")
        }
    }

    @Test("an installation id of Firebase takes the token's place")
    func installationID() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let path = "/api/v1/devices/push/android"
            let given: [(String, JSONValue)] = [("fcm_installation_id", "dEf0123456789_-abcdefg")]
            let body = Subscriptions.fcm(token: nil, extra: given)
            #expect(await server.send("POST", path, token: token, json: body).status == 201)
            expectProblem(
                await server.send("POST", path, token: token, json: Subscriptions.fcm(extra: given)), 400,
                "invalid_value", field: "fcm_token")
        }
    }

    @Test("a subscription that was made with a former key of the server goes over the lane of that key")
    func formerKey() async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", "/api/v1/devices/push/web", token: try await server.profileToken(),
                json: Subscriptions.body(extra: [("vapid_key", "BFormer")]))
            #expect(answer.status == 201)
            #expect(try await server.store.allDevices(after: nil, limit: 1).first?.lane.credential == "former")
        }
    }

    /// A body that is refused, with the field that is named.
    struct Refused: Sendable, CustomTestStringConvertible {
        let kind: String
        let body: JSONValue
        var status = 400
        var code = "invalid_value"
        let field: String

        var testDescription: String { "\(kind) \(field) \(code)" }

        static func endpoint(_ kind: String, _ endpoint: String) -> Refused {
            Refused(kind: kind, body: Subscriptions.body(endpoint: endpoint), field: "subscription.endpoint")
        }

        static func keys(_ p256dh: String, _ auth: String, _ field: String) -> Refused {
            Refused(
                kind: "web",
                body: Subscriptions.body(extra: [
                    ("subscription", Subscriptions.subscription(p256dh: p256dh, auth: auth))
                ]), field: "subscription.keys.\(field)")
        }
    }

    static let refused: [Refused] = [
        .endpoint("web", "http://updates.push.services.mozilla.com/x"), .endpoint("web", "https://push.example.org/x"),
        .endpoint("web", "https://updates.push.services.mozilla.com:8443/x"),
        .endpoint("unifiedpush", "https://127.0.0.1/x"), .endpoint("unifiedpush", "https://nas.local/x"),
        .endpoint("unifiedpush", "https://user@push.example.org/x"),
        .endpoint("unifiedpush", "https://push.example.org/"),
        .endpoint("unifiedpush", "https://push.example.org:22/x"),
        .keys(String(Subscriptions.p256dh.dropLast()), Subscriptions.auth, "p256dh"),
        // A point that is not on the curve.
        .keys(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw5",
            Subscriptions.auth, "p256dh"),
        .keys(Subscriptions.p256dh, "BTBZMqHH6r4Tts7J_aSI", "auth"),
        Refused(kind: "android", body: Subscriptions.fcm(token: "a b"), field: "fcm_token"),
        Refused(kind: "android", body: Subscriptions.fcm(token: Registration.token(1)), field: "fcm_token"),
        Refused(kind: "android", body: Subscriptions.fcm(token: nil), code: "missing_field", field: "fcm_token"),
        Refused(
            kind: "web", body: Subscriptions.body(app: "org.example.unknown"), status: 422, code: "topic_not_allowed",
            field: "app"),
        Refused(
            kind: "web", body: Subscriptions.body(extra: [("os", "ios")]), code: "unknown_field", field: "os"),
        Refused(
            kind: "web", body: Subscriptions.body(extra: [("subscription", ["endpoint": "https://x.example/1"])]),
            code: "missing_field", field: "subscription.keys"),
    ]

    @Test("what is wrong with a registration is said with its field, and nothing is written", arguments: refused)
    func refusals(refused: Refused) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "POST", "/api/v1/devices/push/\(refused.kind)", token: try await server.profileToken(),
                json: refused.body)
            expectProblem(answer, refused.status, refused.code, field: refused.field)
            #expect(!answer.text.contains("push.example.org") && !answer.text.contains("nas.local"))
            #expect(try await server.store.allDevices(after: nil, limit: 1).isEmpty)
        }
    }
}
