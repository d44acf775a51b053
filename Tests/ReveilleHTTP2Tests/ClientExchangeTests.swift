import RawHTTP
import ReveilleBytes
import ReveilleHTTP2
import Testing

@Suite("The client engine sends requests and reads responses")
struct ClientExchangeTests {
    @Test("it opens with the preface, no push, and large windows")
    func opening() throws {
        let probe = try ClientProbe(isOpened: false)
        probe.flush()
        #expect(probe.preface == RawHTTP2.magic)
        let settings = try #require(probe.frames(.settings).first)
        #expect(settings.payload.prefix(6) == [0, 2, 0, 0, 0, 0])
        let window = RawHTTP2.settings([(4, 1 << 20)]).payload
        #expect(settings.payload.dropFirst(6).prefix(6).elementsEqual(window))
        let update = try #require(probe.frames(.windowUpdate).first)
        #expect(update.stream == 0)
        #expect(RawHTTP2.number(update.payload[...]) == 1 << 24 - 65_535)
    }

    @Test("a request leaves as one HEADERS and one DATA frame, without priority", arguments: [1, 7, Int.max])
    func exchange(pieces: Int) throws {
        let probe = try ClientProbe(watched: ["retry-after", "apns-id"])
        try probe.request(body: "{\"aps\":{}}")
        #expect(probe.sent.map(\.kind) == [.headers, .data])
        #expect(probe.sent.first?.flags == RawFrame.endHeaders)
        #expect(probe.sent.last == RawHTTP2.data(1, Array("{\"aps\":{}}".utf8), endsStream: true))
        #expect(probe.ended().isEmpty)
        probe.receive(
            RawHTTP2.headers(
                1, [(":status", "429"), ("apns-id", "some-id"), ("retry-after", "30")],
                endsStream: false)
                + RawHTTP2.data(1, Array("{\"reason\":".utf8)).bytes
                + RawHTTP2.data(1, Array("\"TooManyRequests\"}".utf8), endsStream: true).bytes,
            inPiecesOf: pieces)
        #expect(
            probe.ended() == [
                .init(id: 1, end: .answered, status: 429, body: "{\"reason\":\"TooManyRequests\"}")
            ])
        #expect(probe.watched[1] == ["30", "some-id", nil, nil])
        #expect(probe.engine.openStreams == 0)
    }

    @Test("a request without a body ends with its header")
    func emptyRequest() throws {
        let probe = try ClientProbe()
        let stream = try #require(try probe.request(body: ""))
        #expect(probe.sent.map(\.kind) == [.headers])
        #expect(probe.sent.first?.flags == RawFrame.endHeaders | RawFrame.endStream)
        #expect(stream.progress == .completely)
    }

    @Test("rooms are used again and carry nothing over")
    func rooms() throws {
        let probe = try ClientProbe(watched: ["retry-after"])
        let first = try #require(try probe.request())
        probe.receive(
            RawHTTP2.headers(1, [(":status", "503"), ("retry-after", "9")], endsStream: false)
                + RawHTTP2.data(1, [0x78], endsStream: true).bytes)
        #expect(probe.ended() == [.init(id: 1, end: .answered, status: 503, body: "x")])
        let second = try #require(try probe.request())
        #expect(first === second)
        probe.receive(RawHTTP2.headers(3, [(":status", "200")]))
        #expect(probe.ended() == [.init(id: 3, end: .answered, status: 200)])
        #expect(probe.watched[3] == [nil, nil, nil, nil])
    }

    @Test("constants enter the table once, private fields never do, in every request")
    func compression() throws {
        let probe = try ClientProbe()
        let fields: [(StaticString, String, HTTP2FieldCompression)] = [
            ("apns-topic", "org.example.mail", .indexed),
            ("authorization", "bearer header.claims.signature", .indexed),
            ("apns-id", "00000000-0000-4000-8000-000000000001", .neverIndexed),
            ("apns-collapse-id", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", .neverIndexed),
        ]
        for _ in 0..<3 { try probe.request(fields) }
        let forms = probe.frames(.headers).map { FieldForm.forms(in: $0.payload) }
        let literals: [FieldForm] = [.neverIndexed, .neverIndexed, .neverIndexed]
        #expect(
            forms.first
                == [.indexed, .indexed, .addedToTable, .neverIndexed, .addedToTable] + literals)
        for later in forms.dropFirst() {
            #expect(
                later == [.indexed, .indexed, .indexed, .neverIndexed, .indexed] + literals)
        }
    }

    @Test("a body larger than the server's window waits for it, and counts as partly sent until then")
    func window() throws {
        let probe = try ClientProbe()
        let stream = try #require(try probe.request(body: String(repeating: "x", count: 70_000)))
        #expect(probe.frames(.data).reduce(0) { $0 + $1.payload.count } == 65_535)
        #expect(stream.progress == .partly)
        probe.receive(RawHTTP2.windowUpdate(0, 9_000).bytes + RawHTTP2.windowUpdate(1, 9_000).bytes)
        #expect(probe.frames(.data).reduce(0) { $0 + $1.payload.count } == 70_000)
        #expect(stream.progress == .completely)
    }

    @Test("of a long response body the first octets are kept, and an endless one is reset")
    func longBody() throws {
        var limits = HTTP2ClientLimits()
        limits.keptBodyBytes = 10
        limits.maximumBodyBytes = 100
        let probe = try ClientProbe(limits)
        try probe.request()
        try probe.request()
        probe.receive(
            RawHTTP2.headers(1, [(":status", "400")], endsStream: false)
                + RawHTTP2.data(1, Array(repeating: 0x61, count: 90), endsStream: true).bytes
                + RawHTTP2.headers(3, [(":status", "400")], endsStream: false)
                + RawHTTP2.data(3, Array(repeating: 0x61, count: 90)).bytes
                + RawHTTP2.data(3, Array(repeating: 0x61, count: 90)).bytes)
        let kept = String(repeating: "a", count: 10)
        #expect(
            probe.ended() == [
                .init(id: 1, end: .answered, status: 400, body: kept),
                .init(id: 3, end: .reset(.cancel), status: 400, body: kept),
            ])
        #expect(probe.frames(.resetStream).map(\.stream) == [3])
    }

    @Test("a response whose fields are too long resets its stream only")
    func longHeader() throws {
        var limits = HTTP2ClientLimits()
        limits.maximumHeaderListBytes = 200
        let probe = try ClientProbe(limits)
        try probe.request()
        try probe.request()
        probe.receive(
            RawHTTP2.headers(
                1, [(":status", "200"), ("x-filler", String(repeating: "f", count: 200))])
                + RawHTTP2.headers(3, [(":status", "200")]))
        let ended = probe.ended()
        #expect(ended.first { $0.id == 1 }?.end == .reset(.internalError))
        #expect(ended.first { $0.id == 3 }?.end == .answered)
        #expect(probe.failure == nil)
    }

    @Test("a watched value that is too long counts as absent")
    func longWatched() throws {
        let probe = try ClientProbe(watched: ["retry-after"])
        try probe.request()
        probe.receive(
            RawHTTP2.headers(
                1, [(":status", "503"), ("retry-after", String(repeating: "1", count: 65))]))
        _ = probe.ended()
        #expect(probe.watched[1]?.first == .some(nil))
    }

    @Test("an informational response is not the answer")
    func informational() throws {
        let probe = try ClientProbe()
        try probe.request()
        probe.receive(RawHTTP2.headers(1, [(":status", "103")], endsStream: false))
        #expect(probe.ended().isEmpty)
        probe.receive(RawHTTP2.headers(1, [(":status", "200")]))
        #expect(probe.ended() == [.init(id: 1, end: .answered, status: 200)])
    }

    @Test(
        "a malformed response resets its stream only, and is no answer", arguments: MalformedAnswer.all, [1, Int.max])
    func malformed(answer: MalformedAnswer, pieces: Int) throws {
        let probe = try ClientProbe()
        try probe.request()
        try probe.request()
        probe.receive(answer.bytes(on: 1), inPiecesOf: pieces)
        #expect(probe.ended().map(\.end) == [.reset(.protocolError)])
        #expect(probe.frames(.resetStream).map(\.stream) == [1])
        probe.receive(RawHTTP2.headers(3, [(":status", "200")]))
        #expect(probe.ended() == [.init(id: 3, end: .answered, status: 200)])
        #expect(probe.failure == nil)
    }

    @Test("a response before the end of its request is the answer and frees the stream")
    func early() throws {
        let probe = try ClientProbe()
        try probe.request(body: String(repeating: "x", count: 70_000))
        probe.receive(RawHTTP2.headers(1, [(":status", "413")]))
        #expect(
            probe.ended() == [.init(id: 1, end: .answered, status: 413, progress: .partly)])
        #expect(probe.frames(.resetStream).map(\.stream) == [1])
        #expect(probe.engine.openStreams == 0)
    }

    @Test("ten thousand requests through the server engine of this project all come back")
    func throughServerEngine() throws {
        let server = try ServerProbe()
        server.onEnd = answering(200)
        var limits = HTTP2ClientLimits()
        limits.maximumStreams = 128
        let client = try HTTP2ClientEngine(limits: limits)
        let answered = try TwoEngines(client: client, server: server.engine).exchange(10_000)
        #expect(answered == 10_000)
        #expect(client.openStreams == 0)
    }
}

/// A client engine and a server engine that hand each other their output.
private struct TwoEngines {
    let client: HTTP2ClientEngine
    let server: HTTP2ServerEngine

    /// Sends so many requests as fast as streams come free; returns how many were answered with 200.
    func exchange(_ count: Int) throws -> Int {
        let output = ByteQueue()
        var submitted = 0
        var ended = 0
        var answered = 0
        while ended < count {
            while submitted < count, let stream = client.takeStream() {
                stream.add(":method", "POST")
                stream.add(":scheme", "https")
                stream.add(":authority", "push.example")
                stream.add(":path", "/3/device/abcd")
                client.submit(stream)
                submitted += 1
            }
            try client.takeOutput(into: output)
            try output.withReadableBytes { try server.receive($0, at: 0) }
            output.removeAll()
            try server.takeOutput(into: output)
            try output.withReadableBytes { try client.receive($0) }
            output.removeAll()
            while let stream = client.takeEndedStream() {
                ended += 1
                if stream.end == .answered, stream.status == 200 { answered += 1 }
                client.giveBack(stream)
            }
        }
        return answered
    }
}
