import RawHTTP
import RawSockets
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("The server takes only so many connections")
struct ServerConnectionLimitTests {
    static var limits: HTTPServerLimits {
        var limits = HTTPServerLimits()
        limits.maximumConnections = 2
        limits.maximumRefusals = 1
        return limits
    }

    @Test("one too many is told 503, and more are closed without a word")
    func tooMany() async throws {
        try await withServer(limits: Self.limits) { world in
            let first = try await world.client()
            let second = try await world.client()
            try await world.counts { $0.openConnections == 2 }
            let third = try await world.client()
            let answers = RawAnswer.all(in: try await third.everything())
            #expect(answers.map(\.status) == [503])
            #expect(answers.first?.body == "server_full")
            #expect(answers.first?.closes == true)
            // The refused one is still open on this side, so there is no room for a second refusal.
            let fourth = try await world.client()
            #expect(try await fourth.everything().isEmpty)
            #expect(world.server.counts.refusedConnections == 2)
            for client in [first, second] {
                await client.send(MalformedRequest.bytes(get()))
                #expect(try await client.answers(1).map(\.status) == [200])
            }
            await third.close()
            await first.close()
            try await world.counts { $0.openConnections == 1 }
            let fifth = try await world.client(sending: get())
            #expect(try await fifth.answers(1).map(\.status) == [200])
        }
    }

    @Test("over HTTP/2 it is told GOAWAY, which lets it ask again elsewhere")
    func tooManyHTTP2() async throws {
        var limits = Self.limits
        limits.maximumConnections = 0
        let tls = try SocketTLS(serverALPN: HTTPServer.applicationProtocols)
        try await withServer(limits: limits, tls: tls.server) { world in
            let client = try await world.client(tls: tls.connecting)
            var bytes = try await client.everything()
            let goAway = try #require(RawHTTP2.takeFrames(from: &bytes).last)
            #expect(goAway.kind == .goAway)
            #expect(goAway.payload == RawHTTP2.bytes(0) + RawHTTP2.bytes(0))
        }
    }
}

@Suite("The server drains")
struct ServerDrainTests {
    /// A handler whose `/slow` waits for the gate and tells whether it was cancelled.
    static func slow(_ gate: OneShot<Void>, _ cancelled: Probe<[Bool]> = Probe([])) -> ScriptedHandler {
        ScriptedHandler { request in
            if request.path == "/slow" {
                try? await gate.wait()
                cancelled.append(Task.isCancelled)
            }
            return await ScriptedHandler.echo(request)
        }
    }

    @Test("an idle server drains at once, twice if asked, and listens no more")
    func idle() async throws {
        try await withServer { world in
            let client = try await world.client(sending: get())
            _ = try await client.answers(1)
            #expect(await world.server.drain(within: .seconds(60)))
            #expect(try await client.heard.wait { $0.isOver }.hasEnded)
            #expect(await world.server.drain(within: .seconds(60)))
            let late = try await world.client()
            guard case .connectFailed? = late.heard.value.closeReason else {
                Issue.record("a drained server took a connection")
                return
            }
            await client.close()
            try await world.counts { $0.openConnections == 0 }
        }
    }

