import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import Testing

@Suite struct RouteTests {
    @Test("the API description lists exactly the routes of the router")
    func description() throws {
        #expect(try OpenAPIDocument.load().operations == Set(HomeRoute.served.map(\.rawValue)))
    }

    @Test("the API description names for each route the tokens that open it", arguments: HomeRoute.served)
    func security(_ route: HomeRoute) throws {
        let tokens: Set<String> =
            switch route.access {
            case .open: []
            case .producer: ["producerToken"]
            case .profile: ["profileToken"]
            case .profileOrDisplay: ["profileToken", "displayToken"]
            case .admin: ["adminToken"]
            }
        #expect(try OpenAPIDocument.load().security[route.rawValue] == tokens)
    }

    @Test("the API description marks as later exactly the routes that answer 501", arguments: HomeRoute.served)
    func later(_ route: HomeRoute) throws {
        #expect(try OpenAPIDocument.load().later.contains(route.rawValue) == route.isLater)
    }

    @Test("a path that no route has is 404")
    func unknownPath() async throws {
        try await HomeServer.with { server in
            for path in [
                "/", "/api/v1", "/api/v1/notification", "/api/v2/notifications", "/healthz/", "/api/v1/devices",
            ] {
                expectProblem(await server.send("GET", path), 404, "not_found")
            }
        }
    }

    @Test(
        "a method that a path does not take is 405 and names those it takes",
        arguments: [
            ("DELETE", "/api/v1/notifications", ["GET", "HEAD", "OPTIONS", "POST"]),
            ("GET", "/api/v1/notifications/read-all", ["OPTIONS", "POST"]),
            ("POST", "/healthz", ["GET", "HEAD", "OPTIONS"]),
            ("PUT", "/api/v1/devices/push/X", ["DELETE", "OPTIONS", "PATCH"]),
            ("POST", "/api/v1/preferences", ["GET", "HEAD", "OPTIONS", "PUT"]),
        ])
    func wrongMethod(_ method: String, _ path: String, _ allowed: [String]) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(method, path)
            expectProblem(answer, 405, "method_not_allowed")
            let allow = (answer.fields["allow"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
            #expect(Set(allow) == Set(allowed))
        }
    }

    @Test("a literal segment wins over a parameter")
    func literalFirst() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            #expect(await server.send("GET", "/api/v1/notifications/sync", token: token).json["cursor"] != nil)
            #expect(
                await server.send("GET", "/api/v1/notifications/capability", token: token).json["apple_push"] != nil)
        }
    }

    @Test("HEAD is answered like GET")
    func head() async throws {
        try await HomeServer.with { server in
            let answer = await server.send("HEAD", "/healthz")
            #expect(answer.status == 200)
            #expect(await server.send("HEAD", "/api/v1/notifications").status == 401)
        }
    }

    @Test("OPTIONS names the methods of a path, without a credential")
    func options() async throws {
        try await HomeServer.with { server in
            let answer = await server.send("OPTIONS", "/api/v1/preferences")
            #expect(answer.status == 204)
            let allow = (answer.fields["allow"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
            #expect(Set(allow) == ["GET", "HEAD", "OPTIONS", "PUT"])
            #expect(answer.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test("scripts of a listed origin may call, those of others may not, and cookies never")
    func crossOrigin() async throws {
        let settings = HomeAPISettings(allowedOrigins: ["https://app.example.org"])
        try await HomeServer.with(settings: settings) { server in
            let preflight = [
                ("access-control-request-method", "PUT"), ("access-control-request-headers", "authorization"),
            ]
            let listed = await server.send(
                "OPTIONS", "/api/v1/preferences", fields: [("origin", "https://app.example.org")] + preflight)
            #expect(listed.fields["access-control-allow-origin"] == "https://app.example.org")
            #expect(listed.fields["access-control-allow-methods"]?.contains("PUT") == true)
            #expect(listed.fields["access-control-allow-headers"]?.contains("authorization") == true)
            #expect(listed.fields["vary"] == "origin")
            let call = await server.send("GET", "/healthz", fields: [("origin", "https://app.example.org")])
            #expect(call.fields["access-control-allow-origin"] == "https://app.example.org")
            for origin in [
                "https://evil.example", "http://app.example.org", "null", "https://app.example.org.evil.example",
            ] {
                let other = await server.send(
                    "OPTIONS", "/api/v1/preferences", fields: [("origin", origin)] + preflight)
                #expect(other.fields["access-control-allow-origin"] == nil)
                #expect(other.fields["access-control-allow-methods"] == nil)
            }
            #expect(listed.fields["access-control-allow-credentials"] == nil)
        }
    }

    @Test("no answer may be kept in a cache, and none is sniffed for another type")
    func noStore() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            for (path, token) in [("/healthz", nil), ("/api/v1/notifications", token), ("/nowhere", nil)] {
                let answer = await server.send("GET", path, token: token)
                #expect(answer.fields["cache-control"] == "no-store")
                #expect(answer.fields["x-content-type-options"] == "nosniff")
            }
        }
    }
}
