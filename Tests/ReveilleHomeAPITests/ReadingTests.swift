import ReveilleCore
import ReveilleJSON
import ReveilleStorage
import Testing

@Suite struct SyncTests {
    private static let path = "/api/v1/notifications/sync"

    @Test("without a cursor the newest page with reset; with it what came after, ascending")
    func following() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let token = try await server.profileToken()
            let first = try await server.notify(title: "one", token: producer)
            let start = await server.send("GET", Self.path, token: token)
            #expect(start.status == 200)
            #expect(start.json.object?.keys == ["changes", "cursor", "has_more", "unread", "reset"])
            #expect(start.json["reset"] == true)
            #expect(start.json["unread"] == 1)
            #expect(start.json["has_more"] == false)
            #expect(start.json["changes"]?.array?.map { $0["delivery_id"]?.string } == first)
            #expect(start.json["changes"]?.array?.first?["kind"] == "new")
            #expect(start.json["changes"]?.array?.first?["notification"]?["title"] == "one")
            let cursor = try #require(start.json["cursor"]?.string)
            let second = try await server.notify(title: "two", token: producer)
            let third = try await server.notify(title: "three", token: producer)
            _ = await server.send("POST", "/api/v1/notifications/\(second[0])/read", token: token)
            let next = await server.send("GET", "\(Self.path)?since=\(cursor)", token: token)
            #expect(next.json["reset"] == false)
            #expect(next.json["unread"] == 2)
            let changes = try #require(next.json["changes"]?.array)
            #expect(changes.map { $0["kind"]?.string } == ["new", "new", "read"])
            #expect(changes.map { $0["delivery_id"]?.string } == [second[0], third[0], second[0]])
            #expect(changes[2]["notification"] == nil)
            let end = await server.send("GET", "\(Self.path)?since=\(next.json["cursor"]?.string ?? "")", token: token)
            #expect(end.json["changes"] == [])
        }
    }

    @Test("pages are gap-free whatever their size")
    func pages() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let token = try await server.profileToken()
            let start = await server.send("GET", Self.path, token: token)
            let cursor = try #require(start.json["cursor"]?.string)
            var posted: [String] = []
            for number in 0..<23 { posted += try await server.notify(title: "\(number)", token: producer) }
            for limit in [1, 7, 100] {
                var seen: [String] = []
                var from = cursor
                var hasMore = true
                while hasMore {
                    let page = await server.send("GET", "\(Self.path)?since=\(from)&limit=\(limit)", token: token)
                    let changes = try #require(page.json["changes"]?.array)
                    #expect(changes.count <= limit)
                    seen += changes.compactMap { $0["delivery_id"]?.string }
                    from = try #require(page.json["cursor"]?.string)
                    hasMore = page.json["has_more"] == true
                }
                #expect(seen == posted)
            }
        }
    }

    @Test("a cursor of another profile, a forged one and nonsense are 410 and cancel nothing")
    func goneCursors() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let anna = try await server.profileToken("anna")
            let bert = try await server.profileToken("bert")
            let device = try await server.registered(token: anna)
            try await server.notify(token: producer)
            let foreign = try #require(await server.send("GET", Self.path, token: bert).json["cursor"]?.string)
            let own = try #require(await server.send("GET", Self.path, token: anna).json["cursor"]?.string)
            var forged = Array(own)
            forged[5] = forged[5] == "A" ? "B" : "A"
            let row = try #require(try await server.store.allDevices(after: nil, limit: 1).first).row
            for cursor in [foreign, String(forged), "x", "0", String(own.dropLast()), own + "A"] {
                let answer = await server.send(
                    "GET", "\(Self.path)?since=\(cursor)", token: anna, fields: [("reveille-device", device.id)])
                expectProblem(answer, 410, "cursor_gone", field: answer.field)
            }
            #expect(try await server.store.unsettledWakes(of: row).count == 1)
        }
    }

    @Test("the cursor of a request that names its device cancels that device's wakes; without the name it cancels none")
    func cancelling() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let token = try await server.profileToken()
            let phone = try await server.registered(token: token)
            let pad = try await server.registered(
                Registration.body("install-2", token: Registration.token(2)), token: token)
            try await server.notify(token: producer)
            let rows = try await server.store.allDevices(after: nil, limit: 2).map(\.row)
            let waiting = { () async throws -> [Int] in
                var counts: [Int] = []
                for row in rows { counts.append(try await server.store.unsettledWakes(of: row).count) }
                return counts
            }
            #expect(try await waiting() == [1, 1])
            // The first answer carries the change; only presenting its cursor proves that it arrived.
            let page = await server.send("GET", Self.path, token: phone.displayToken)
            let cursor = try #require(page.json["cursor"]?.string)
            #expect(try await waiting() == [1, 1])
            _ = await server.send("GET", "\(Self.path)?since=\(cursor)", token: token)
            #expect(try await waiting() == [1, 1])
            _ = await server.send("GET", "\(Self.path)?since=\(cursor)", token: phone.displayToken)
            #expect(try await waiting().sorted() == [0, 1])
            _ = await server.send(
                "GET", "\(Self.path)?since=\(cursor)", token: token, fields: [("reveille-device", pad.id)])
            #expect(try await waiting() == [0, 0])
        }
    }

    @Test("a silent delivery reaches clients by sync, and never the list or the unread count")
    func silent() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            try await server.notify(category: "flags", token: try await server.producerToken())
            let page = await server.send("GET", Self.path, token: token)
            #expect(page.json["changes"]?.array?.count == 1)
            #expect(page.json["changes"]?.array?.first?["notification"]?["alert"] == "silent")
            #expect(page.json["unread"] == 0)
            #expect(await server.send("GET", "/api/v1/notifications", token: token).json["notifications"] == [])
        }
    }

    @Test(
        "a query that breaks a rule is refused",
        arguments: [
            ("limit=0", "invalid_parameter", "limit"), ("limit=101", "invalid_parameter", "limit"),
            ("limit=-1", "invalid_parameter", "limit"), ("limit=ten", "invalid_parameter", "limit"),
            ("limit=", "invalid_parameter", "limit"), ("limit=+5", "invalid_parameter", "limit"),
            ("limit=99999999999999999999", "invalid_parameter", "limit"),
            ("limit=1&limit=2", "invalid_parameter", "limit"),
            ("since=", "invalid_parameter", "since"), ("after=x", "unknown_parameter", "after"),
            ("Since=x", "unknown_parameter", "Since"),
            ("since=" + String(repeating: "a", count: 257), "invalid_parameter", "since"),
        ])
    func malformed(_ query: String, _ code: String, _ field: String) async throws {
        try await HomeServer.with { server in
            let answer = await server.send("GET", "\(Self.path)?\(query)", token: try await server.profileToken())
            expectProblem(answer, 400, code, field: field)
        }
    }
}