    @Test("a request that has begun is answered, and its connection closed")
    func inFlight() async throws {
        let gate = OneShot<Void>()
        try await withServer(handler: Self.slow(gate)) { world in
            let client = try await world.client(sending: get("/slow") + get("/behind"))
            try await world.handler.requests.wait { $0.count == 1 }
            async let drained = world.server.drain(within: .seconds(600))
            try await world.isDraining()
            #expect(!client.heard.value.isOver)
            gate.fulfil(())
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.body) == ["GET /slow "])
            #expect(answers.first?.closes == true)
            #expect(await drained)
        }
    }

    @Test("a request whose body is on its way is answered")
    func halfRead() async throws {
        try await withServer { world in
            let client = try await world.client(
                sending: get("/first") + "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh")
            _ = try await client.answers(1)
            async let drained = world.server.drain(within: .seconds(600))
            try await world.isDraining()
            await client.send([0x69])
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.body) == ["GET /first ", "POST /b hi"])
            #expect(answers.last?.closes == true)
            #expect(await drained)
        }
    }

    @Test("after the limit connections are cut off and handlers cancelled")
    func limit() async throws {
        let clock = ManualClock()
        let gate = OneShot<Void>()
        let cancelled = Probe<[Bool]>([])
        try await withServer(clock: clock, handler: Self.slow(gate, cancelled)) { world in
            let client = try await world.client(sending: get("/slow"))
            try await world.handler.requests.wait { $0.count == 1 }
            async let drained = world.server.drain(within: .seconds(20))
            try await world.isDraining()
            clock.advance(by: .milliseconds(19_999))
            await world.settle()
            #expect(!client.heard.value.isOver)
            #expect(cancelled.value.isEmpty)
            clock.advance(by: .milliseconds(1))
            #expect(await drained == false)
            #expect(try await client.everything().isEmpty)
            #expect(try await cancelled.wait { !$0.isEmpty } == [true])
            await client.close()
            try await world.counts { $0.openConnections == 0 }
        }
    }

    @Test("a handler whose client is gone is waited for")
    func orphan() async throws {
        let gate = OneShot<Void>()
        try await withServer(handler: Self.slow(gate)) { world in
            let client = try await world.client(sending: get("/slow"))
            try await world.handler.requests.wait { $0.count == 1 }
            await client.abort()
            try await world.counts { $0.openConnections == 0 }
            let isDrained = Probe(false)
            async let drained = world.server.drain(within: .seconds(600))
            try await world.isDraining()
            #expect(!isDrained.value)
            gate.fulfil(())
            #expect(await drained)
        }
    }

    @Test("HTTP/2: GOAWAY at once, answers to what has begun, then the end")
    func http2() async throws {
        let gate = OneShot<Void>()
        try await withServer(handler: Self.slow(gate)) { world in
            let client = try await world.client()
            await client.send(
                RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request(path: "/slow")))
            try await world.handler.requests.wait { $0.count == 1 }
            async let drained = world.server.drain(within: .seconds(600))
            let frames = try await client.frames { $0.contains { $0.kind == .goAway } }
            #expect(frames.last { $0.kind == .goAway }?.payload == RawHTTP2.bytes(1) + RawHTTP2.bytes(0))
            // A request that comes after GOAWAY is not served; the client knows that it may repeat it.
            await client.send(RawHTTP2.headers(3, RawHTTP2.request()))
            await world.settle()
            gate.fulfil(())
            var bytes = try await client.everything()
            let statuses = RawHTTP2.takeFrames(from: &bytes).filter { $0.status != nil }
            #expect(statuses.map(\.stream) == [1])
            #expect(await drained)
        }
    }

    @Test("HTTP/2: an idle connection is told GOAWAY and closed")
    func idleHTTP2() async throws {
        try await withServer { world in
            let client = try await world.client()
            await client.send(RawHTTP2.opening)
            _ = try await client.frames { $0.contains { $0.kind == .settings } }
            #expect(await world.server.drain(within: .seconds(600)))
            var bytes = try await client.everything()
            #expect(RawHTTP2.takeFrames(from: &bytes).last?.kind == .goAway)
        }
    }

    @Test("a server that never started drains too")
    func neverStarted() async throws {
        try await withEventLoop { loop in
            let server = HTTPServer(
                configuration: HTTPServerConfiguration(address: .loopback(port: 0)), loops: [loop],
                handler: ScriptedHandler(), errorResponse: { status, _ in HTTPResponse(status: status) },
                log: .silent)
            #expect(await server.drain(within: .seconds(600)))
        }
    }

    @Test("an address in use is an error that names the call")
    func addressInUse() async throws {
        try await withServer { world in
            let second = HTTPServer(
                configuration: HTTPServerConfiguration(address: world.address),
                loops: [world.serverLoop], handler: world.handler,
                errorResponse: { status, _ in HTTPResponse(status: status) }, log: .silent)
            await #expect(throws: SystemError.self) { try await second.start() }
        }
    }
}
