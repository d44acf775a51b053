import ReveilleEmulator
import ReveilleHTTP2
import ReveilleJSON
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("The control interface", .timeLimit(.minutes(5)))
struct ControlTests {
    /// Asks and reads the answer.
    private func ask(
        _ bench: Workbench, _ method: String, _ path: String, _ body: String = "",
        query: [(name: String, value: String)] = []
    ) async throws -> (status: Int, json: JSONValue) {
        let request = ControlRequest(method: method, path: path, query: query, body: Array(body.utf8))
        let answer = await bench.apple.control(request)
        return (answer.status, try JSONReader.parse(answer.body))
    }

    @Test("counters say what happened")
    func counters() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            _ = try await client.send(bench.push)
            _ = try await client.send(bench.push.with { $0.priority = "7" })
            let (status, json) = try await ask(bench, "GET", "/counters")
            #expect(status == 200)
            #expect(json["received"] == 2)
            #expect(json["accepted"] == 1)
            #expect(json["refused"] == 1)
            #expect(json["in_flight"] == 0)
            #expect(json["connections_open"] == 1)
            #expect(json["broken_rules"] == ["priority_is_unknown": 1])
            #expect(
                json["answers"] == [
                    ["status": 200, "count": 1], ["status": 400, "reason": "BadPriority", "count": 1],
                ])
        }
    }

    @Test("seen shows headers and body as they came, pushes the accepted ones, both in pages")
    func lists() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let push = bench.push.with { $0.id = TestPush.id }
            _ = try await client.send(push)
            _ = try await client.send(push.with { $0.body = "\u{1}" })
            _ = try await client.send(push)
            let seen = try await ask(bench, "GET", "/seen").json
            let first = try #require(seen["requests"]?.array?.first)
            #expect(first["headers"] == .array(push.headers.map { [.string($0.name), .string($0.value)] }))
            #expect(first["body"] == .string(TestPush.body))
            #expect(first["answer"] == ["kind": "response", "status": 200])
            #expect(seen["requests"]?.array?[1]["body_base64"] == "AQ==")
            #expect(seen["requests"]?.array?[1]["broken_rule"] == "payload_is_no_json_object")
            #expect(seen["next"] == 3)
            let page = try await ask(bench, "GET", "/seen", query: [("after", "1"), ("limit", "1")]).json
            #expect(page["requests"]?.array?.map { $0["number"] } == [2])
            #expect(page["next"] == 2)
            let pushes = try await ask(bench, "GET", "/pushes").json
            #expect(pushes["pushes"]?.array?.map { $0["number"] } == [1, 3])
            #expect(pushes["pushes"]?.array?.first?["apns_id"] == .string(TestPush.id))
            #expect(pushes["dropped"] == 0)
        }
    }

    @Test("ids alone are listed in compact runs")
    func compactList() async throws {
        try await withApple { configuration, _ in
            configuration.keeping = .idsOnly(maximumBytes: 1024 * 1024)
        } _: { bench in
            let client = try await bench.connect()
            _ = try await client.send(
                bench.push.with {
                    $0.id = TestPush.id
                    $0.collapseID = "c"
                })
            let pushes = try await ask(bench, "GET", "/pushes").json
            #expect(
                pushes["pushes"] == [
                    [
                        "number": 1, "apns_id": .string(TestPush.id), "token": .string(TestPush.token),
                        "collapse_id": "c",
                    ]
                ])
            #expect(pushes["next"] == 1)
        }
    }

    @Test("a device is registered, changed, looked at and forgotten")
    func devices() async throws {
        try await withApple { bench in
            let body = #"{"token":"ABCD","bundle_id":"org.example.mail","online":false}"#
            let (created, device) = try await ask(bench, "POST", "/devices", body)
            #expect(created == 201)
            #expect(device["token"] == "abcd")
            #expect(device["state"] == "active")
            #expect(device["environment"] == "production")
            let client = try await bench.connect()
            let push = bench.push.to("abcd").with { $0.collapseID = "c" }
            #expect(try await client.send(push).status == 200)
            let offline = try await ask(bench, "GET", "/devices/abcd/screen").json
            #expect(offline["screen"] == [])
            #expect(offline["stored"]?["collapse_id"] == "c")
            #expect(try await ask(bench, "POST", "/devices", #"{"token":"abcd","online":true}"#).status == 200)
            let screen = try await ask(bench, "GET", "/devices/ABCD/screen").json
            #expect(screen["screen"]?.array?.first?["payload"]?["aps"]?["mutable-content"] == 1)
            #expect(screen["stored"] == nil || screen["stored"]?.isNull == true)
            #expect(try await ask(bench, "DELETE", "/devices/abcd/screen").status == 200)
            #expect(try await ask(bench, "GET", "/devices/abcd/screen").json["screen"] == [])
            let dead = #"{"token":"abcd","state":"unregistered","since_ms":1700000000000}"#
            let (_, changed) = try await ask(bench, "POST", "/devices", dead)
            #expect(changed["since_ms"] == 1_700_000_000_000)
            #expect(try await client.send(push).status == 410)
            #expect(try await ask(bench, "POST", "/devices", #"{"token":"abcd","state":"expired"}"#).status == 200)
            #expect(try await client.send(push).body == #"{"reason":"ExpiredToken","timestamp":1800000000000}"#)
            #expect(try await ask(bench, "POST", "/devices", #"{"token":"abcd","state":"active"}"#).status == 200)
            #expect(try await client.send(push).status == 200)
            #expect(try await ask(bench, "GET", "/devices/abcd").json["counters"]?["accepted"] == 2)
            #expect(try await ask(bench, "DELETE", "/devices/abcd").status == 200)
            #expect(try await ask(bench, "GET", "/devices/abcd").status == 404)
        }
    }

    @Test("faults are added alone or as a script, listed with their strikes, and taken away")
    func faults() async throws {
        try await withApple { bench in
            let one = #"{"id":"x","action":{"kind":"answer","reason":"Shutdown"}}"#
            #expect(try await ask(bench, "POST", "/faults", one).json["ids"] == ["x"])
            let script = #"{"faults":[{"action":{"kind":"stall"}},{"action":{"kind":"hold"}}]}"#
            let (status, json) = try await ask(bench, "POST", "/faults", script)
            #expect(status == 201)
            #expect(json["ids"] == ["fault-1", "fault-2"])
            let client = try await bench.connect()
            #expect(try await client.send(bench.push).status == 503)
            let list = try await ask(bench, "GET", "/faults").json["faults"]?.array ?? []
            #expect(list.map { $0["id"] } == ["x", "fault-1", "fault-2"])
            #expect(list.map { $0["struck"] } == [1, 0, 0])
            #expect(try await ask(bench, "DELETE", "/faults/x").status == 200)
            #expect(try await ask(bench, "DELETE", "/faults/x").status == 404)
            #expect(try await ask(bench, "DELETE", "/faults").status == 200)
            #expect(try await ask(bench, "GET", "/faults").json["faults"] == [])
            #expect(try await client.send(bench.push).status == 200)
        }
    }

    @Test("held answers are released by token, by fault and by number")
    func release() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(AppleFault(.hold(accepted: true), id: "h"))
            let replies = [
                await client.start(bench.push.to("0a")), await client.start(bench.push.to("0b")),
                await client.start(bench.push.to("0c")),
            ]
            try await bench.apple.wait { $0.inFlight == 3 }
            #expect(try await ask(bench, "POST", "/release", #"{"token":"0B"}"#).json["released"] == 1)
            #expect(try await replies[1].wait().status == 200)
            #expect(try await ask(bench, "POST", "/release", #"{"fault":"other"}"#).json["released"] == 0)
            #expect(try await ask(bench, "POST", "/release", #"{"fault":"h","limit":1}"#).json["released"] == 1)
            #expect(try await replies[0].wait().status == 200)
            #expect(try await ask(bench, "POST", "/release").json["released"] == 1)
            #expect(try await replies[2].wait().status == 200)
        }
    }

    @Test("connections are listed, limited, said goodbye to and dropped")
    func connections() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            let list = try await ask(bench, "GET", "/connections").json["connections"]?.array ?? []
            #expect(list.map { $0["connection"] } == [1])
            #expect(list.first?["stream_limit"] == 1000)
            #expect(list.first?["provider_tokens"] == 1)
            #expect(
                try await ask(bench, "POST", "/connections/stream-limit", #"{"limit":5,"connection":1}"#).status == 200)
            try await client.waitForStreamLimit(5)
            let goAway = #"{"connection":1,"last_stream":0,"reason":"Shutdown","ending":"never"}"#
            #expect(try await ask(bench, "POST", "/connections/goaway", goAway).json["connections"] == 1)
            #expect(try await client.waitForGoAway()?.lastStreamID == 0)
            let other = try await bench.connectAuthenticated()
            #expect(try await ask(bench, "POST", "/connections/drop", #"{"connection":2}"#).json["connections"] == 1)
            _ = try await other.closed.wait()
        }
    }

    @Test("a reset forgets")
    func reset() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            #expect(try await ask(bench, "POST", "/reset").status == 200)
            #expect(try await ask(bench, "GET", "/counters").json["received"] == 0)
            #expect(try await client.send(bench.push).status == 200)
        }
    }

    @Test("a wish waits until the counters are within its bounds, and says with which")
    func waitsForCounters() async throws {
        try await withApple { bench in
            await bench.apple.addFault(AppleFault(.hold(accepted: true)))
            let client = try await bench.connect()
            async let wish = ask(bench, "POST", "/wait", #"{"at_least":{"in_flight":1},"at_most":{"answered":0}}"#)
            async let answer = client.send(bench.push)
            let (status, json) = try await wish
            #expect(status == 200)
            #expect(json["met"] == true)
            #expect(json["counters"]?["in_flight"] == 1)
            await bench.apple.releaseHeld()
            _ = try await answer
        }
    }

    @Test("a wish that is not met ends when its time is over", arguments: [0, 20])
    func wishesEnd(milliseconds: Int) async throws {
        try await withApple { bench in
            let (status, json) = try await ask(
                bench, "POST", "/wait", #"{"at_least":{"received":1},"timeout_ms":\#(milliseconds)}"#)
            #expect(status == 200)
            #expect(json["met"] == false)
            #expect(json["counters"]?["received"] == 0)
        }
    }

    static let mistakes: [(String, String, String, Int, String)] = [
        ("GET", "/nothing", "", 404, "unknown_path"),
        ("GET", "/", "", 404, "unknown_path"),
        ("PUT", "/counters", "", 404, "not_found_here"),
        ("POST", "/connections/explode", "", 404, "not_found_here"),
        ("GET", "/devices/abcd", "", 404, "unknown_device"),
        ("GET", "/devices/abcd/screen", "", 404, "unknown_device"),
        ("DELETE", "/devices/abcd", "", 404, "unknown_device"),
        ("DELETE", "/devices/abcd/screen", "", 404, "unknown_device"),
        ("DELETE", "/faults/x", "", 404, "unknown_fault"),
        ("POST", "/faults", "{", 400, "not_an_object"),
        ("POST", "/faults", "", 400, "missing_field"),
        ("POST", "/faults", #"{"action":{"kind":"x"}}"#, 400, "invalid_value"),
        ("POST", "/devices", "{}", 400, "missing_field"),
        ("POST", "/devices", #"{"token":"xyz","bundle_id":"b"}"#, 400, "invalid_value"),
        ("POST", "/devices", #"{"token":"abcd"}"#, 400, "missing_field"),
        ("POST", "/devices", #"{"token":"abcd","bundle_id":"b","state":"gone"}"#, 400, "invalid_value"),
        ("POST", "/devices", #"{"token":"abcd","bundle_id":"b","name":"x"}"#, 400, "unknown_field"),
        ("POST", "/connections/goaway", #"{"last_stream":"this one"}"#, 400, "invalid_value"),
        ("POST", "/connections/goaway", #"{"connection":0}"#, 400, "out_of_range"),
        ("POST", "/connections/stream-limit", "{}", 400, "missing_field"),
        ("POST", "/connections/stream-limit", #"{"limit":-1}"#, 400, "out_of_range"),
        ("POST", "/connections/drop", #"{"manner":"slam"}"#, 400, "invalid_value"),
        ("POST", "/release", #"{"limit":-1}"#, 400, "out_of_range"),
        ("POST", "/release", #"{"tokens":"ab"}"#, 400, "unknown_field"),
        ("GET", "/wait", "", 404, "not_found_here"),
        ("POST", "/wait", #"{"at_least":{"hopes":1}}"#, 400, "unknown_field"),
        ("POST", "/wait", #"{"at_most":{"received":-1}}"#, 400, "out_of_range"),
        ("POST", "/wait", #"{"timeout_ms":60001}"#, 400, "out_of_range"),
        ("POST", "/reset", #"{"devices":true}"#, 400, "unknown_field"),
    ]

    @Test("a mistake has a status and a code", arguments: mistakes)
    func mistakeIsNamed(_ row: (String, String, String, Int, String)) async throws {
        try await withApple { bench in
            let (status, json) = try await ask(bench, row.0, row.1, row.2)
            #expect(status == row.3)
            #expect(json["error"]?["code"] == .string(row.4))
        }
    }

    static let senseless: [(String, String, String, String)] = [
        ("/devices", #"{"token":"zz","bundle_id":"b"}"#, "invalid_value", "token"),
        ("/devices", #"{"token":"abc","bundle_id":"b"}"#, "invalid_value", "token"),
        ("/devices", #"{"token":"","bundle_id":"b"}"#, "invalid_value", "token"),
        ("/devices", #"{"token":"ab","bundle_id":""}"#, "too_short", "bundle_id"),
        ("/devices", #"{"token":"ab","bundle_id":"b","since_ms":5}"#, "invalid_value", "since_ms"),
        ("/devices", #"{"token":"ab","bundle_id":"b","state":"active","since_ms":5}"#, "invalid_value", "since_ms"),
        ("/devices", #"{"token":"ab","bundle_id":"b","state":"expired","since_ms":-5}"#, "out_of_range", "since_ms"),
        ("/faults", #"{"match":{"token":"zz"},"action":{"kind":"hold"}}"#, "invalid_value", "match.token"),
        ("/release", #"{"token":"zz"}"#, "invalid_value", "token"),
        ("/release", #"{"token":"abc"}"#, "invalid_value", "token"),
        (
            "/wait", #"{"at_least":{"received":5},"at_most":{"received":4},"timeout_ms":0}"#, "invalid_value",
            "at_most.received"
        ),
    ]

    @Test("a wish that can never come true is refused with the name of its field", arguments: senseless)
    func senselessIsNamed(_ row: (String, String, String, String)) async throws {
        try await withApple { bench in
            let (status, json) = try await ask(bench, "POST", row.0, row.1)
            #expect(status == 400)
            #expect(json["error"]?["code"] == .string(row.2) && json["error"]?["field"] == .string(row.3), "\(json)")
            #expect(try await ask(bench, "GET", "/faults").json["faults"] == [])
            #expect(try await ask(bench, "GET", "/devices/ab").status == 404)
        }
    }

    static let queries: [(String, String, [(name: String, value: String)], String, String)] =
        ["/seen", "/pushes"].flatMap { path in
            [
                ("GET", path, [("limit", "-1")], "out_of_range", "limit"),
                ("GET", path, [("limit", "0")], "out_of_range", "limit"),
                ("GET", path, [("limit", "10001")], "out_of_range", "limit"),
                ("GET", path, [("limit", "ten")], "wrong_type", "limit"),
                ("GET", path, [("limit", "")], "wrong_type", "limit"),
                ("GET", path, [("after", "-1")], "out_of_range", "after"),
                ("GET", path, [("after", "9223372036854775808")], "wrong_type", "after"),
                ("GET", path, [("limit", "1"), ("limit", "2")], "invalid_value", "limit"),
                ("GET", path, [("limits", "1")], "unknown_field", "limits"),
            ]
        } + [
            ("GET", "/counters", [("after", "1")], "unknown_field", "after"),
            ("GET", "/pushes/summary", [("limit", "1")], "unknown_field", "limit"),
            ("GET", "/faults", [("id", "x")], "unknown_field", "id"),
            ("DELETE", "/faults", [("id", "x")], "unknown_field", "id"),
            ("POST", "/release", [("token", "ab")], "unknown_field", "token"),
            ("POST", "/wait", [("timeout_ms", "1")], "unknown_field", "timeout_ms"),
            ("POST", "/connections/drop", [("connection", "1")], "unknown_field", "connection"),
            ("POST", "/reset", [("devices", "1")], "unknown_field", "devices"),
        ]

    @Test("a query is taken as it stands or refused with the name of its part", arguments: queries)
    func queryIsNamed(_ row: (String, String, [(name: String, value: String)], String, String)) async throws {
        try await withApple { bench in
            await bench.apple.addFault(AppleFault(.hold(accepted: true)))
            let (status, json) = try await ask(bench, row.0, row.1, query: row.2)
            #expect(status == 400)
            #expect(json["error"]?["code"] == .string(row.3) && json["error"]?["field"] == .string(row.4), "\(json)")
            #expect(try await ask(bench, "GET", "/faults").json["faults"]?.array?.count == 1)
        }
    }
}
