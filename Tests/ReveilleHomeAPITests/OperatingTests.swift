import ReveilleCore
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleStorage
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite struct OperatingTests {
    @Test("health says that the process runs")
    func health() async throws {
        try await HomeServer.with { server in
            let answer = await server.send("GET", "/healthz")
            #expect(answer.status == 200)
            #expect(answer.json == ["status": "ok"])
        }
    }

    @Test("readiness is the store; a closed one is 503 with its code and the time to look again")
    func readiness() async throws {
        try await HomeServer.with { server in
            let ready = await server.send("GET", "/readyz")
            #expect(ready.status == 200)
            #expect(ready.json["status"] == "ready")
            #expect(ready.json["store"] == "writable")
            #expect(ready.json["listener"] == "open")
            #expect(ready.json["lanes"]?.array != nil)
            await server.store.close()
            server.clock.advance(by: .seconds(2))
            let answer = await server.send("GET", "/readyz")
            expectProblem(answer, 503, "not_ready")
            #expect(answer.json["cause"] == "storage_closed")
            #expect(answer.fields["retry-after"] != nil)
        }
    }

    @Test("a paused lane is a detail of readiness and does not decide it")
    func pausedLane() async throws {
        try await HomeServer.with { server in
            _ = try await server.registered(token: try await server.profileToken())
            let lane = LaneKey.apns(.production)
            try await server.store.recordPause(lane, topic: nil, reason: ProviderReason("InvalidProviderToken"))
            let answer = await server.send("GET", "/readyz")
            #expect(answer.status == 200)
            let lanes = try #require(answer.json["lanes"]?.array)
            #expect(lanes.contains { $0["place"] == "production" && $0["state"] == "paused" })
        }
    }

    @Test("trouble of the store is 503 with its code and Retry-After on every route that needs it")
    func storeTrouble() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            await server.store.close()
            let answer = await server.send(
                "POST", "/api/v1/notifications", token: producer, json: ["recipients": ["a"], "category": "c"])
            expectProblem(answer, 503, "storage_closed")
            #expect(answer.fields["retry-after"] == "1")
            #expect(await server.send("GET", "/healthz").status == 200)
        }
    }

    @Test("metrics are Prometheus text")
    func metrics() async throws {
        try await HomeServer.with { server in
            let answer = await server.send("GET", "/metrics")
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(answer.text.contains("# TYPE reveille_http_requests_total counter"))
        }
    }

    @Test("the text of the metrics is written at most once a second, however often it is asked for")
    func metricsPage() {
        let registry = MetricsRegistry()
        let counter = registry.counter("reveille_test_total", help: "Test.")
        let page = MetricsPage()
        let start = MonotonicInstant(nanoseconds: 5_000_000_000)
        let first = page.bytes(of: registry, at: start)
        counter.increment()
        #expect(page.bytes(of: registry, at: start + .milliseconds(999)) == first)
        #expect(page.bytes(of: registry, at: start + .seconds(1)) != first)
    }

    @Test("the capability answer has the slice of the relay document and names what is not there")
    func capability() async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "GET", "/api/v1/notifications/capability", token: try await server.profileToken())
            #expect(
                answer.json["apple_push"] == [
                    "available": true, "provider": "custom_apns", "available_providers": ["custom_apns"],
                    "supported_modes": ["private_push", "in_app_only"], "privacy_mode": "metadata_fetch",
                ])
            for name in ["unified_push", "web_push"] {
                #expect(answer.json[name] == ["available": false, "vapid_public_key": "BPresent"])
            }
            for name in ["in_app", "android_push", "webhooks", "mail"] {
                #expect(answer.json[name] == ["available": false])
            }
        }
    }

    @Test("the capability answer is the truth while every lane is paused, and with the provider off")
    func truthfulCapability() async throws {
        let path = "/api/v1/notifications/capability"
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            _ = try await server.registered(token: token)
            let lane = LaneKey.apns(.production)
            try await server.store.recordPause(lane, topic: nil, reason: ProviderReason("InvalidProviderToken"))
            #expect(await server.send("GET", path, token: token).json["apple_push"]?["available"] == false)
            try await server.store.recordPause(lane, topic: nil, reason: nil)
            server.clock.advance(by: .seconds(3))
            #expect(await server.send("GET", path, token: token).json["apple_push"]?["available"] == true)
        }
        try await HomeServer.with(provider: .off) { server in
            let answer = await server.send("GET", path, token: try await server.profileToken())
            #expect(answer.json["apple_push"]?["available"] == false)
            #expect(answer.json["apple_push"]?["provider"] == "off")
        }
    }

    @Test("an admin sees the lanes with their figures and pauses")
    func lanes() async throws {
        try await HomeServer.with { server in
            _ = try await server.registered(token: try await server.profileToken())
            try await server.notify(token: try await server.producerToken())
            let admin = try await server.adminToken()
            let production = { () async -> JSONValue? in
                await server.send("GET", "/api/v1/admin/lanes", token: admin).json["lanes"]?.array?.first {
                    $0["place"] == "production"
                }
            }
            let before = try #require(await production())
            #expect(before["provider"] == "apns" && before["credential"] == "own")
            #expect(before["state"] == "healthy" && before["pauses"] == [])
            #expect(before["waiting"] == 1 && before["held"] == 0 && before["devices"] == 1)
            let lane = LaneKey.apns(.production)
            try await server.store.recordPause(lane, topic: HomeServer.topic, reason: ProviderReason("TopicDisallowed"))
            let after = try #require(await production())
            #expect(after["state"] == "topics_paused")
            #expect(after["pauses"] == [["topic": .string(HomeServer.topic), "reason": "TopicDisallowed"]])
            #expect(after["waiting"] == 0 && after["held"] == 1)
        }
    }

    @Test("a lane that has nothing to do is listed and healthy, in the list and as a detail of readiness")
    func idleLane() async throws {
        try await HomeServer.with { server in
            _ = try await server.registered(token: try await server.profileToken())
            let answer = await server.send("GET", "/api/v1/admin/lanes", token: try await server.adminToken())
            let lane = try #require(answer.json["lanes"]?.array?.first)
            #expect(lane["place"] == "production" && lane["state"] == "healthy" && lane["devices"] == 1)
            #expect(lane["waiting"] == 0 && lane["leased"] == 0 && lane["held"] == 0)
            let ready = await server.send("GET", "/readyz")
            let detail: JSONValue = [
                "provider": "apns", "place": "production", "state": "healthy", "condition": nil,
            ]
            #expect(ready.json["lanes"]?.array?.contains(detail) == true)
        }
    }

    @Test(
        "an admin sees how a lane is in this process, and null when it runs elsewhere",
        arguments: LaneCondition.allCases)
    func condition(condition: LaneCondition) async throws {
        try await HomeServer.with { server in
            _ = try await server.registered(token: try await server.profileToken())
            let admin = try await server.adminToken()
            let before = await server.send("GET", "/api/v1/admin/lanes", token: admin).json["lanes"]?.array?.first
            #expect(before?["condition"] == .null)
            server.lanes.present.withLock { $0 = [LaneKey.apns(.production): condition] }
            let after = await server.send("GET", "/api/v1/admin/lanes", token: admin).json["lanes"]?.array?.first
            #expect(after?["condition"] == .string(condition.rawValue))
        }
    }

    @Test("a probe after a change of settings reaches the dispatcher")
    func probe() async throws {
        try await HomeServer.with { server in
            let token = try await server.adminToken()
            #expect(await server.send("POST", "/api/v1/admin/lanes/probe", token: token).status == 202)
            #expect(server.lanes.changes == 1)
        }
    }

    @Test("an admin sees all devices in pages, without names, install ids or tokens")
    func devices() async throws {
        try await HomeServer.with { server in
            var ids: [String] = []
            for number in 0..<5 {
                let token = try await server.profileToken("profile\(number)")
                ids.append(
                    try await server.registered(
                        Registration.body(
                            "install-\(number)", token: Registration.token(number), extra: [("name", "secretname")]),
                        token: token
                    ).id)
            }
            let admin = try await server.adminToken()
            var seen: [String] = []
            var target: String? = "/api/v1/admin/devices?limit=2"
            while let page = target {
                let answer = await server.send("GET", page, token: admin)
                #expect(!answer.text.contains("secretname") && !answer.text.contains("install-"))
                #expect(answer.json["devices"]?.array?.allSatisfy { $0["quarantined"] == false } == true)
                seen += (answer.json["devices"]?.array ?? []).compactMap { $0["id"]?.string }
                target = answer.json["next"]?.string.map { "/api/v1/admin/devices?limit=2&after=\($0)" }
            }
            #expect(seen == ids)
            expectProblem(
                await server.send("GET", "/api/v1/admin/devices?after=x", token: admin), 400, "invalid_value",
                field: "after")
        }
    }

    @Test("an admin enables a device; one that is not there is not found")
    func enable() async throws {
        try await HomeServer.with { server in
            let device = try await server.registered(token: try await server.profileToken())
            let admin = try await server.adminToken()
            #expect(
                await server.send("POST", "/api/v1/admin/devices/\(device.id)/enable", token: admin).status == 204)
            for id in ["nonsense", String(repeating: "A", count: 26)] {
                expectProblem(
                    await server.send("POST", "/api/v1/admin/devices/\(id)/enable", token: admin), 404,
                    "device_not_found")
            }
        }
    }
}
