import RawHTTP
import RawSockets
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("The server speaks HTTP/2")
struct HTTP2ServerTests {
    private func client(
        _ world: ServerWorld, _ bytes: [UInt8] = []
    ) async throws -> RawClient {
        let client = try await world.client()
        await client.send(RawHTTP2.opening + bytes)
        return client
    }

    @Test("by prior knowledge, however the preface is split", arguments: [false, true])
    func priorKnowledge(byteByByte: Bool) async throws {
        try await withServer { world in
            let client = try await world.client()
            let bytes =
                RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request("POST", path: "/a?b"), endsStream: false)
                + RawHTTP2.data(1, [0x68, 0x69], endsStream: true).bytes
            if byteByByte { await client.sendByteByByte(bytes) } else { await client.send(bytes) }
            #expect(try await client.statuses(1) == [1: 200])
            let frames = try await client.frames { _ in true }
            let body = frames.filter { $0.kind == .data }.flatMap(\.payload)
            #expect(String(decoding: body, as: UTF8.self) == "POST /a?b hi")
            let request = try #require(world.handler.requests.value.first)
            #expect(request.version == .http2)
            #expect(request.fields["host"] == "example.org")
            #expect(request.path == "/a")
        }
    }

    @Test("a hundred requests are served side by side, and answered as they are ready")
    func concurrency() async throws {
        let gates = (0..<100).map { _ in OneShot<Void>() }
        let handler = ScriptedHandler { request in
            try? await gates[Int(request.path.dropFirst()) ?? 0].wait()
            return await ScriptedHandler.echo(request)
        }
        try await withServer(handler: handler) { world in
            let client = try await client(
                world,
                (0..<100).flatMap {
                    RawHTTP2.headers(UInt32(2 * $0 + 1), RawHTTP2.request(path: "/\($0)"))
                })
            try await handler.requests.wait { $0.count == 100 }
            gates[99].fulfil(())
            #expect(try await client.statuses(1) == [199: 200])
            for gate in gates { gate.fulfil(()) }
            #expect(try await client.statuses(100).values.allSatisfy { $0 == 200 })
        }
    }

    @Test("an answer has date and length, and no field of HTTP/1.1")
    func answerFields() async throws {
        let handler = ScriptedHandler { request in
            HTTPResponse(
                status: request.method == "DELETE" ? 204 : 200,
                fields: ["connection": "close", "content-length": "99", "date": "x", "x-a": "b"],
                body: .bytes([0x68, 0x69]))
        }
        let wallClock = ManualClock(wall: WallInstant(milliseconds: 784_111_777_000))
        try await withServer(wallClock: wallClock, handler: handler) { world in
            let client = try await client(
                world,
                RawHTTP2.headers(1, RawHTTP2.request()) + RawHTTP2.headers(3, RawHTTP2.request("HEAD"))
                    + RawHTTP2.headers(5, RawHTTP2.request("DELETE")))
            #expect(try await client.statuses(3) == [1: 200, 3: 200, 5: 204])
            let frames = try await client.frames { _ in true }
            let headers = frames.filter { $0.kind == .headers }
            // Without a table each header block stands for itself: GET's and HEAD's say the same.
            let plain = try #require(headers.first { $0.stream == 1 }).payload.drop { $0 & 0xE0 == 0x20 }
            let head = try #require(headers.first { $0.stream == 3 }).payload.drop { $0 & 0xE0 == 0x20 }
            #expect(plain == head)
            #expect(frames.filter { $0.kind == .data }.map(\.stream) == [1])
            #expect(headers.first { $0.stream == 3 }?.endsStream == true)
            #expect(headers.first { $0.stream == 5 }?.endsStream == true)
        }
    }

    @Test(
        "a request that no handler should see is answered by the server",
        arguments: [
            (RawHTTP2.request("BREW"), 501), (RawHTTP2.request("TRACE"), 501),
            ([(":method", "CONNECT"), (":authority", "a:1")], 501),
            (RawHTTP2.request(path: "/<x>"), 400), (RawHTTP2.request(path: "/%zz"), 400),
            (RawHTTP2.request(path: "/a#b"), 400), (RawHTTP2.request(path: "/\u{E9}"), 400),
            (RawHTTP2.request(authority: "u@a"), 400), (RawHTTP2.request(authority: "a:99999"), 400),
            (RawHTTP2.request() + [("expect", "200-ok")], 417),
            (RawHTTP2.request() + [("x", String(repeating: "y", count: 17_000))], 431),
            (RawHTTP2.request() + (0..<65).map { ("x\($0)", "y") }, 431),
            (RawHTTP2.request("POST") + [("content-length", "65537")], 413),
        ] as [([(String, String)], Int)])
    func refused(fields: [(String, String)], status: Int) async throws {
        try await withServer { world in
            let client = try await client(
                world, RawHTTP2.headers(1, fields, endsStream: status != 413))
            #expect(try await client.statuses(1) == [1: status])
            #expect(world.handler.requests.value.isEmpty)
            await client.send(RawHTTP2.headers(3, RawHTTP2.request()))
            _ = try await client.frames { $0.contains { $0.stream == 3 && $0.status == 200 } }
            #expect(world.handler.requests.value.count == 1)
        }
    }

    @Test("a body beyond the limit is answered 413 while it arrives")
    func bodyTooLarge() async throws {
        try await withServer { world in
            let client = try await client(
                world,
                RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false)
                    + (0..<5).flatMap { _ in
                        RawHTTP2.data(1, [UInt8](repeating: 0, count: 16_000)).bytes
                    })
            let frames = try await client.frames { $0.contains { $0.kind == .resetStream } }
            #expect(frames.compactMap(\.status) == [413])
            #expect(frames.last { $0.kind == .resetStream }?.errorCode == 0)
        }
    }

    @Test("bodies that are not complete are bounded together")
    func bufferedBodies() async throws {
        var limits = HTTPServerLimits()
        limits.maximumBufferedBytes = 100_000
        try await withServer(limits: limits) { world in
            let pieces: [[UInt8]] = (0..<4).map { number in
                let stream = UInt32(2 * number + 1)
                return RawHTTP2.headers(stream, RawHTTP2.request("POST"), endsStream: false)
                    + (0..<2).flatMap { _ in
                        RawHTTP2.data(stream, [UInt8](repeating: 0, count: 15_000)).bytes
                    }
            }
            let client = try await client(world, pieces.flatMap { $0 })
            let frames = try await client.frames { $0.contains { $0.kind == .resetStream } }
            #expect(frames.filter { $0.kind == .resetStream }.map(\.stream) == [7])
            #expect(frames.last { $0.kind == .resetStream }?.errorCode == 11)
            // Room that is given back can be used again.
            await client.send(
                [1, 3, 5].flatMap { RawHTTP2.data($0, [], endsStream: true).bytes }
                    + RawHTTP2.headers(9, RawHTTP2.request("POST"), endsStream: false)
                    + (0..<4).flatMap { _ in
                        RawHTTP2.data(9, [UInt8](repeating: 0, count: 16_000)).bytes
                    } + RawHTTP2.data(9, [], endsStream: true).bytes)
            _ = try await client.frames { $0.contains { $0.stream == 9 && $0.status == 200 } }
            #expect(world.handler.requests.value.last?.body.count == 64_000)
        }
    }

    @Test("handlers of streams that were reset count towards the limit")
    func resetHandlers() async throws {
        var limits = HTTPServerLimits()
        limits.maximumStreams = 4
        let gate = OneShot<Void>()
        let handler = ScriptedHandler { request in
            try? await gate.wait()
            return HTTPResponse(status: 204)
        }
        try await withServer(limits: limits, handler: handler) { world in
            let client = try await client(world)
            for number: UInt32 in 0..<4 {
                await client.send(RawHTTP2.headers(2 * number + 1, RawHTTP2.request()))
                try await handler.requests.wait { $0.count == number + 1 }
                await client.send(RawHTTP2.reset(2 * number + 1).bytes)
                await world.settle()
            }
            await client.send(RawHTTP2.headers(9, RawHTTP2.request()))
            let frames = try await client.frames { $0.contains { $0.stream == 9 } }
            #expect(frames.last { $0.kind == .resetStream }?.stream == 9)
            #expect(frames.last { $0.kind == .resetStream }?.errorCode == 7)
            gate.fulfil(())
            await world.settle()
            await client.send(RawHTTP2.headers(11, RawHTTP2.request()))
            let last = try await client.frames { $0.contains { $0.stream == 11 } }
            #expect(last.contains { $0.stream == 11 && $0.status == 204 })
            #expect(handler.requests.value.count == 5)
        }
    }

    @Test("a flood of resets ends the connection, and costs no handler its time")
    func rapidReset() async throws {
        try await withServer { world in
            let client = try await client(world)
            let flood: [UInt8] = (0..<400).flatMap { (number: Int) -> [UInt8] in
                let stream = UInt32(2 * number + 1)
                return RawHTTP2.headers(stream, RawHTTP2.request()) + RawHTTP2.reset(stream).bytes
            }
            await client.send(flood)
            var bytes = try await client.everything()
            let goAway = RawHTTP2.takeFrames(from: &bytes).last { $0.kind == .goAway }
            #expect(goAway?.errorCode == 11)
            #expect(world.server.counts.abusiveConnections == 1)
            #expect(world.handler.requests.value.count < 250)
        }
    }

    @Test("a connection that breaks the protocol is told why and closed")
    func brokenProtocol() async throws {
        try await withServer { world in
            let client = try await client(world, RawHTTP2.data(1, [1]).bytes)
            var bytes = try await client.everything()
            #expect(RawHTTP2.takeFrames(from: &bytes).last { $0.kind == .goAway }?.errorCode == 1)
        }
    }

    @Test("a large answer waits for the client's windows")
    func largeAnswer() async throws {
        let size = 3_000_000
        let handler = ScriptedHandler { _ in
            HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 0x78, count: size)))
        }
        try await withServer(handler: handler) { world in
            let client = try await client(world, RawHTTP2.headers(1, RawHTTP2.request()))
            try await client.heard.wait { $0.count > 65_535 }
            await world.settle()
            #expect(client.heard.value.count < 70_000)
            await client.send(
                RawHTTP2.windowUpdate(0, UInt32(size)).bytes + RawHTTP2.windowUpdate(1, UInt32(size)).bytes)
            let heard = try await client.heard.wait { $0.count > size || $0.isOver }
            var bytes = heard.bytes
            #expect(
                RawHTTP2.takeFrames(from: &bytes).filter { $0.kind == .data }
                    .reduce(0) { $0 + $1.payload.count } == size)
        }
    }

    @Test("answers that a client lets lie are not added to without end")
    func unreadAnswers() async throws {
        let handler = ScriptedHandler { _ in
            HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 0x78, count: 300_000)))
        }
        try await withServer(handler: handler) { world in
            let client = try await world.client()
            let requests = (0..<8).flatMap { RawHTTP2.headers(UInt32(2 * $0 + 1), RawHTTP2.request()) }
            await client.send(RawHTTP2.magic + RawHTTP2.settings([(4, 0)]).bytes + requests)
            // Four bodies are more than a mebibyte.
            let frames = try await client.frames { $0.count { $0.kind == .resetStream } == 4 }
            #expect(frames.filter { $0.kind == .resetStream }.map(\.errorCode) == [7, 7, 7, 7])
            #expect(frames.count { $0.status == 200 } == 4)
            await client.send(RawHTTP2.reset(1).bytes + RawHTTP2.headers(17, RawHTTP2.request()))
            _ = try await client.frames { $0.contains { $0.stream == 17 && $0.status == 200 } }
        }
    }

    @Test("a client that ends its direction gets its answers and GOAWAY")
    func halfClose() async throws {
        let gate = OneShot<Void>()
        let handler = ScriptedHandler { request in
            try? await gate.wait()
            return HTTPResponse(status: 204)
        }
        try await withServer(handler: handler) { world in
            let client = try await client(world, RawHTTP2.headers(1, RawHTTP2.request()))
            try await handler.requests.wait { $0.count == 1 }
            await client.finishWriting()
            await world.settle()
            gate.fulfil(())
            var bytes = try await client.everything()
            let frames = RawHTTP2.takeFrames(from: &bytes)
            #expect(frames.compactMap(\.status) == [204])
            #expect(frames.contains { $0.kind == .goAway })
        }
    }

    @Test("answers from other threads in one turn are written together")
    func batching() async throws {
        let gate = OneShot<Void>()
        let handler = ScriptedHandler { request in
            try? await gate.wait()
            return HTTPResponse(status: 204)
        }
        try await withServer(handler: handler) { world in
            let client = try await client(
                world, (0..<50).flatMap { RawHTTP2.headers(UInt32(2 * $0 + 1), RawHTTP2.request()) })
            try await handler.requests.wait { $0.count == 50 }
            gate.fulfil(())
            #expect(try await client.statuses(50).count == 50)
        }
    }
}

