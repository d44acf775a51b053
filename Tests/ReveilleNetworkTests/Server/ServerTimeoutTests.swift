import RawHTTP
import RawSockets
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("The server does not wait for ever")
struct ServerTimeoutTests {
    let clock = ManualClock()

    /// Moves the clock to just before a limit, looks that nothing happened, and moves it over.
    private func pass(_ limit: Duration, _ client: RawClient, _ world: ServerWorld) async {
        clock.advance(by: limit - .milliseconds(1))
        await world.settle()
        #expect(!client.heard.value.isOver)
        clock.advance(by: .milliseconds(1))
    }

    @Test("a connection that says nothing is closed without a word")
    func silent() async throws {
        try await withServer(clock: clock) { world in
            let client = try await world.client()
            try await world.counts { $0.acceptedConnections == 1 }
            await pass(.seconds(10), client, world)
            #expect(try await client.everything().isEmpty)
        }
    }

    @Test(
        "a first header that does not end is answered 408",
        arguments: ["G", "GET / HTTP/1.1\r\nHost: a\r\n", "P", "PRI * HTTP/2.0\r\n", "\r\n"])
    func firstHeader(text: String) async throws {
        try await withServer(clock: clock) { world in
            let client = try await world.client(sending: text)
            try await world.counts { $0.acceptedConnections == 1 }
            await world.settle()
            await pass(.seconds(10), client, world)
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.status) == [408])
            #expect(answers.first?.body == "request_timeout")
            #expect(answers.first?.closes == true)
            #expect(world.server.counts.timedOutRequests == 1)
        }
    }

    @Test("a later header has its own time, which single bytes do not extend")
    func laterHeader() async throws {
        try await withServer(clock: clock) { world in
            let client = try await world.client(sending: get("/1"))
            _ = try await client.answers(1)
            clock.advance(by: .seconds(60))
            await client.send(MalformedRequest.bytes("GET /2"))
            await world.settle()
            for _ in 0..<9 {
                clock.advance(by: .seconds(1))
                await client.send([0x78])
                await world.settle()
                #expect(!client.heard.value.isOver)
            }
            clock.advance(by: .seconds(1))
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.status) == [200, 408])
        }
    }

    @Test(
        "a body that does not end is answered 408",
        arguments: ["Content-Length: 5\r\n\r\nhell", "Transfer-Encoding: chunked\r\n\r\n5\r\nhell"])
    func body(text: String) async throws {
        try await withServer(clock: clock) { world in
            let client = try await world.client(sending: "POST / HTTP/1.1\r\nHost: a\r\n" + text)
            try await world.counts { $0.acceptedConnections == 1 }
            await world.settle()
            await pass(.seconds(30), client, world)
            #expect(RawAnswer.all(in: try await client.everything()).map(\.status) == [408])
            #expect(world.handler.requests.value.isEmpty)
        }
    }

    @Test("an idle connection is closed without a word, and each answer begins the time anew")
    func idle() async throws {
        try await withServer(clock: clock) { world in
            let client = try await world.client(sending: get("/1"))
            _ = try await client.answers(1)
            clock.advance(by: .seconds(74))
            await client.send(MalformedRequest.bytes(get("/2")))
            _ = try await client.answers(2)
            await world.settle()
            await pass(.seconds(75), client, world)
            #expect(RawAnswer.all(in: try await client.everything()).map(\.status) == [200, 200])
            #expect(world.server.counts.timedOutRequests == 0)
        }
    }

    @Test("a handler may take as long as it needs")
    func slowHandler() async throws {
        let gate = OneShot<Void>()
        let handler = ScriptedHandler { request in
            try? await gate.wait()
            return await ScriptedHandler.echo(request)
        }
        try await withServer(clock: clock, handler: handler) { world in
            let client = try await world.client(sending: get("/slow"))
            try await handler.requests.wait { $0.count == 1 }
            clock.advance(by: .seconds(3600))
            await world.settle()
            gate.fulfil(())
            #expect(try await client.answers(1).map(\.status) == [200])
        }
    }

    @Test("a client that reads nothing is cut off; one that reads a little is not")
    func unreadAnswer() async throws {
        let size = 30_000_000
        let handler = ScriptedHandler { _ in
            HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 0x78, count: size)))
        }
        try await withServer(clock: clock, handler: handler) { world in
            let client = try await world.client()
            await client.pauseReading()
            await client.send(MalformedRequest.bytes(get()))
            try await handler.requests.wait { $0.count == 1 }
            await world.settle()
            clock.advance(by: .seconds(29))
            // The client reads, and so the server can send.
            await client.resumeReading(upTo: 4_000_000)
            try await client.heard.wait { $0.count >= 4_000_000 }
            await world.settle()
            clock.advance(by: .seconds(1))
            await world.settle()
            #expect(world.server.counts.abusiveConnections == 0)
            #expect(world.server.counts.openConnections == 1)
            // The kernel's buffers may take some more by themselves, but not without end.
            while world.server.counts.abusiveConnections == 0 {
                clock.advance(by: .seconds(30))
                await world.settle()
            }
            try await world.counts { $0.openConnections == 0 }
            #expect(client.heard.value.count < size)
        }
    }

    @Test("a client that never finishes its TLS handshake is closed")
    func handshake() async throws {
        let tls = try SocketTLS()
        try await withServer(tls: tls.server, clock: clock) { world in
            let client = try await world.client()
            try await world.counts { $0.acceptedConnections == 1 }
            await pass(.seconds(10), client, world)
            #expect(try await client.everything().isEmpty)
        }
    }

    @Test("HTTP/2: a client that asks nothing is told GOAWAY", arguments: [false, true])
    func idleHTTP2(hasAsked: Bool) async throws {
        try await withServer(clock: clock) { world in
            let client = try await world.client()
            await client.send(RawHTTP2.opening)
            if hasAsked {
                await client.send(RawHTTP2.headers(1, RawHTTP2.request()))
                #expect(try await client.statuses(1) == [1: 200])
            } else {
                _ = try await client.frames { $0.contains { $0.kind == .settings } }
            }
            await world.settle()
            // A ping does not count as a question.
            clock.advance(by: .seconds(5))
            await client.send(RawHTTP2.ping().bytes)
            await world.settle()
            await pass(.seconds(hasAsked ? 70 : 5), client, world)
            var bytes = try await client.everything()
            let goAway = RawHTTP2.takeFrames(from: &bytes).last { $0.kind == .goAway }
            #expect(goAway?.errorCode == 0)
        }
    }

    @Test("HTTP/2: a body that does not end is answered 408 on its stream")
    func bodyHTTP2() async throws {
        try await withServer(clock: clock) { world in
            let client = try await world.client()
            await client.send(
                RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false))
            _ = try await client.frames { $0.contains { $0.kind == .settings } }
            await world.settle()
            await pass(.seconds(30), client, world)
            #expect(try await client.statuses(1) == [1: 408])
            #expect(world.server.counts.timedOutRequests == 1)
            await client.send(RawHTTP2.headers(3, RawHTTP2.request()))
            let frames = try await client.frames { $0.contains { $0.stream == 3 && $0.status != nil } }
            #expect(frames.contains { $0.stream == 3 && $0.status == 200 })
        }
    }

    @Test("HTTP/2: an answer whose window stays shut is given up")
    func windowHTTP2() async throws {
        try await withServer(clock: clock) { world in
            let client = try await world.client()
            await client.send(
                RawHTTP2.magic + RawHTTP2.settings([(1, 0), (4, 0)]).bytes
                    + RawHTTP2.headers(1, RawHTTP2.request()))
            _ = try await client.frames { $0.contains { $0.status == 200 } }
            await world.settle()
            await pass(.seconds(30), client, world)
            let frames = try await client.frames { $0.contains { $0.kind == .resetStream } }
            #expect(frames.last { $0.kind == .resetStream }?.errorCode == 8)
        }
    }
}
