import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleStorage
import ReveilleTesting
import Testing

/// Who may call what: every route with every kind of credential.
@Suite struct AccessTests {
    enum Shown: String, CaseIterable, Sendable {
        case nothing
        case otherScheme
        case unknownToken
        case producerWithoutScopes
        case producer
        case profile
        case display
        case admin
    }

    /// What the gate says before a route looks at the rest of a request; nil when it opens.
    private static func refusal(_ access: RouteAccess, _ shown: Shown) -> (Int, String)? {
        if access == .open { return nil }
        switch shown {
        case .nothing: return (401, "missing_credential")
        case .otherScheme, .unknownToken: return (401, "invalid_credential")
        case .producerWithoutScopes:
            if case .producer = access { return (403, "missing_scope") }
            return (403, "wrong_credential_kind")
        case .producer:
            if case .producer = access { return nil }
        case .profile:
            if access == .profile || access == .profileOrDisplay { return nil }
        case .display:
            if access == .profileOrDisplay { return nil }
        case .admin:
            if access == .admin { return nil }
        }
        return (403, "wrong_credential_kind")
    }

    @Test("every route opens to its kind of credential and to no other")
    func matrix() async throws {
        try await HomeServer.with { server in
            let profile = try await server.profileToken()
            let tokens: [Shown: String] = [
                .unknownToken: "rvu_" + String(repeating: "A", count: 43),
                .producerWithoutScopes: try await server.producerToken(scopes: []),
                .producer: try await server.producerToken(), .profile: profile,
                .display: try await server.registered(token: profile).displayToken,
                .admin: try await server.adminToken(),
            ]
            for route in HomeRoute.served {
                let target = route.template.replacing("{profile_id}", with: "anna").replacing("{token_id}", with: "X")
                    .replacing("{delivery_id}", with: "X").replacing("{id}", with: "X")
                for shown in Shown.allCases {
                    let fields = shown == .otherScheme ? [("authorization", "Basic QTpC")] : []
                    let answer = await server.send(route.method, target, token: tokens[shown], fields: fields)
                    guard let (status, code) = Self.refusal(route.access, shown) else {
                        #expect(answer.status != 401, "\(route) \(shown) \(answer.text)")
                        #expect(answer.status != 403, "\(route) \(shown) \(answer.text)")
                        if route.isLater {
                            expectProblem(answer, 501, "not_available_yet")
                        } else {
                            #expect(answer.status < 500, "\(route) \(shown) \(answer.text)")
                        }
                        continue
                    }
                    #expect(answer.status == status, "\(route) \(shown) \(answer.text)")
                    #expect(answer.code == code, "\(route) \(shown) \(answer.text)")
                }
            }
        }
    }