@Suite("The server speaks TLS")
struct TLSServerTests {
    private func withTLSServer(
        clientALPN: [String], _ body: (ServerWorld, RawClient) async throws -> Void
    ) async throws {
        let tls = try SocketTLS(
            clientALPN: clientALPN, serverALPN: HTTPServer.applicationProtocols)
        try await withServer(tls: tls.server) { world in
            let client = try await world.client(tls: tls.connecting)
            try await body(world, client)
        }
    }

    @Test("HTTP/2 where both sides have it")
    func http2() async throws {
        try await withTLSServer(clientALPN: ["http/1.1", "h2"]) { world, client in
            #expect(await client.negotiatedProtocol == "h2")
            await client.send(RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request()))
            let statuses = try await client.statuses(1)
            #expect(statuses == [1: 200])
            #expect(world.handler.requests.value.first?.isSecure == true)
        }
    }

    @Test("HTTP/1.1 where the client has only that")
    func http1() async throws {
        try await withTLSServer(clientALPN: ["http/1.1"]) { world, client in
            await client.send(MalformedRequest.bytes(get("/1") + get("/2", "Connection: close\r\n")))
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.body) == ["GET /1 ", "GET /2 "])
            #expect(world.handler.requests.value.first?.isSecure == true)
        }
    }

    @Test("HTTP/2's preface without ALPN's leave is refused")
    func prefaceWithoutALPN() async throws {
        try await withTLSServer(clientALPN: ["http/1.1"]) { _, client in
            await client.send(RawHTTP2.opening)
            let bytes = try await client.everything()
            #expect(RawAnswer.all(in: bytes).map(\.status) == [505])
        }
    }

    @Test("bytes that are no preface end an HTTP/2 connection")
    func noPreface() async throws {
        try await withTLSServer(clientALPN: ["h2"]) { world, client in
            await client.send(MalformedRequest.bytes(get()))
            _ = try await client.everything()
            #expect(world.handler.requests.value.isEmpty)
        }
    }

    @Test("plain HTTP to a TLS port is not served")
    func plainToTLS() async throws {
        let tls = try SocketTLS(serverALPN: HTTPServer.applicationProtocols)
        try await withServer(tls: tls.server) { world in
            let client = try await world.client(sending: get())
            _ = try await client.everything()
            #expect(world.handler.requests.value.isEmpty)
            let next = try await world.client(tls: tls.connecting)
            await next.send(RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request()))
            #expect(try await next.statuses(1) == [1: 200])
        }
    }
}
