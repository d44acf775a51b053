import ReveilleCore
import ReveilleJSON
import ReveilleStorage
import ReveilleTesting
import Testing

@Suite struct DeviceTests {
    private static let path = "/api/v1/devices/push"

    @Test("the list shows a profile's own devices, newest registration first, and never a token")
    func list() async throws {
        try await HomeServer.with { server in
            let anna = try await server.profileToken("anna")
            let bert = try await server.profileToken("bert")
            #expect(await server.send("GET", Self.path, token: anna).json == ["devices": []])
            let first = try await server.registered(token: anna)
            server.clock.advance(by: .seconds(1))
            let second = try await server.registered(
                Registration.body("install-2", token: Registration.token(2), extra: [("name", "Pad")]), token: anna)
            let answer = await server.send("GET", Self.path, token: anna)
            let devices = try #require(answer.json["devices"]?.array)
            #expect(devices.map { $0["id"]?.string } == [second.id, first.id])
            #expect(
                devices[0].object?.keys == [
                    "id", "server_device_id", "device_id", "name", "platform", "os", "app_version", "locale",
                    "apns_environment", "apns_topic", "push_mode", "categories", "enabled", "state", "registered_at",
                    "last_success_at", "last_failure_at", "last_failure",
                ])
            #expect(devices[0]["name"] == "Pad")
            #expect(devices[0]["device_id"] == "install-2")
            #expect(devices[0]["platform"] == "apple")
            #expect(devices[0]["registered_at"] == "2027-01-15T08:00:01.000Z")
            #expect(!answer.text.contains(Registration.token(1)) && !answer.text.contains(Registration.token(2)))
            #expect(await server.send("GET", Self.path, token: bert).json == ["devices": []])
        }
    }

    @Test("PATCH changes what is given and keeps the rest")
    func change() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let device = try await server.registered(
                Registration.body(extra: [("name", "Phone"), ("categories", ["a"])]), token: token)
            let patch = { (json: JSONValue) async -> JSONValue in
                await server.send("PATCH", "\(Self.path)/\(device.id)", token: token, json: json).json
            }
            #expect(await patch(["name": "Mine"])["name"] == "Mine")
            #expect(await patch([:])["name"] == "Mine")
            #expect(await patch([:])["categories"] == ["a"])
            #expect(await patch(["categories": ["b", "c"]])["categories"] == ["b", "c"])
            #expect(await patch(["categories": []])["categories"] == .null)
            #expect(await patch(["name": nil])["name"] == .null)
            let off = await patch(["push_mode": "off"])
            #expect(off["push_mode"] == "off" && off["enabled"] == false)
            #expect(await patch(["push_mode": "private_push"])["enabled"] == true)
        }
    }

    @Test("turning a device off cancels its wakes")
    func offCancels() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let device = try await server.registered(token: token)
            try await server.notify(token: try await server.producerToken())
            let row = try #require(try await server.store.allDevices(after: nil, limit: 1).first).row
            #expect(try await server.store.unsettledWakes(of: row).count == 1)
            _ = await server.send("PATCH", "\(Self.path)/\(device.id)", token: token, json: ["push_mode": "off"])
            #expect(try await server.store.unsettledWakes(of: row).count == 0)
        }
    }

    @Test(
        "a change that breaks a rule is refused",
        arguments: [
            (["name": 1], "wrong_type", "name"), (["name": "a\n"], "invalid_value", "name"),
            (["push_mode": "loud"], "invalid_value", "push_mode"), (["categories": "a"], "wrong_type", "categories"),
            (["categories": ["a", "a"]], "invalid_value", "categories"),
            (["apns_token": "ab"], "unknown_field", "apns_token"),
            (["enabled": true], "unknown_field", "enabled"),
        ] as [(JSONValue, String, String)])
    func refused(_ json: JSONValue, _ code: String, _ field: String) async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let device = try await server.registered(token: token)
            let answer = await server.send("PATCH", "\(Self.path)/\(device.id)", token: token, json: json)
            expectProblem(answer, 400, code, field: field)
        }
    }

    @Test("removal is idempotent; other profiles' devices stay")
    func remove() async throws {
        try await HomeServer.with { server in
            let anna = try await server.profileToken("anna")
            let bert = try await server.profileToken("bert")
            let device = try await server.registered(token: anna)
            #expect(await server.send("DELETE", "\(Self.path)/\(device.id)", token: bert).status == 204)
            #expect(await server.send("GET", Self.path, token: anna).json["devices"]?.array?.count == 1)
            for _ in 0..<2 {
                #expect(await server.send("DELETE", "\(Self.path)/\(device.id)", token: anna).status == 204)
            }
            #expect(await server.send("DELETE", "\(Self.path)/nonsense", token: anna).status == 204)
            #expect(await server.send("GET", Self.path, token: anna).json["devices"] == [])
        }
    }

    @Test("a device of another profile, one that is gone and nonsense are not found alike")
    func notFound() async throws {
        try await HomeServer.with { server in
            let anna = try await server.profileToken("anna")
            let bert = try await server.profileToken("bert")
            let foreign = try await server.registered(token: bert)
            let gone = try await server.registered(
                Registration.body("install-2", token: Registration.token(2)), token: anna)
            _ = await server.send("DELETE", "\(Self.path)/\(gone.id)", token: anna)
            for id in [foreign.id, gone.id, "nonsense", String(repeating: "A", count: 26)] {
                expectProblem(
                    await server.send("PATCH", "\(Self.path)/\(id)", token: anna, json: ["name": "x"]), 404,
                    "device_not_found")
                expectProblem(
                    await server.send("POST", "\(Self.path)/\(id)/verify", token: anna, json: ["code": "1"]), 404,
                    "device_not_found")
            }
        }
    }

    @Test("a bound token moves to a stranger only with the code that was sent to it")
    func displacement() async throws {
        try await HomeServer.with { server in
            let anna = try await server.profileToken("anna")
            let bound = Registration.body(extra: [
                ("installation_key", .string(Registration.key(1))), ("generation", 1),
            ])
            let device = try await server.registered(bound, token: anna)
            server.clock.advance(by: .seconds(60))
            let bert = try await server.profileToken("bert")
            let claim = Registration.body("install-9")
            let pending = await server.register(claim, token: bert)
            #expect(pending.status == 202)
            #expect(pending.json == ["status": "verification_required"])
            #expect(await server.send("GET", "/api/v1/notifications", token: device.displayToken).status == 200)
            #expect(await server.send("GET", Self.path, token: bert).json["devices"] == [])
            let withCode = { (code: String) -> JSONValue in
                Registration.body("install-9", extra: [("verification_code", .string(code))])
            }
            expectProblem(
                await server.register(withCode("wrong"), token: bert), 422, "wrong_code", field: "verification_code")
            let code = try #require(try await server.leasedWakes().compactMap(\.verificationCode).first)
            #expect(await server.register(withCode(code), token: bert).status == 201)
            #expect(await server.send("GET", Self.path, token: anna).json["devices"] == [])
            expectProblem(
                await server.send("GET", "/api/v1/notifications", token: device.displayToken), 401, "invalid_credential"
            )
        }
    }

    @Test("who claims a token for the first time returns the code under the id that the wake names")
    func firstClaim() async throws {
        try await HomeServer.with { server in
            let anna = try await server.profileToken("anna")
            let bound = Registration.body(extra: [
                ("installation_key", .string(Registration.key(1))), ("generation", 1),
            ])
            let holder = try require(await server.register(bound, token: anna).json["server_device_id"]?.string)
            let path = "\(Self.path)/\(holder)/verify"
            let bert = try await server.profileToken("bert")
            // Nobody waits for a code yet.
            expectProblem(await server.send("POST", path, token: bert, json: ["code": "1"]), 404, "device_not_found")
            server.clock.advance(by: .seconds(60))
            let claim = Registration.body("install-9")
            #expect(await server.register(claim, token: bert).status == 202)
            let wake = try require(try await server.leasedWakes().first)
            #expect(server.secrets.publicIDs.text(.serverDevice, row: wake.device.number) == holder)
            let code = try require(wake.verificationCode)
            expectProblem(
                await server.send("POST", path, token: bert, json: ["code": "no"]), 422, "wrong_code", field: "code")
            let stranger = try await server.profileToken("carl")
            expectProblem(
                await server.send("POST", path, token: stranger, json: ["code": .string(code)]), 404,
                "device_not_found")
            let verified = await server.send("POST", path, token: bert, json: ["code": .string(code)])
            #expect(verified.status == 200 && verified.json["device_id"]?.string == "install-9")
            #expect(verified.json["server_device_id"]?.string != holder)
            #expect(await server.send("GET", Self.path, token: anna).json["devices"] == [])
            // The display token comes with the next registration.
            let again = await server.register(claim, token: bert)
            #expect(again.status == 200 && again.json["id"] == verified.json["id"])
            let display = try require(again.json["display_token"]?.string)
            #expect(await server.send("GET", "/api/v1/notifications", token: display).status == 200)
        }
    }

    @Test(
        "a code that is no code is refused",
        arguments: [
            ([:], "missing_field", "code"), (["code": ""], "too_short", "code"), (["code": 1], "wrong_type", "code"),
            (["code": "1\n"], "invalid_value", "code"), (["code": "1", "x": 1], "unknown_field", "x"),
        ] as [(JSONValue, String, String)])
    func malformedCode(_ json: JSONValue, _ code: String, _ field: String) async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let device = try await server.registered(token: token)
            let path = "\(Self.path)/\(device.id)/verify"
            expectProblem(await server.send("POST", path, token: token, json: json), 400, code, field: field)
            expectProblem(await server.send("POST", path, token: token), 400, "missing_body")
        }
    }

    @Test("no code is right for a device that waits for none")
    func nothingToVerify() async throws {
        try await HomeServer.with { server in
            let device = try await server.registered(token: try await server.profileToken())
            let answer = await server.send(
                "POST", "\(Self.path)/\(device.id)/verify", token: device.displayToken, json: ["code": "000000"])
            expectProblem(answer, 422, "wrong_code", field: "code")
        }
    }

    @Test("a display token verifies its own device only")
    func verifyByDisplayToken() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let phone = try await server.registered(token: token)
            let pad = try await server.registered(
                Registration.body("install-2", token: Registration.token(2)), token: token)
            let answer = await server.send(
                "POST", "\(Self.path)/\(pad.id)/verify", token: phone.displayToken, json: ["code": "1"])
            expectProblem(answer, 404, "device_not_found")
        }
    }
}

extension HomeServer {
    /// The wakes that are due.
    ///
    /// A code travels in one of them to its token; the lane that sends it is the only one to see it.
    fileprivate func leasedWakes() async throws -> [LeasedWake] {
        try await store.lease(
            LaneKey.apns(.production), limit: 10,
            lease: Lease(token: 1, untilMilliseconds: .max), onlyTopic: nil, excludingTopics: [])
    }
}
