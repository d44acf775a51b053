import RawHTTP
import ReveilleHTTP2
import Testing

@Suite("The client engine follows the server's word about the connection")
struct ClientConnectionTests {
    private static func goAway(_ last: UInt32, _ code: UInt32 = 0, _ debug: String = "") -> [UInt8] {
        RawFrame(
            .goAway, RawHTTP2.bytes(last) + RawHTTP2.bytes(code) + Array(debug.utf8)
        ).bytes
    }

    private static func limit(_ streams: UInt32) -> [UInt8] {
        RawHTTP2.settings([(3, streams)]).bytes
    }

    private static func answer(_ streams: some Sequence<UInt32>) -> [UInt8] {
        streams.flatMap { RawHTTP2.headers($0, [(":status", "200")]) }
    }

    // MARK: Limits of streams

    @Test("the limit is followed as it moves: up, down below what is open, to nothing, and up again")
    func movingLimit() throws {
        let probe = try ClientProbe()
        probe.receive(Self.limit(1_000))
        #expect(probe.notices.contains(.settingsChanged))
        for _ in 0..<10 { try probe.request() }
        probe.receive(Self.limit(1))
        #expect(probe.engine.availableStreams == 0)
        #expect(try probe.request() == nil)
        #expect(probe.frames(.resetStream).isEmpty)
        probe.receive(Self.answer(stride(from: 1, to: 19, by: 2)))
        #expect(probe.ended().count == 9)
        #expect(probe.engine.availableStreams == 0)
        probe.receive(Self.answer([19]))
        #expect(probe.ended().count == 1)
        #expect(probe.engine.availableStreams == 1)
        probe.receive(Self.limit(0))
        #expect(probe.engine.availableStreams == 0)
        #expect(probe.engine.takesStreams)
        probe.receive(Self.limit(100))
        #expect(probe.engine.availableStreams == 100)
        for _ in 0..<101 { try probe.request() }
        #expect(probe.engine.openStreams == 100)
        #expect(probe.failure == nil)
    }

    @Test("before the first SETTINGS the assumed limit holds, afterwards the server's")
    func firstSettings() throws {
        var limits = HTTP2ClientLimits()
        limits.streamsBeforeSettings = 2
        let probe = try ClientProbe(limits, isOpened: false)
        #expect(probe.engine.availableStreams == 2)
        #expect(!probe.engine.hasPeerSettings)
        probe.receive(Self.limit(7))
        #expect(probe.engine.availableStreams == 7)
        #expect(probe.engine.hasPeerSettings)
        #expect(probe.frames(.settings).contains(RawHTTP2.settingsAcknowledgement))
    }

    @Test("never more streams than rooms, whatever the server allows")
    func rooms() throws {
        var limits = HTTP2ClientLimits()
        limits.maximumStreams = 3
        let probe = try ClientProbe(limits)
        probe.receive(Self.limit(.max))
        for _ in 0..<5 { try probe.request() }
        #expect(probe.opened == [1, 3, 5])
        probe.receive(Self.answer([1]))
        // The room of an ended stream is in use until its owner gives it back.
        #expect(probe.engine.availableStreams == 0)
        #expect(probe.ended().count == 1)
        #expect(probe.engine.availableStreams == 1)
    }

    // MARK: GOAWAY

    @Test("after GOAWAY no stream is opened, and nothing fails")
    func goAwayThenNew() throws {
        let probe = try ClientProbe()
        try probe.request()
        probe.receive(Self.answer([1]) + Self.goAway(1))
        #expect(probe.notices.contains(.goAwayReceived))
        #expect(probe.engine.availableStreams == 0)
        #expect(!probe.engine.takesStreams)
        probe.forget()
        #expect(try probe.request() == nil)
        #expect(probe.opened.isEmpty)
        #expect(probe.ended() == [.init(id: 1, end: .answered, status: 200)])
        #expect(probe.engine.isFinished)
    }

