import RawHTTP
import ReveilleBytes
import ReveilleHTTP2
import Testing

@Suite("The server engine serves requests")
struct ServerExchangeTests {
    @Test("a request with a body is told in order and answered", arguments: [1, 7, Int.max])
    func exchange(pieces: Int) throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(202, "done")
        probe.send(
            RawHTTP2.opening
                + RawHTTP2.headers(
                    1, RawHTTP2.request("POST", path: "/a?b") + [("x-name", "value")],
                    endsStream: false)
                + RawHTTP2.data(1, [1, 2, 3]).bytes
                + RawHTTP2.data(1, [4], endsStream: true).bytes,
            inPiecesOf: pieces)
        var body: [UInt8] = []
        let others = probe.heard.filter {
            guard case .body(_, let bytes) = $0 else { return true }
            body += bytes
            return false
        }
        #expect(others == [.begin(1), .head(1, "POST", "/a?b"), .end(1), .close(1, 0)])
        #expect(body == [1, 2, 3, 4])
        #expect(probe.heads[1]?.authority == "example.org")
        #expect(probe.heads[1]?.fields["x-name"] == "value")
        #expect(probe.statuses == [1: 202])
        let answer = probe.sent.filter { $0.kind == .data && $0.stream == 1 }
        #expect(answer.flatMap(\.payload) == [UInt8]("done".utf8))
        #expect(answer.last?.flags == RawFrame.endStream)
        #expect(probe.failure == nil)
    }

    @Test("an answer without a body ends with its header")
    func emptyAnswer() throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(204)
        probe.send(RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request()))
        let header = probe.sent.first { $0.kind == .headers }
        #expect(header?.flags == RawFrame.endHeaders | RawFrame.endStream)
        #expect(probe.heard.last == .close(1, 0))
        #expect(probe.engine.openStreams == 0)
    }

    @Test("an answer larger than the client's window waits for it")
    func answerWaitsForWindow() throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(200, String(repeating: "x", count: 100_000))
        probe.send(RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request()))
        #expect(probe.sent.filter { $0.kind == .data }.reduce(0) { $0 + $1.payload.count } == 65_535)
        probe.send(
            RawHTTP2.windowUpdate(0, 50_000).bytes + RawHTTP2.windowUpdate(1, 50_000).bytes)
        #expect(probe.sent.filter { $0.kind == .data }.reduce(0) { $0 + $1.payload.count } == 100_000)
        #expect(probe.heard.last == .close(1, 0))
    }

    @Test("fields that HTTP/2 forbids are left out of an answer")
    func forbiddenAnswerFields() throws {
        func answer(_ fields: [(String, String)]) throws -> RawFrame? {
            let probe = try ServerProbe()
            probe.onEnd = { engine, stream in
                var list = FieldList()
                for (name, value) in fields { list.append(name, value) }
                try? engine.respond(to: stream, status: 200, fields: list, body: [])
            }
            probe.send(RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request()))
            return probe.sent.first { $0.kind == .headers }
        }
        let plain = try #require(try answer([("x-a", "1")]))
        let crowded = try answer([
            ("connection", "close"), ("keep-alive", "1"), ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"), ("proxy-connection", "close"), (":status", "500"), ("x-a", "1"),
        ])
        #expect(crowded == plain)
    }

    @Test(
        "a client's priorities are read over, wherever they stand",
        arguments: [
            RawFrame(.priority, stream: 1, [0, 0, 0, 0, 7]), RawFrame(.priority, stream: 9, [0x80, 0, 0, 1, 255]),
            // A flag and five octets inside HEADERS.
            RawFrame(
                .headers, flags: RawFrame.endHeaders | RawFrame.endStream | 0x20, stream: 1,
                [0, 0, 0, 0, 7] + RawHTTP2.block(RawHTTP2.request())),
        ])
    func priorities(frame: RawFrame) throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(200)
        let request = frame.kind == .headers ? [] : RawHTTP2.headers(1, RawHTTP2.request())
        probe.send(RawHTTP2.opening + frame.bytes + request)
        #expect(probe.statuses == [1: 200])
        probe.send(RawFrame(.priority, stream: 1, [0, 0, 0, 0, 7]).bytes + RawHTTP2.headers(3, RawHTTP2.request()))
        #expect(probe.statuses == [1: 200, 3: 200])
        #expect(probe.failure == nil && probe.resets.isEmpty)
    }

    @Test("a waiting client is told to go on")
    func continues() throws {
        let probe = try ServerProbe()
        probe.send(
            RawHTTP2.opening
                + RawHTTP2.headers(
                    1, RawHTTP2.request("POST") + [("expect", "100-continue")], endsStream: false))
        try probe.engine.sendContinue(on: 1)
        probe.flush()
        let interim = try #require(probe.sent.first { $0.kind == .headers })
        #expect(interim.status == 100)
        #expect(interim.flags == RawFrame.endHeaders)
        probe.onEnd = answering(200)
        probe.send(RawHTTP2.data(1, [1], endsStream: true).bytes)
        #expect(probe.statuses == [1: 200])
    }

    @Test("an answer before the end of its request lets the client stop")
    func earlyAnswer() throws {
        let probe = try ServerProbe()
        probe.send(
            RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false))
        try probe.engine.respond(to: 1, status: 401, fields: FieldList(), body: [])
        probe.flush()
        #expect(probe.statuses == [1: 401])
        #expect(probe.resets == [1: HTTP2ErrorCode.noError.rawValue])
        #expect(probe.heard.last == .close(1, 0))
    }

    @Test("a stream is answered once, and only while it is open")
    func answersOnce() throws {
        let probe = try ServerProbe()
        probe.send(RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request()))
        try probe.engine.respond(to: 1, status: 200, fields: FieldList(), body: [])
        for stream: Int32 in [1, 3] {
            let error = #expect(throws: HTTP2Error.self) {
                try probe.engine.respond(to: stream, status: 200, fields: FieldList(), body: [])
            }
            #expect(error?.code == .streamUnknown)
        }
        probe.flush()
        #expect(throws: HTTP2Error.self) { try probe.engine.reset(1, .cancel) }
    }

    @Test("the limit of streams may move at any time")
    func limitMoves() throws {
        let probe = try ServerProbe(HTTP2ServerLimits(maximumConcurrentStreams: 1))
        probe.send(RawHTTP2.opening)
        #expect(probe.settings[3] == 1)
        probe.forget()
        try probe.engine.setMaximumConcurrentStreams(1000)
        probe.flush()
        #expect(probe.settings == [3: 1000])
    }

    @Test("GOAWAY names the newest stream that is served, and says why")
    func goAway() throws {
        let probe = try ServerProbe()
        probe.send(
            RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request())
                + RawHTTP2.headers(3, RawHTTP2.request()))
        try probe.engine.goAway(.noError, lastStream: 1, debugData: [UInt8]("Shutdown".utf8))
        probe.flush()
        let frame = try #require(probe.goAway)
        #expect(frame.payload == RawHTTP2.bytes(1) + RawHTTP2.bytes(0) + [UInt8]("Shutdown".utf8))
        #expect(probe.engine.goAwaySent == .noError)
        #expect(probe.heard.contains(.close(3, HTTP2ErrorCode.refusedStream.rawValue)))
        try probe.engine.respond(to: 1, status: 200, fields: FieldList(), body: [])
        probe.flush()
        #expect(probe.statuses == [1: 200])
    }

    @Test("a stream can be reset with any code, before and after its answer began")
    func reset() throws {
        let probe = try ServerProbe()
        probe.send(
            RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request())
                + RawHTTP2.headers(3, RawHTTP2.request()))
        try probe.engine.reset(1, .refusedStream)
        try probe.engine.respond(
            to: 3, status: 200, fields: FieldList(), body: [UInt8](repeating: 1, count: 200_000))
        probe.flush()
        try probe.engine.reset(3, .internalError)
        probe.flush()
        #expect(probe.resets == [1: 7, 3: 2])
        #expect(probe.heard.suffix(2) == [.close(1, 7), .close(3, 2)])
    }

    @Test("a client's GOAWAY and resets are heard")
    func clientLeaves() throws {
        let probe = try ServerProbe()
        probe.send(RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request()))
        probe.send(RawHTTP2.reset(1).bytes)
        #expect(probe.heard.last == .close(1, HTTP2ErrorCode.cancel.rawValue))
        probe.send(RawFrame(.goAway, RawHTTP2.bytes(0) + RawHTTP2.bytes(2)).bytes)
        #expect(probe.engine.goAwayReceived == .internalError)
    }

    @Test("a thousand requests on one connection leave nothing behind")
    func manyRequests() throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(200, "ok")
        probe.send(RawHTTP2.opening)
        for number: UInt32 in 0..<1000 {
            probe.send(RawHTTP2.headers(2 * number + 1, RawHTTP2.request(path: "/\(number)")))
        }
        #expect(probe.statuses.count == 1000)
        #expect(probe.engine.openStreams == 0)
        #expect(probe.failure == nil)
    }
}

extension ServerProbe {
    /// The newest SETTINGS the server sent, by identifier; empty when there was none.
    var settings: [UInt32: UInt32] {
        guard let frame = sent.last(where: { $0.kind == .settings && $0.flags == 0 }) else {
            return [:]
        }
        return stride(from: 0, to: frame.payload.count, by: 6).reduce(into: [:]) {
            $0[RawHTTP2.number(frame.payload[$1..<($1 + 2)])] =
                RawHTTP2.number(frame.payload[($1 + 2)..<($1 + 6)])
        }
    }
}
