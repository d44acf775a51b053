import RawHTTP
import RawSockets
import ReveilleBytes
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("The server speaks HTTP/1.1")
struct HTTP1ServerTests {
    @Test("requests on one connection are answered one after another")
    func keepAlive() async throws {
        try await withServer { world in
            let client = try await world.client()
            for number in 1...5 {
                await client.send(MalformedRequest.bytes(post("/\(number)", "body \(number)")))
                let answers = try await client.answers(number)
                #expect(answers.count == number)
                #expect(answers.last?.body == "POST /\(number) body \(number)")
            }
            #expect(world.server.counts.acceptedConnections == 1)
            #expect(world.server.counts.requests == 5)
        }
    }

    @Test("an answer has Date, one length, and the handler's fields")
    func answerFields() async throws {
        let clock = ManualClock(wall: WallInstant(milliseconds: 784_111_777_999))
        try await withServer(wallClock: clock) { world in
            let client = try await world.client(sending: get("/x"))
            let answer = try #require(try await client.answers(1).first)
            #expect(answer.fields["date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
            #expect(answer.fields["content-length"] == "7")
            #expect(answer.fields["content-type"] == "text/plain")
            #expect(answer.fields["connection"] == nil)
            clock.jumpWall(by: .seconds(1))
            await client.send(MalformedRequest.bytes(get("/x")))
            #expect(
                try await client.answers(2).last?.fields["date"] == "Sun, 06 Nov 1994 08:49:38 GMT")
        }
    }

    @Test("a request is given as it came")
    func requestDetails() async throws {
        try await withServer { world in
            let client = try await world.client(sending: post("/a?b=c%20d", "x", "X-A: 1\r\nx-a: 2\r\n"))
            _ = try await client.answers(1)
            let request = try #require(world.handler.requests.value.first)
            #expect(request.path == "/a")
            #expect(request.query.first?.value == "c d")
            #expect(request.fields.values("X-A") == ["1", "2"])
            #expect(request.peer.host == "127.0.0.1")
            #expect(!request.isSecure)
            #expect(request.version == .http11)
        }
    }

    @Test("pipelined requests are answered in order, even when the first takes longest")
    func pipelining() async throws {
        let gate = OneShot<Void>()
        let handler = ScriptedHandler { request in
            if request.path == "/0" { try? await gate.wait() }
            return await ScriptedHandler.echo(request)
        }
        try await withServer(handler: handler) { world in
            let text = (0..<100).map { post("/\($0)", "\($0)") }.joined()
            let client = try await world.client(sending: text)
            try await handler.requests.wait { $0.count == 1 }
            await world.serverLoop.settle()
            #expect(handler.requests.value.count == 1)
            gate.fulfil(())
            let answers = try await client.answers(100)
            #expect(answers.map(\.body) == (0..<100).map { "POST /\($0) \($0)" })
        }
    }

    @Test("what is read ahead of a slow request is bounded")
    func readAhead() async throws {
        let gate = OneShot<Void>()
        let handler = ScriptedHandler { request in
            if request.path == "/first" { try? await gate.wait() }
            return HTTPResponse(status: 204)
        }
        try await withServer(handler: handler) { world in
            let client = try await world.client(sending: get("/first"))
            try await handler.requests.wait { $0.count == 1 }
            // Far more than the kernel's buffers of both sides hold.
            let body = String(repeating: "x", count: 60_000)
            let count = 300
            await client.send(MalformedRequest.bytes(String(repeating: post("/", body), count: count)))
            for _ in 0..<200 {
                await world.clientLoop.settle()
                await world.serverLoop.settle()
            }
            #expect(await client.pendingOutputBytes > 1_000_000)
            gate.fulfil(())
            #expect(try await client.answers(count + 1).count == count + 1)
        }
    }

    @Test("a client that does not read is not served without end")
    func unreadAnswers() async throws {
        var limits = HTTPServerLimits()
        limits.maximumPendingOutputBytes = 100_000
        let handler = ScriptedHandler { _ in
            HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 0x78, count: 60_000)))
        }
        try await withServer(limits: limits, handler: handler) { world in
            let client = try await world.client()
            await client.pauseReading()
            let count = 400
            await client.send(MalformedRequest.bytes(String(repeating: get(), count: count)))
            for _ in 0..<200 {
                await world.clientLoop.settle()
                await world.serverLoop.settle()
            }
            #expect(handler.requests.value.count < count)
            await client.resumeReading()
            // Parsed once, when everything is there.
            let heard = try await client.heard.wait { $0.count >= count * 60_000 || $0.isOver }
            #expect(handler.requests.value.count == count)
            #expect(heard.bytes.count >= count * 60_000)
        }
    }

    @Test("many pipelined requests let other connections have their turn")
    func fairness() async throws {
        var limits = HTTPServerLimits()
        limits.maximumPipelined = 4
        try await withServer(limits: limits) { world in
            let busy = try await world.client()
            let other = try await world.client()
            await busy.send(MalformedRequest.bytes(String(repeating: get("/busy"), count: 500)))
            await other.send(MalformedRequest.bytes(get("/other")))
            #expect(try await other.answers(1).first?.body == "GET /other ")
            #expect(try await busy.answers(500).count == 500)
        }
    }

    @Test("a chunked body is put together", arguments: [false, true])
    func chunked(slowly: Bool) async throws {
        try await withServer { world in
            let client = try await world.client()
            let bytes = MalformedRequest.bytes(
                "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\nX-Trailer: 1\r\n\r\n" + get("/next"))
            if slowly { await client.sendByteByByte(bytes) } else { await client.send(bytes) }
            #expect(
                try await client.answers(2).map(\.body) == ["POST /c hello, world", "GET /next "])
            #expect(world.handler.requests.value.first?.fields["x-trailer"] == nil)
        }
    }

    @Test("HEAD is answered as GET without the body, and the connection stays")
    func head() async throws {
        try await withServer { world in
            let client = try await world.client(
                sending: get("/a").replacing("GET", with: "HEAD") + get("/b"))
            let answers = try await client.answers(2, heads: [0])
            #expect(answers.map(\.body) == ["", "GET /b "])
            #expect(answers.first?.fields["content-length"] == "8")
        }
    }

    @Test("a refused HEAD has no body either")
    func refusedHead() async throws {
        try await withServer { world in
            let client = try await world.client(sending: "HEAD / HTTP/1.1\r\n\r\n")
            let text = String(decoding: try await client.everything(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(text.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("OPTIONS for the whole server reaches the handler")
    func options() async throws {
        try await withServer { world in
            let client = try await world.client(sending: "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.answers(1).first?.body == "OPTIONS * ")
        }
    }

    @Test("an absolute target is given as its path")
    func absoluteTarget() async throws {
        try await withServer { world in
            let client = try await world.client(sending: get("http://a/x?y"))
            #expect(try await client.answers(1).first?.body == "GET /x?y ")
        }
    }

    @Test("an offer of h2c is not taken up")
    func upgrade() async throws {
        try await withServer { world in
            let client = try await world.client(
                sending: get("/", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n")
            )
            #expect(try await client.answers(1).map(\.status) == [200])
        }
    }

    @Test(
        "the connection is closed when either side says so",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: TE, close\r\n\r\n", true),
            ("GET / HTTP/1.0\r\n\r\n", true),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
            ("GET /close HTTP/1.1\r\nHost: a\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", false),
        ])
    func persistence(text: String, closes: Bool) async throws {
        let handler = ScriptedHandler { request in
            HTTPResponse(
                status: 200, fields: request.path == "/close" ? ["connection": "close"] : [:],
                body: .bytes([0x78]))
        }
        try await withServer(handler: handler) { world in
            let client = try await world.client(sending: text)
            let answer = try #require(try await client.answers(1).first)
            #expect(answer.closes == closes)
            if closes {
                #expect(try await client.heard.wait { $0.isOver }.hasEnded)
            } else {
                await client.send(MalformedRequest.bytes(get()))
                #expect(try await client.answers(2).count == 2)
                if text.contains("1.0") { #expect(answer.fields["connection"] == "keep-alive") }
            }
        }
    }

    @Test("requests behind one that closes are not served")
    func nothingAfterClose() async throws {
        try await withServer { world in
            let client = try await world.client(
                sending: get("/", "Connection: close\r\n") + get("/never"))
            #expect(RawAnswer.all(in: try await client.everything()).count == 1)
            #expect(world.handler.requests.value.count == 1)
        }
    }

    @Test("a client that ends its direction still gets its answers")
    func halfClose() async throws {
        let gate = OneShot<Void>()
        let handler = ScriptedHandler { request in
            try? await gate.wait()
            return await ScriptedHandler.echo(request)
        }
        try await withServer(handler: handler) { world in
            let client = try await world.client(sending: get("/a") + get("/b"))
            await client.finishWriting()
            try await handler.requests.wait { $0.count == 1 }
            gate.fulfil(())
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.body) == ["GET /a ", "GET /b "])
        }
    }

    @Test(
        "a client that ends inside a request is told so, and one that said nothing gets nothing",
        arguments: [
            "", "GET", "P", "PRI * HTTP/2", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n",
        ])
    func truncated(text: String) async throws {
        try await withServer { world in
            let client = try await world.client(sending: text)
            await client.finishWriting()
            let answers = RawAnswer.all(in: try await client.everything())
            #expect(answers.map(\.status) == (text.isEmpty ? [] : [400]))
            #expect(answers.allSatisfy { $0.body == "message_truncated" && $0.closes })
            #expect(world.handler.requests.value.isEmpty)
            try await world.counts { $0.openConnections == 0 }
        }
    }

    @Test("a handler's text cannot split an answer")
    func splitting() async throws {
        let handler = ScriptedHandler { request in
            HTTPResponse(
                status: 200, fields: ["x-echo": request.query.first?.value ?? "", "content-length": "99"])
        }
        try await withServer(handler: handler) { world in
            let client = try await world.client(
                sending: get("/?a=b%0D%0ASet-Cookie:%20c%0D%0A%0D%0AHTTP/1.1%20200%20OK"))
            let answer = try #require(try await client.answers(1).first)
            #expect(answer.fields["set-cookie"] == nil)
            #expect(answer.fields["x-echo"] == "b  Set-Cookie: c    HTTP/1.1 200 OK")
            #expect(answer.fields.values("content-length") == ["0"])
        }
    }

    @Test("an answer without a final status is the server's fault", arguments: [100, 199, 600, 0])
    func wrongStatus(status: Int) async throws {
        let handler = ScriptedHandler { _ in HTTPResponse(status: status) }
        try await withServer(handler: handler) { world in
            let client = try await world.client(sending: get())
            let answer = try #require(try await client.answers(1).first)
            #expect(answer.status == 500)
            #expect(answer.body == "internal_error")
        }
    }

    @Test("a large answer arrives whole, also at a slow client and before a close", arguments: [false, true])
    func largeAnswer(closes: Bool) async throws {
        let size = 8_000_000
        let handler = ScriptedHandler { _ in
            HTTPResponse(
                status: 200, fields: closes ? ["connection": "close"] : [:],
                body: .bytes([UInt8](repeating: 0x79, count: size)))
        }
        try await withServer(handler: handler) { world in
            let client = try await world.client()
            await client.pauseReading()
            await client.send(MalformedRequest.bytes(get()))
            try await handler.requests.wait { $0.count == 1 }
            for _ in 0..<50 { await world.serverLoop.settle() }
            await client.resumeReading()
            // Only the size is looked at until all is there: parsing at each piece would take long.
            let heard = try await client.heard.wait { $0.count >= size + 50 || $0.isOver }
            #expect(heard.bytes.count > size)
            #expect(RawAnswer.all(in: heard.bytes).first?.body.utf8.count == size)
        }
    }
}