    @Test("streams up to the last stream id wait for their answers, and come back in any order")
    func goAwayInFlight() throws {
        let probe = try ClientProbe()
        for _ in 0..<3 { try probe.request() }
        probe.receive(Self.goAway(5))
        #expect(probe.ended().isEmpty)
        #expect(!probe.engine.isFinished)
        let gone = "{\"reason\":\"Unregistered\",\"timestamp\":1767225601000}"
        probe.receive(
            Self.answer([3]) + RawHTTP2.headers(1, [(":status", "410")], endsStream: false)
                + RawHTTP2.data(1, Array(gone.utf8), endsStream: true).bytes + Self.answer([5]))
        probe.engine.connectionDidEnd()
        #expect(
            probe.ended() == [
                .init(id: 3, end: .answered, status: 200),
                .init(id: 1, end: .answered, status: 410, body: gone),
                .init(id: 5, end: .answered, status: 200),
            ])
    }

    @Test("streams above the last stream id were not processed; those below may have been")
    func goAwaySplits() throws {
        let probe = try ClientProbe()
        for _ in 0..<4 { try probe.request() }
        probe.receive(Self.goAway(3, 0, "{\"reason\":\"Shutdown\"}"))
        #expect(probe.engine.goAway?.lastStreamID == 3)
        #expect(probe.engine.goAway?.code == .noError)
        #expect(probe.engine.goAway?.debugData == Array("{\"reason\":\"Shutdown\"}".utf8))
        let refused = Set(probe.ended())
        #expect(refused == [.init(id: 5, end: .unprocessed), .init(id: 7, end: .unprocessed)])
        probe.engine.connectionDidEnd()
        #expect(
            Set(probe.ended()) == [
                .init(id: 1, end: .connectionLost), .init(id: 3, end: .connectionLost),
            ])
    }

    @Test("a request that was not written when GOAWAY came was not processed")
    func goAwayBeforeWriting() throws {
        let probe = try ClientProbe()
        try probe.request(isFlushed: false)
        probe.forget()
        probe.receive(Self.goAway(0))
        #expect(probe.opened.isEmpty)
        #expect(probe.ended() == [.init(id: 1, end: .unprocessed, progress: .nothing)])
        #expect(probe.engine.openStreams == 0)
    }

    @Test("two GOAWAY frames: the second lowers the last stream id")
    func goAwayTwice() throws {
        let probe = try ClientProbe()
        for _ in 0..<2 { try probe.request() }
        probe.receive(Self.goAway(0x7FFF_FFFF))
        #expect(probe.ended().isEmpty)
        probe.receive(Self.goAway(1))
        #expect(probe.ended() == [.init(id: 3, end: .unprocessed)])
    }

    @Test("of endless debug data the first octets are kept")
    func longDebug() throws {
        let probe = try ClientProbe()
        probe.receive(Self.goAway(0, 0, String(repeating: "d", count: 9_000)))
        #expect(probe.engine.goAway?.debugData.count == 1_024)
    }

    // MARK: Resets

    @Test(
        "a reset stream says whether anything was processed",
        arguments: [
            (UInt32(7), HTTP2StreamEnd.unprocessed), (2, .reset(.internalError)),
            (8, .reset(.cancel)), (0xbeef, .reset(HTTP2ErrorCode(rawValue: 0xbeef))),
        ])
    func reset(code: UInt32, end: HTTP2StreamEnd) throws {
        let probe = try ClientProbe()
        try probe.request()
        try probe.request()
        probe.receive(RawHTTP2.reset(1, code).bytes + Self.answer([3]))
        #expect(
            probe.ended() == [
                .init(id: 1, end: end), .init(id: 3, end: .answered, status: 200),
            ])
    }

    @Test("a stream whose answer has begun was processed, even if it is refused then", arguments: ["103", "200", ""])
    func refusedLate(status: String) throws {
        let probe = try ClientProbe()
        try probe.request()
        // Without a status the answer is malformed, and begun all the same.
        let head = RawHTTP2.headers(1, [status.isEmpty ? ("x", "y") : (":status", status)], endsStream: false)
        probe.receive(head + RawHTTP2.reset(1, HTTP2ErrorCode.refusedStream.rawValue).bytes)
        #expect(probe.ended().map(\.end) == [.reset(.refusedStream)])
    }

    @Test("a stream that its owner gives up is reset and ends as cancelled, unless it was answered")
    func cancel() throws {
        let probe = try ClientProbe()
        let first = try #require(try probe.request())
        let second = try #require(try probe.request())
        probe.engine.cancel(first)
        probe.flush()
        #expect(probe.frames(.resetStream) == [RawHTTP2.reset(1, 8)])
        #expect(probe.ended() == [.init(id: 1, end: .cancelled)])
        probe.receive(Self.answer([1]))
        #expect(probe.ended().isEmpty)
        probe.receive(Self.answer([3]))
        probe.engine.cancel(second)
        #expect(probe.ended() == [.init(id: 3, end: .answered, status: 200)])
        #expect(probe.failure == nil)
    }

    // MARK: The end

    @Test("when the connection ends each open stream ends once, however often it is told")
    func endsOnce() throws {
        let probe = try ClientProbe()
        for _ in 0..<5 { try probe.request() }
        for _ in 0..<3 { probe.engine.connectionDidEnd() }
        let ended = probe.ended()
        #expect(ended.count == 5)
        #expect(ended.allSatisfy { $0.end == .connectionLost && $0.progress == .completely })
        #expect(probe.ended().isEmpty)
        #expect(probe.engine.availableStreams == 0)
        #expect(throws: HTTP2Error(.sessionEnded)) { try probe.engine.receiveBytes([0]) }
    }

    @Test("a request of which the server lacks the end was not processed when the connection ends")
    func partlySent() throws {
        let probe = try ClientProbe()
        try probe.request(body: String(repeating: "x", count: 70_000))
        try probe.request(isFlushed: false)
        probe.engine.connectionDidEnd()
        #expect(
            Set(probe.ended()) == [
                .init(id: 1, end: .unprocessed, progress: .partly),
                .init(id: 3, end: .unprocessed, progress: .nothing),
            ])
    }

    @Test("the last stream number is used, and then no more")
    func numbersRunOut() throws {
        let probe = try ClientProbe(firstStream: Int32.max - 2)
        try probe.request()
        #expect(probe.engine.takesStreams)
        try probe.request()
        #expect(probe.opened == [0x7FFF_FFFD, 0x7FFF_FFFF])
        #expect(!probe.engine.takesStreams)
        #expect(try probe.request() == nil)
    }

    @Test("PING goes out with its number, and its return is told")
    func ping() throws {
        let probe = try ClientProbe()
        try probe.engine.ping(0x0102_0304_0506_0708)
        probe.flush()
        #expect(probe.frames(.ping) == [RawFrame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])])
        probe.receive(RawFrame(.ping, flags: RawFrame.acknowledges, [1, 2, 3, 4, 5, 6, 7, 8]).bytes)
        #expect(probe.notices.contains(.pingReturned))
        #expect(probe.engine.lastPingReturned == 0x0102_0304_0506_0708)
    }

    @Test("a PING of the server is answered")
    func pong() throws {
        let probe = try ClientProbe()
        probe.receive(RawHTTP2.ping(9).bytes)
        #expect(
            probe.frames(.ping)
                == [RawFrame(.ping, flags: RawFrame.acknowledges, [0, 0, 0, 0, 0, 0, 0, 9])])
        #expect(!probe.notices.contains(.pingReturned))
    }

    @Test("saying GOAWAY stops new streams and lets open ones finish")
    func saysGoAway() throws {
        let probe = try ClientProbe()
        try probe.request()
        probe.engine.sayGoAway()
        probe.flush()
        #expect(probe.frames(.goAway).map(\.errorCode) == [0])
        #expect(try probe.request() == nil)
        probe.receive(Self.answer([1]))
        #expect(probe.ended() == [.init(id: 1, end: .answered, status: 200)])
    }

    // MARK: Servers that break the protocol

    @Test(
        "a server that breaks the protocol ends the connection with GOAWAY, never the process",
        arguments: [
            ("data for a stream that never was", RawHTTP2.data(9, [1], endsStream: true).bytes),
            ("headers on a stream of the server", RawHTTP2.headers(2, [(":status", "200")])),
            ("headers on stream 0", RawHTTP2.headers(0, [(":status", "200")])),
            ("a push promise", RawFrame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2, 0x88]).bytes),
            ("settings with a stream", RawFrame(.settings, stream: 1).bytes),
            ("settings cut short", RawFrame(.settings, [0, 3, 0]).bytes),
            ("a window beyond 31 bits", RawHTTP2.settings([(4, 0x8000_0000)]).bytes),
            ("a window update of nothing", RawHTTP2.windowUpdate(0, 0).bytes),
            ("a window that overflows", RawHTTP2.windowUpdate(0, 0x7FFF_FFFF).bytes),
            ("a short ping", RawFrame(.ping, [1, 2, 3]).bytes),
            ("a short reset", RawFrame(.resetStream, stream: 1, [0, 0]).bytes),
            ("a reset of stream 0", RawHTTP2.reset(0).bytes),
            ("a short goaway", RawFrame(.goAway, [0, 0, 0, 1]).bytes),
            ("broken compression", RawFrame(.headers, flags: 5, stream: 1, [0xFF, 0xFF, 0xFF]).bytes),
            ("a table over the limit", RawFrame(.headers, flags: 5, stream: 1, [0x3F, 0xE1, 0xFF, 0x7F]).bytes),
            ("continuation of nothing", RawFrame(.continuation, flags: 4, stream: 1, [0x88]).bytes),
            ("a frame over 16 KiB", RawFrame(.data, stream: 1, Array(repeating: 0, count: 17_000)).bytes),
            ("padding longer than the frame", RawFrame(.data, flags: 8, stream: 1, [9, 0]).bytes),
            ("the answer of an HTTP/1.1 server", Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
            ("settings without end", Array((0..<2_000).flatMap { _ in RawHTTP2.settings([]).bytes })),
        ])
    func violation(name: String, bytes: [UInt8]) throws {
        let probe = try ClientProbe()
        try probe.request()
        probe.receive(bytes)
        probe.receive(Self.answer([1]))
        #expect(probe.failure != nil || probe.engine.isFinished, "\(name)")
        #expect(probe.frames(.goAway).allSatisfy { $0.errorCode != 0 }, "\(name)")
        probe.engine.connectionDidEnd()
        #expect(probe.ended().map(\.end) == [.connectionLost], "\(name)")
    }

    @Test(
        "an answer that breaks the rules of HTTP resets its stream only",
        arguments: [
            [("x", "y")], [(":status", "abc")], [(":status", "200"), (":status", "200")],
            [(":path", "/")], [("x", "y"), (":status", "200")],
            [(":status", "200"), ("connection", "close")], [(":status", "101")],
        ])
    func malformed(fields: [(String, String)]) throws {
        let probe = try ClientProbe()
        try probe.request()
        try probe.request()
        probe.receive(RawHTTP2.headers(1, fields) + Self.answer([3]))
        #expect(
            probe.ended().sorted { $0.id < $1.id }.map(\.end)
                == [.reset(.protocolError), .answered])
        #expect(probe.frames(.resetStream).map(\.stream) == [1])
        #expect(probe.failure == nil)
    }

    @Test("frames of unknown kinds are ignored")
    func unknownFrames() throws {
        let probe = try ClientProbe()
        try probe.request()
        probe.receive(RawFrame(.unknown, stream: 1, [1, 2, 3]).bytes + Self.answer([1]))
        #expect(probe.ended() == [.init(id: 1, end: .answered, status: 200)])
    }
}