@Suite struct InboxTests {
    private static let path = "/api/v1/notifications"

    @Test("the list is newest first, in pages that follow each other")
    func list() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let token = try await server.profileToken()
            var posted: [String] = []
            for number in 0..<30 { posted += try await server.notify(title: "\(number)", token: producer) }
            let first = await server.send("GET", Self.path, token: token)
            #expect(first.json.object?.keys == ["notifications", "next"])
            #expect(first.json["notifications"]?.array?.count == 25)
            var seen: [String] = []
            var next: String? = ""
            while let before = next {
                let target = before.isEmpty ? "\(Self.path)?limit=7" : "\(Self.path)?limit=7&before=\(before)"
                let page = await server.send("GET", target, token: token)
                seen += (page.json["notifications"]?.array ?? []).compactMap { $0["delivery_id"]?.string }
                next = page.json["next"]?.string
            }
            #expect(seen == posted.reversed())
            let exact = await server.send("GET", "\(Self.path)?limit=30", token: token)
            #expect(exact.json["next"] == .null)
        }
    }

    @Test("a page that follows nothing is refused", arguments: ["x", "AAAAAAAAAAAAAAAAAAAAAAAAAA"])
    func badPage(_ before: String) async throws {
        try await HomeServer.with { server in
            let answer = await server.send(
                "GET", "\(Self.path)?before=\(before)", token: try await server.profileToken())
            expectProblem(answer, 400, "invalid_value", field: "before")
        }
    }

    @Test("each device has ids of its own, which no other device and no unnamed request can use")
    func aliases() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let token = try await server.profileToken()
            let phone = try await server.registered(token: token)
            let pad = try await server.registered(
                Registration.body("install-2", token: Registration.token(2)), token: token)
            let own = try await server.notify(token: producer)[0]
            let listed = { (token: String, fields: [(String, String)]) async -> String? in
                await server.send("GET", Self.path, token: token, fields: fields).json["notifications"]?.array?.first?[
                    "delivery_id"]?.string
            }
            let phoneID = try #require(await listed(phone.displayToken, []))
            let padID = try #require(await listed(token, [("reveille-device", pad.id)]))
            #expect(await listed(token, []) == own)
            #expect(Set([own, phoneID, padID]).count == 3)
            let synced = await server.send("GET", "\(Self.path)/sync", token: phone.displayToken)
            #expect(synced.json["changes"]?.array?.first?["delivery_id"]?.string == phoneID)
            #expect(await server.send("GET", "\(Self.path)/\(phoneID)", token: phone.displayToken).status == 200)
            #expect(await server.send("GET", "\(Self.path)/\(own)", token: phone.displayToken).status == 200)
            for (id, credential) in [(padID, phone.displayToken), (phoneID, pad.displayToken), (phoneID, token)] {
                expectProblem(
                    await server.send("GET", "\(Self.path)/\(id)", token: credential), 404, "delivery_not_found")
            }
            // The wake carries the very id that its device gets from the server.
            let row = try #require(try await server.store.allDevices(after: nil, limit: 2).first).row
            let wake = try #require(try await server.store.unsettledWakes(of: row).first)
            let delivery = try #require(wake.deliveries.last)
            #expect(server.secrets.publicIDs.deliveryID(of: delivery, for: row) == phoneID)
        }
    }

    @Test("reading is idempotent, counts once, and cancels the wakes of every device")
    func read() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            _ = try await server.registered(token: token)
            let id = try await server.notify(token: try await server.producerToken())[0]
            let row = try #require(try await server.store.allDevices(after: nil, limit: 1).first).row
            #expect(try await server.store.unsettledWakes(of: row).count == 1)
            for _ in 0..<2 {
                #expect(await server.send("POST", "\(Self.path)/\(id)/read", token: token).status == 204)
            }
            #expect(try await server.store.unsettledWakes(of: row).count == 0)
            let page = await server.send("GET", "\(Self.path)/sync", token: token)
            #expect(page.json["unread"] == 0)
            #expect(await server.send("GET", "\(Self.path)/\(id)", token: token).json["read"] == true)
            expectProblem(
                await server.send("POST", "\(Self.path)/\(String(repeating: "A", count: 26))/read", token: token), 404,
                "delivery_not_found")
        }
    }

    @Test("read-all marks everything, or what a cursor covers")
    func readAll() async throws {
        try await HomeServer.with { server in
            let producer = try await server.producerToken()
            let token = try await server.profileToken()
            for _ in 0..<3 { try await server.notify(token: producer) }
            let cursor = try #require(
                await server.send("GET", "\(Self.path)/sync", token: token).json["cursor"]?.string)
            try await server.notify(token: producer)
            let some = await server.send(
                "POST", "\(Self.path)/read-all", token: token, json: ["cursor": .string(cursor)])
            #expect(some.json == ["read": 3])
            #expect(await server.send("POST", "\(Self.path)/read-all", token: token).json == ["read": 1])
            #expect(await server.send("POST", "\(Self.path)/read-all", token: token, json: [:]).json == ["read": 0])
            let foreign = await server.send(
                "GET", "\(Self.path)/sync", token: try await server.profileToken("bert"))
            expectProblem(
                await server.send(
                    "POST", "\(Self.path)/read-all", token: token, json: ["cursor": foreign.json["cursor"] ?? .null]),
                410,
                "cursor_gone")
            expectProblem(
                await server.send("POST", "\(Self.path)/read-all", token: token, json: ["up_to": 1]), 400,
                "unknown_field",
                field: "up_to")
        }
    }

    @Test("a receipt names its device, is idempotent, and cancels that device's wake")
    func receipt() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            let phone = try await server.registered(token: token)
            let id = try await server.notify(token: try await server.producerToken())[0]
            let path = "\(Self.path)/\(id)/receipt"
            expectProblem(await server.send("POST", path, token: token), 400, "device_required")
            let row = try #require(try await server.store.allDevices(after: nil, limit: 1).first).row
            #expect(try await server.store.unsettledWakes(of: row).count == 1)
            #expect(await server.send("POST", path, token: phone.displayToken).status == 204)
            #expect(try await server.store.unsettledWakes(of: row).count == 0)
            let named = await server.send("POST", path, token: token, fields: [("reveille-device", phone.id)])
            #expect(named.status == 204)
            #expect(await server.send("GET", "\(Self.path)/\(id)", token: token).json["read"] == false)
        }
    }

    @Test(
        "routes without fields take no body, an empty one or {}",
        arguments: [("POST", "/api/v1/notifications/X/read"), ("POST", "/api/v1/notifications/X/receipt")])
    func noFields(_ method: String, _ path: String) async throws {
        try await HomeServer.with { server in
            let device = try await server.registered(token: try await server.profileToken())
            let token = path.hasSuffix("receipt") ? device.displayToken : try await server.profileToken()
            expectProblem(await server.send(method, path, token: token, json: [:]), 404, "delivery_not_found")
            expectProblem(
                await server.send(method, path, token: token, json: ["a": 1]), 400, "unknown_field", field: "a")
        }
    }

    @Test("a GET or DELETE with a body is refused")
    func unexpectedBody() async throws {
        try await HomeServer.with { server in
            let token = try await server.profileToken()
            for (method, path) in [
                ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics"), ("GET", Self.path),
                ("GET", "\(Self.path)/sync"),
                ("GET", "\(Self.path)/X"), ("GET", "\(Self.path)/capability"), ("GET", "/api/v1/devices/push"),
                ("DELETE", "/api/v1/devices/push/X"), ("GET", "/api/v1/preferences"),
            ] {
                expectProblem(await server.send(method, path, token: token, json: [:]), 400, "unexpected_body")
            }
        }
    }
}