    @Test("a refusal says how to authenticate")
    func challenge() async throws {
        try await HomeServer.with { server in
            let none = await server.send("GET", "/api/v1/notifications")
            #expect(none.fields["www-authenticate"] == "Bearer realm=\"reveille\"")
            let wrong = await server.send("GET", "/api/v1/notifications", token: "rvu_nonsense")
            #expect(wrong.fields["www-authenticate"] == "Bearer realm=\"reveille\", error=\"invalid_token\"")
            let token = try await server.producerToken(scopes: [.notify])
            let scope = await server.send("POST", "/api/v1/profiles/anna/tokens", token: token)
            expectProblem(scope, 403, "missing_scope")
            #expect(
                scope.fields["www-authenticate"]
                    == "Bearer realm=\"reveille\", error=\"insufficient_scope\", scope=\"profiles:mint\"")
        }
    }

    @Test(
        "an Authorization field that is not one bearer token is refused",
        arguments: [
            ["Bearer"], ["Bearer "], ["bearer"], ["Token abc"], ["Bearer a b"], ["Bearer \u{E4}"],
            ["Bearer rvu_x", "Bearer rvu_x"],
            ["Bearer,rvu_x"], [""], ["Bearer rvu_\"x\""], ["Bearer " + String(repeating: "a", count: 9_000)],
        ])
    func malformed(_ values: [String]) async throws {
        try await HomeServer.with { server in
            let answer = await server.send("GET", "/api/v1/preferences", fields: values.map { ("authorization", $0) })
            expectProblem(answer, 401, "invalid_credential")
        }
    }

    @Test("the scheme is understood in any case, with more than one blank")
    func scheme() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            for value in ["bearer \(token)", "BEARER   \(token)", "Bearer \(token)"] {
                let answer = await server.send("GET", "/api/v1/preferences", fields: [("authorization", value)])
                #expect(answer.status == 200)
            }
        }
    }

    @Test("each token tells its kind by its beginning")
    func prefixes() async throws {
        try await HomeServer.with { server in
            let profile = try await server.profileToken()
            #expect(try await server.producerToken().hasPrefix("rvp_"))
            #expect(profile.hasPrefix("rvu_"))
            #expect(try await server.registered(token: profile).displayToken.hasPrefix("rvd_"))
            #expect(try await server.adminToken().hasPrefix("rva_"))
        }
    }

    @Test("a revoked profile token opens nothing at once, and takes the display tokens it registered with it")
    func revocation() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let minted = await server.send("POST", "/api/v1/profiles/anna/tokens", token: producer)
            let token = try #require(minted.json["token"]?.string)
            let id = try #require(minted.json["token_id"]?.string)
            let other = try await server.profileToken()
            let device = try await server.registered(token: token)
            let otherDevice = try await server.registered(
                Registration.body("install-2", token: Registration.token(2)), token: other)
            let path = "/api/v1/notifications"
            #expect(await server.send("GET", path, token: device.displayToken).status == 200)
            for _ in 0..<2 {
                let revoked = await server.send("DELETE", "/api/v1/profiles/anna/tokens/\(id)", token: producer)
                #expect(revoked.status == 204)
            }
            expectProblem(await server.send("GET", path, token: token), 401, "invalid_credential")
            expectProblem(await server.send("GET", path, token: device.displayToken), 401, "invalid_credential")
            #expect(await server.send("GET", path, token: other).status == 200)
            #expect(await server.send("GET", path, token: otherDevice.displayToken).status == 200)
        }
    }

    @Test("a producer revokes only tokens of its own profiles")
    func foreignRevocation() async throws {
        try await HomeServer.with { server in
            let minted = await server.send(
                "POST", "/api/v1/profiles/anna/tokens", token: try await server.producerToken("media"))
            let token = try #require(minted.json["token"]?.string)
            let id = try #require(minted.json["token_id"]?.string)
            let stranger = try await server.producerToken("stranger")
            for profile in ["anna", "bert"] {
                _ = await server.send("POST", "/api/v1/profiles/\(profile)/tokens", token: stranger)
                _ = await server.send("DELETE", "/api/v1/profiles/\(profile)/tokens/\(id)", token: stranger)
            }
            let own = try await server.producerToken("media")
            _ = await server.send("POST", "/api/v1/profiles/bert/tokens", token: own)
            _ = await server.send("DELETE", "/api/v1/profiles/bert/tokens/\(id)", token: own)
            #expect(await server.send("GET", "/api/v1/preferences", token: token).status == 200)
        }
    }

    @Test("a display token lives 90 days from the last registration, then says that it is too old")
    func displayTokenAge() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let device = try await server.registered(token: token)
            server.clock.advance(by: .seconds(90 * 86_400 - 1))
            #expect(await server.send("GET", "/api/v1/notifications", token: device.displayToken).status == 200)
            server.clock.advance(by: .seconds(1))
            let old = await server.send("GET", "/api/v1/notifications", token: device.displayToken)
            expectProblem(old, 401, "expired_credential")
            let renewed = try await server.registered(token: token)
            #expect(await server.send("GET", "/api/v1/notifications", token: renewed.displayToken).status == 200)
        }
    }

    @Test("a display token dies with its device, and a forged one never lives")
    func displayTokenDeath() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let device = try await server.registered(token: token)
            var forged = Array(device.displayToken)
            forged[10] = forged[10] == "A" ? "B" : "A"
            let path = "/api/v1/notifications"
            expectProblem(await server.send("GET", path, token: String(forged)), 401, "invalid_credential")
            #expect(await server.send("GET", path, token: device.displayToken).status == 200)
            _ = await server.send("DELETE", "/api/v1/devices/push/\(device.id)", token: token)
            expectProblem(await server.send("GET", path, token: device.displayToken), 401, "invalid_credential")
        }
    }

    @Test("a request may name only a device of its own profile, and a display token only itself")
    func namedDevice() async throws {
        try await HomeServer.with { server in
            let anna = try await server.profileToken("anna")
            let bert = try await server.profileToken("bert")
            let answer = await server.register(token: anna)
            let id = try #require(answer.json["id"]?.string)
            let serverID = try #require(answer.json["server_device_id"]?.string)
            let display = try #require(answer.json["display_token"]?.string)
            let second = try await server.registered(
                Registration.body("install-2", token: Registration.token(2)), token: anna)
            let path = "/api/v1/notifications"
            for named in [id, serverID] {
                #expect(await server.send("GET", path, token: anna, fields: [("reveille-device", named)]).status == 200)
                #expect(
                    await server.send("GET", path, token: display, fields: [("reveille-device", named)]).status == 200)
                expectProblem(
                    await server.send("GET", path, token: bert, fields: [("reveille-device", named)]), 403,
                    "foreign_device")
            }
            expectProblem(
                await server.send("GET", path, token: display, fields: [("reveille-device", second.id)]), 403,
                "foreign_device")
            for named in ["", "X", "install-1", String(repeating: "A", count: 26)] {
                expectProblem(
                    await server.send("GET", path, token: anna, fields: [("reveille-device", named)]), 403,
                    "foreign_device")
            }
            let twice = await server.send(
                "GET", path, token: anna, fields: [("reveille-device", id), ("reveille-device", id)])
            expectProblem(twice, 400, "invalid_value", field: "Reveille-Device")
        }
    }
}
