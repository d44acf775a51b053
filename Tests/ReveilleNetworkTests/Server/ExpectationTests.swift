import RawHTTP
import RawSockets
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("A client that waits for 100 Continue", .timeLimit(.minutes(5)))
struct ExpectationTests {
    private static let head =
        "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    private static let headers = RawHTTP2.headers(
        1, RawHTTP2.request("POST") + [("expect", "100-continue")], endsStream: false)

    /// Refuses every head, and every complete request with another status.
    private static func refusing() -> ScriptedHandler {
        ScriptedHandler(
            { _ in HTTPResponse(status: 204) }, head: { _ in HTTPResponse(status: 401, body: .bytes([0x6E, 0x6F])) })
    }

    /// Takes every head when the gate opens.
    private static func waiting(for gate: OneShot<Void>, asked: Probe<Int>) -> ScriptedHandler {
        ScriptedHandler(head: { _ in
            asked.update { $0 += 1 }
            try? await gate.wait()
            return nil
        })
    }

    @Test("is told to go on before its body")
    func continues() async throws {
        try await withServer { world in
            let client = try await world.client(sending: Self.head)
            #expect(try await client.answers(1).map(\.status) == [100])
            #expect(world.handler.requests.value.isEmpty)
            await client.send([0x68, 0x69])
            let answers = try await client.answers(2)
            #expect(answers.map(\.status) == [100, 200])
            #expect(answers.last?.body == "POST /a hi")
        }
    }

    @Test("and sends its body with the head all the same is not told")
    func continuesWithoutNeed() async throws {
        try await withServer(handler: Self.refusing()) { world in
            let client = try await world.client(sending: Self.head + "hi" + get())
            #expect(try await client.answers(2).map(\.status) == [204, 204])
        }
    }

    @Test("is refused without being told to go on, and its connection closes: what comes next could be the body")
    func refused() async throws {
        try await withServer(handler: Self.refusing()) { world in
            let client = try await world.client(sending: Self.head)
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.status) == [401])
            #expect(answers.first?.body == "no")
            #expect(answers.first?.closes == true)
            #expect(world.handler.requests.value.isEmpty)
            #expect(world.server.counts.requests == 1)
        }
    }

    @Test("keeps its time for the body however long the decision took, and one that does not wait is served")
    func slowDecision() async throws {
        let gate = OneShot<Void>()
        let asked = Probe(0)
        let clock = ManualClock()
        try await withServer(clock: clock, handler: Self.waiting(for: gate, asked: asked)) { world in
            let client = try await world.client(sending: Self.head)
            try await asked.wait { $0 == 1 }
            clock.advance(by: .seconds(60))
            await client.send([0x68, 0x69])
            await world.settle()
            #expect(client.heard.value.count == 0)
            gate.fulfil(())
            #expect(try await client.answers(1).map(\.body) == ["POST /a hi"])
        }
    }

    @Test("may go away while the decision is made")
    func gone() async throws {
        let gate = OneShot<Void>()
        let asked = Probe(0)
        try await withServer(handler: Self.waiting(for: gate, asked: asked)) { world in
            let client = try await world.client(sending: Self.head)
            try await asked.wait { $0 == 1 }
            await client.abort()
            await world.settle()
            gate.fulfil(())
            await world.settle()
            #expect(try await world.client(sending: get()).answers(1).map(\.status) == [200])
            #expect(world.handler.requests.value.count == 1)
        }
    }

    @Test("over HTTP/2 is told to go on")
    func continuesOverHTTP2() async throws {
        try await withServer { world in
            let client = try await Self.http2(world)
            _ = try await client.frames { $0.contains { $0.status == 100 } }
            await client.send(RawHTTP2.data(1, [0x78], endsStream: true).bytes)
            #expect(try await client.statuses(1) == [1: 200])
        }
    }

    @Test("over HTTP/2 is refused without being told to go on, and the connection stays")
    func refusedOverHTTP2() async throws {
        try await withServer(handler: Self.refusing()) { world in
            let client = try await Self.http2(world)
            let frames = try await client.frames { $0.contains { $0.stream == 1 && $0.endsStream } }
            #expect(frames.compactMap(\.status) == [401])
            await client.send(RawHTTP2.headers(3, RawHTTP2.request()))
            let all = try await client.frames { $0.contains { $0.stream == 3 && $0.endsStream } }
            #expect(all.first { $0.stream == 3 }?.status == 204)
            #expect(world.handler.requests.value.count == 1)
        }
    }

    @Test("over HTTP/2 may send its body before the decision, and is served once")
    func slowDecisionOverHTTP2() async throws {
        let gate = OneShot<Void>()
        let asked = Probe(0)
        try await withServer(handler: Self.waiting(for: gate, asked: asked)) { world in
            let client = try await Self.http2(world)
            try await asked.wait { $0 == 1 }
            await client.send(RawHTTP2.data(1, [0x78], endsStream: true).bytes)
            #expect(try await client.statuses(1) == [1: 200])
            gate.fulfil(())
            await client.send(RawHTTP2.headers(3, RawHTTP2.request()))
            #expect(try await client.statuses(2) == [1: 200, 3: 200])
            #expect(world.handler.requests.value.count == 2)
        }
    }

    private static func http2(_ world: ServerWorld) async throws -> RawClient {
        let client = try await world.client()
        await client.send(RawHTTP2.opening + headers)
        return client
    }
}
