import RawSockets
import ReveilleBytes
import ReveilleEmulator
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Faults of emulated push services", .timeLimit(.minutes(5)))
struct PushServiceFaultTests {
    /// A service with one endpoint that takes pushes without VAPID, and a right push to it.
    private func withEndpoint(
        _ body: (PushServiceBench<WebPushProvider>, _ push: [UInt8], _ path: String) async throws -> Void
    ) async throws {
        try await withPushService(PushServiceConfiguration<WebPushProvider>(settings: WebPushSettings())) { bench in
            let made = try await bench.control("POST", "/subscriptions", #"{"id":"s"}"#)
            let path = bench.path(try #require(made["endpoint"]?.string))
            try await body(bench, bench.request("POST", path, pushFields, body: opaqueBody), path)
        }
    }

    @Test("an answer by script has status, words and fields as told, and the push is not taken")
    func answer() async throws {
        try await withEndpoint { bench, _, path in
            let action = #"{"kind":"answer","status":429,"retry_after":7,"fields":{"x-a":"b"},"body":"slow down"}"#
            try await bench.control("POST", "/faults", #"{"id":"f","when":{"first":1},"action":\#(action)}"#)
            let answer = try await bench.send("POST", path, pushFields, body: opaqueBody)
            #expect(answer.status == 429)
            #expect(answer.fields["retry-after"] == "7")
            #expect(answer.fields["x-a"] == "b")
            #expect(answer.body == "slow down")
            #expect(await bench.emulator.counters().accepted == 0)
            #expect(try await bench.send("POST", path, pushFields, body: opaqueBody).status == 201)
            let list = try await bench.control("GET", "/faults")
            #expect(list["faults"]?.array?.first?["struck"] == 1)
            #expect(list["faults"]?.array?.first?["matched"] == 2)
        }
    }

    @Test("a reason of the service is answered in its words, and a scripted success takes the push")
    func reason() async throws {
        try await withEndpoint { bench, _, path in
            try await bench.control("POST", "/faults", #"{"action":{"kind":"answer","reason":"gone_subscription"}}"#)
            #expect(try await bench.send("POST", path, pushFields, body: opaqueBody).json?["errno"] == 106)
            try await bench.control("DELETE", "/faults")
            try await bench.control("POST", "/faults", #"{"action":{"kind":"answer","status":202}}"#)
            #expect(try await bench.send("POST", path, pushFields, body: opaqueBody).status == 202)
            #expect(await bench.emulator.counters().accepted == 1)
        }
    }

    @Test("a held answer comes when it is released", arguments: [true, false])
    func hold(accepted: Bool) async throws {
        try await withEndpoint { bench, push, _ in
            try await bench.control("POST", "/faults", #"{"id":"f","action":{"kind":"hold","accepted":\#(accepted)}}"#)
            let client = try await bench.connect()
            await client.send(push)
            try await bench.emulator.wait { $0.received == 1 }
            #expect(await bench.emulator.counters().accepted == (accepted ? 1 : 0))
            #expect(await bench.emulator.counters().inFlight == 1)
            #expect(try await bench.control("POST", "/release", #"{"target":"other"}"#)["released"] == 0)
            #expect(try await bench.control("POST", "/release", #"{"target":"s"}"#)["released"] == 1)
            #expect(try await client.answers(1).map(\.status) == [201])
            #expect(await bench.emulator.counters().accepted == 1)
        }
    }

    @Test("a dropped push has no answer, and was taken or not as told", arguments: [true, false])
    func drop(accepted: Bool) async throws {
        try await withEndpoint { bench, push, _ in
            for action in [
                #"{"kind":"drop_connection","manner":"close","accepted":\#(accepted)}"#,
                #"{"kind":"drop_connection","accepted":\#(accepted)}"#, #"{"kind":"reset","accepted":\#(accepted)}"#,
            ] {
                try await bench.control("POST", "/reset")
                try await bench.control("POST", "/subscriptions", #"{"id":"s"}"#)
                try await bench.control("POST", "/faults", #"{"action":\#(action)}"#)
                let client = try await bench.connect()
                await client.send(push)
                try await client.heard.wait { $0.isOver }
                #expect(client.heard.value.bytes.isEmpty)
                let counters = await bench.emulator.counters()
                #expect(counters.accepted == (accepted ? 1 : 0))
                #expect(counters.dropped == 1)
                #expect(counters.inFlight == 0)
            }
        }
    }

    @Test("an answer with an end closes the connection in order")
    func goAway() async throws {
        try await withEndpoint { bench, push, _ in
            try await bench.control("POST", "/faults", #"{"action":{"kind":"goaway"}}"#)
            let client = try await bench.connect()
            await client.send(push + push)
            _ = try await client.everything()
            #expect(try await client.answers(1).map(\.status) == [201])
            #expect(await bench.emulator.counters().received == 1)
        }
    }

    @Test("a delayed answer comes, and a stalled one does not")
    func delay() async throws {
        try await withEndpoint { bench, push, path in
            try await bench.control("POST", "/faults", #"{"id":"f","action":{"kind":"delay","milliseconds":1}}"#)
            #expect(try await bench.send("POST", path, pushFields, body: opaqueBody).status == 201)
            try await bench.control("DELETE", "/faults/f")
            try await bench.control("POST", "/faults", #"{"match":{"target_prefix":"s"},"action":{"kind":"stall"}}"#)
            let client = try await bench.connect()
            await client.send(push)
            try await bench.emulator.wait { $0.received == 2 }
            #expect(await bench.emulator.counters().inFlight == 1)
        }
    }

    @Test(
        "a wrong fault is refused and names its member",
        arguments: [
            (#"{"action":{"kind":"half_close"}}"#, "action.kind"), (#"{"action":{"kind":"answer"}}"#, "action.status"),
            (#"{"match":{"token":"x"},"action":{"kind":"stall"}}"#, "match.token"),
            (#"{"action":{"kind":"answer","status":200,"fields":{"A B":"c"}}}"#, "action.fields.A B"),
            (#"{"action":{"kind":"delay","milliseconds":600001}}"#, "action.milliseconds"),
        ])
    func wrong(fault: String, field: String) async throws {
        try await withEndpoint { bench, _, _ in
            let answer = await bench.emulator.control(
                ControlRequest(method: "POST", path: "/faults", body: Array(fault.utf8)))
            #expect(answer.status == 400)
            let body = try JSONReader.parse(answer.body)
            #expect(body["error"]?["field"]?.string == field)
        }
    }

    @Test("faults are written as they were read")
    func roundTrip() throws {
        for text in [
            #"{"id":"a","match":{"operation":"send","target":"t"},"when":{"skip":1},"action":{"kind":"stall","accepted":true}}"#,
            #"{"id":"b","action":{"kind":"hold_answer","status":503,"reason":"X","retry_after":"9","fields":{"a":"b"},"body":"c","delay_milliseconds":5}}"#,
            #"{"id":"c","action":{"kind":"reset","code":"CANCEL","accepted":false}}"#,
        ] {
            let fault = try PushServiceFault(try JSONReader.parse(Array(text.utf8)))
            #expect(String(decoding: JSONValue.object(fault.json).encoded(), as: UTF8.self) == text)
            #expect(try PushServiceFault(.object(fault.json)) == fault)
        }
    }

    @Test("what nobody listens to is refused by the kernel, and then heard again")
    func listening() async throws {
        try await withEndpoint { bench, _, path in
            try await bench.emulator.setListening(false)
            let client = RawClient(on: bench.loop)
            await client.connect(to: bench.address)
            try await client.heard.wait { $0.isOver }
            #expect(!client.heard.value.isOpen)
            try await bench.emulator.setListening(true)
            #expect(try await bench.send("POST", path, pushFields, body: opaqueBody).status == 201)
        }
    }

    @Test("waiting says whether the wish was met")
    func wait() async throws {
        try await withEndpoint { bench, _, _ in
            let late = try await bench.control("POST", "/wait", #"{"at_least":{"accepted":1},"timeout_ms":1}"#)
            #expect(late["met"] == false)
            let met = try await bench.control("POST", "/wait", #"{"at_most":{"accepted":0}}"#)
            #expect(met["met"] == true)
            #expect(met["counters"]?["received"] == 0)
        }
    }
}
