import RawHTTP
import ReveilleBytes
import ReveilleHTTP2
import Testing

@Suite("The server engine keeps its limits")
struct ServerLimitsTests {
    static func refusing() -> (HTTP2ServerEngine, Int32, HTTP2RequestFault) -> Void {
        { engine, stream, fault in
            try? engine.respond(to: stream, status: fault.status, fields: FieldList(), body: [])
        }
    }

    @Test("a header list beyond the limit can be answered, and the next request is served")
    func headerList() throws {
        let probe = try ServerProbe(HTTP2ServerLimits(maximumHeaderListBytes: 1000))
        probe.onEnd = answering(200)
        probe.onFault = Self.refusing()
        let large = RawHTTP2.request() + [("x", String(repeating: "y", count: 1000))]
        probe.send(RawHTTP2.opening + RawHTTP2.headers(1, large) + RawHTTP2.headers(3, RawHTTP2.request()))
        #expect(probe.heard.prefix(2) == [.begin(1), .fault(1, .headerListTooLarge)])
        #expect(!probe.heard.contains(.end(1)))
        #expect(probe.statuses == [1: 431, 3: 200])
        #expect(probe.settings[6] == 1000)
    }

    @Test("the limit counts names, values and 32 octets for each field", arguments: [0, 1])
    func headerListSize(extra: Int) throws {
        let fields = RawHTTP2.request()
        let size = fields.reduce(0) { $0 + $1.0.count + $1.1.count + 32 }
        let probe = try ServerProbe(HTTP2ServerLimits(maximumHeaderListBytes: size - extra))
        probe.send(RawHTTP2.opening + RawHTTP2.headers(1, fields))
        #expect(probe.heard.contains(.end(1)) == (extra == 0))
    }

    @Test("too many fields can be answered")
    func fields() throws {
        let probe = try ServerProbe(HTTP2ServerLimits(maximumFields: 3))
        probe.onFault = Self.refusing()
        let field = ("x", "y")
        probe.send(
            RawHTTP2.opening
                + RawHTTP2.headers(1, RawHTTP2.request() + [field, field, field])
                + RawHTTP2.headers(3, RawHTTP2.request() + [field, field, field, field]))
        #expect(probe.heard.contains(.end(1)))
        #expect(probe.heard.contains(.fault(3, .tooManyFields)))
        #expect(probe.statuses == [3: 431])
    }

    @Test("trailers count towards the header list")
    func trailers() throws {
        let probe = try ServerProbe(HTTP2ServerLimits(maximumHeaderListBytes: 1000))
        probe.onFault = Self.refusing()
        probe.send(
            RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false)
                + RawHTTP2.headers(1, [("x", String(repeating: "y", count: 900))]))
        #expect(probe.heard.contains(.fault(1, .headerListTooLarge)))
        #expect(!probe.heard.contains(.end(1)))
        #expect(probe.statuses == [1: 431])
    }

    @Test("a body beyond the limit is refused as soon as it is known", arguments: [true, false])
    func body(isAnnounced: Bool) throws {
        let probe = try ServerProbe(HTTP2ServerLimits(maximumBodyBytes: 10))
        probe.onFault = Self.refusing()
        let length = isAnnounced ? [("content-length", "11")] : []
        probe.send(
            RawHTTP2.opening
                + RawHTTP2.headers(1, RawHTTP2.request("POST") + length, endsStream: false))
        if !isAnnounced {
            #expect(probe.heard == [.begin(1), .head(1, "POST", "/")])
            probe.send(RawHTTP2.data(1, [UInt8](repeating: 0, count: 10)).bytes)
            #expect(!probe.heard.contains(.fault(1, .bodyTooLarge)))
            probe.send(RawHTTP2.data(1, [0]).bytes)
        }
        #expect(probe.heard.contains(.fault(1, .bodyTooLarge)))
        #expect(probe.statuses == [1: 413])
        #expect(probe.resets == [1: HTTP2ErrorCode.noError.rawValue])
        // What is still on its way is dropped, and does not break the connection.
        probe.send(RawHTTP2.data(1, [1, 2, 3]).bytes)
        #expect(probe.goAway == nil)
    }

    @Test("a body of exactly the limit is told")
    func bodyAtLimit() throws {
        let probe = try ServerProbe(HTTP2ServerLimits(maximumBodyBytes: 10))
        probe.send(
            RawHTTP2.opening
                + RawHTTP2.headers(1, RawHTTP2.request("POST") + [("content-length", "10")], endsStream: false)
                + RawHTTP2.data(1, [UInt8](repeating: 0, count: 10), endsStream: true).bytes)
        #expect(probe.heard.contains(.end(1)))
    }

    @Test("more streams than allowed are refused before SETTINGS are acknowledged")
    func streams() throws {
        let probe = try ServerProbe(HTTP2ServerLimits(maximumConcurrentStreams: 2))
        probe.send(RawHTTP2.opening)
        for stream: UInt32 in [1, 3, 5] {
            probe.send(RawHTTP2.headers(stream, RawHTTP2.request()))
        }
        #expect(probe.resets == [5: HTTP2ErrorCode.refusedStream.rawValue])
        #expect(probe.engine.openStreams == 2)
    }

    @Test("more streams than allowed end a connection that has acknowledged SETTINGS")
    func streamsAfterAcknowledgement() throws {
        let probe = try ServerProbe(HTTP2ServerLimits(maximumConcurrentStreams: 1))
        probe.send(RawHTTP2.opening + RawHTTP2.settingsAcknowledgement.bytes)
        probe.send(
            RawHTTP2.headers(1, RawHTTP2.request()) + RawHTTP2.headers(3, RawHTTP2.request()))
        let code = probe.resets[3] ?? probe.goAway?.errorCode
        #expect(code != nil)
        #expect(!probe.heard.contains(.end(3)))
    }

    @Test("output is taken no further than its limit, and goes on afterwards")
    func pendingOutput() throws {
        let engine = try HTTP2ServerEngine(
            limits: HTTP2ServerLimits(maximumPendingOutputBytes: 20_000), at: 0)
        let opening =
            RawHTTP2.magic + RawHTTP2.settings([(4, 1 << 20)]).bytes
            + RawHTTP2.windowUpdate(0, 1 << 20).bytes + RawHTTP2.headers(1, RawHTTP2.request())
        try opening.withUnsafeBytes { try engine.receive($0, at: 0) }
        try engine.respond(
            to: 1, status: 200, fields: FieldList(), body: [UInt8](repeating: 7, count: 500_000))
        let queue = ByteQueue()
        var total = 0
        var rounds = 0
        repeat {
            queue.removeAll()
            try engine.takeOutput(into: queue)
            #expect(queue.count <= 20_000 + 16_384 + 9)
            total += queue.count
            rounds += 1
        } while !queue.isEmpty
        #expect(total > 500_000)
        #expect(rounds > 10)
        #expect(engine.openStreams == 0)
    }
}

@Suite("The server engine ends connections that only make work")
struct ServerFloodTests {
    struct Flood: Sendable, CustomStringConvertible {
        let description: String
        /// How many rounds are allowed at once.
        let allowed: Int
        /// The bytes of a round, by its number.
        let round: @Sendable (Int) -> [UInt8]
    }

    static let rate = HTTP2ServerLimits.Rate(burst: 20, perSecond: 10)

    static let limits = HTTP2ServerLimits(
        resets: rate, controlFrames: rate, windowUpdates: .init(burst: 30, perSecond: 10), emptyDataFrames: rate)

    static func stream(_ number: Int) -> UInt32 { UInt32(2 * number + 3) }

    static let floods: [Flood] = [
        Flood(description: "rapid reset", allowed: 20) {
            RawHTTP2.headers(stream($0), RawHTTP2.request()) + RawHTTP2.reset(stream($0)).bytes
        },
        Flood(description: "requests that must be reset", allowed: 20) {
            RawHTTP2.headers(stream($0), RawHTTP2.request() + [("connection", "close")])
        },
        Flood(description: "windows that overflow, which make the server reset", allowed: 20) {
            RawHTTP2.headers(stream($0), RawHTTP2.request("POST"), endsStream: false)
                + RawHTTP2.windowUpdate(stream($0), 0x7FFF_FFFF).bytes
        },
        Flood(description: "pings", allowed: 19) { _ in RawHTTP2.ping().bytes },
        Flood(description: "ping acknowledgements", allowed: 19) { _ in
            RawFrame(.ping, flags: 1, [UInt8](repeating: 0, count: 8)).bytes
        },
        Flood(description: "settings", allowed: 19) { _ in RawHTTP2.settings([]).bytes },
        Flood(description: "priorities", allowed: 19) { _ in
            RawFrame(.priority, stream: 1, [0, 0, 0, 0, 1]).bytes
        },
        Flood(description: "window updates", allowed: 30) { _ in
            RawHTTP2.windowUpdate(0, 1).bytes
        },
        Flood(description: "empty DATA", allowed: 20) {
            ($0 == 0 ? RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false) : [])
                + RawHTTP2.data(1, []).bytes
        },
        Flood(description: "DATA of padding only", allowed: 20) {
            ($0 == 0 ? RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false) : [])
                + RawFrame(.data, flags: RawFrame.padded, stream: 1, [3, 0, 0, 0]).bytes
        },
    ]

    @Test("a flood is stopped with ENHANCE_YOUR_CALM", arguments: floods, [true, false])
    func stopped(flood: Flood, atOnce: Bool) throws {
        let probe = try ServerProbe(Self.limits)
        probe.send(RawHTTP2.opening)
        // The opening's own SETTINGS count as a control frame.
        if atOnce {
            probe.send((0..<(flood.allowed + 2)).flatMap(flood.round))
        } else {
            for number in 0..<flood.allowed { probe.send(flood.round(number)) }
            #expect(probe.failure == nil)
            for number in flood.allowed..<(flood.allowed + 2) { probe.send(flood.round(number)) }
        }
        #expect(probe.failure?.code == .excessiveWork)
        #expect(probe.goAway?.errorCode == HTTP2ErrorCode.enhanceYourCalm.rawValue)
    }

    @Test("the same frames at a quiet pace are served", arguments: floods)
    func tolerated(flood: Flood) throws {
        let probe = try ServerProbe(Self.limits)
        probe.send(RawHTTP2.opening)
        for number in 0..<200 {
            probe.nanoseconds += 200_000_000
            probe.send(flood.round(number))
        }
        #expect(probe.failure == nil)
        #expect(probe.goAway == nil)
    }

    @Test("a long quiet time does not save up more than the burst")
    func burstIsCapped() throws {
        let probe = try ServerProbe(Self.limits)
        probe.send(RawHTTP2.opening)
        probe.nanoseconds = 1_000_000_000_000_000
        for _ in 0..<25 { probe.send(RawHTTP2.ping().bytes) }
        #expect(probe.failure?.code == .excessiveWork)
    }

    @Test("a request that is reset in the same breath is never told")
    func resetInTheSameBreath() throws {
        let probe = try ServerProbe()
        probe.send(
            RawHTTP2.opening + RawHTTP2.headers(1, RawHTTP2.request()) + RawHTTP2.reset(1).bytes)
        #expect(probe.heard.isEmpty)
        #expect(probe.engine.openStreams == 0)
    }

    @Test("the application's own resets are not held against the client")
    func ownResets() throws {
        let probe = try ServerProbe(Self.limits)
        probe.onEnd = { engine, stream in try? engine.reset(stream, .refusedStream) }
        probe.send(RawHTTP2.opening)
        for number in 0..<100 {
            probe.send(RawHTTP2.headers(Self.stream(number), RawHTTP2.request()))
        }
        #expect(probe.resets.count == 100)
        #expect(probe.failure == nil)
    }

    @Test("window updates that answer DATA are free")
    func windowUpdatesForData() throws {
        let probe = try ServerProbe(Self.limits)
        probe.onEnd = answering(200, "body")
        probe.send(RawHTTP2.opening)
        for number in 0..<100 {
            probe.send(RawHTTP2.headers(Self.stream(number), RawHTTP2.request()))
            probe.send(RawHTTP2.windowUpdate(0, 4).bytes)
        }
        #expect(probe.failure == nil)
        #expect(probe.statuses.count == 100)
    }

    @Test("a header block of endless CONTINUATION frames is stopped", arguments: [0, 100])
    func continuations(size: Int) throws {
        let probe = try ServerProbe()
        let block = RawHTTP2.block([("x", String(repeating: "y", count: size))])
        probe.send(
            RawHTTP2.opening
                + RawFrame(.headers, flags: 1, stream: 1, RawHTTP2.block(RawHTTP2.request())).bytes)
        for _ in 0..<8 {
            probe.send(RawFrame(.continuation, stream: 1, size == 0 ? [] : block).bytes)
        }
        #expect(probe.failure == nil)
        probe.send(RawFrame(.continuation, stream: 1, size == 0 ? [] : block).bytes)
        #expect(probe.failure?.code == .excessiveWork)
        #expect(probe.goAway?.errorCode == HTTP2ErrorCode.enhanceYourCalm.rawValue)
        #expect(probe.heard.isEmpty)
    }

    @Test("a header list that compression makes huge is cut at the limit")
    func compressionBomb() throws {
        let probe = try ServerProbe()
        probe.onFault = ServerLimitsTests.refusing()
        // One entry of 4 000 octets goes into the table, then each octet of the block names it again.
        let value = [UInt8](repeating: 0x79, count: 4000)
        let entry: [UInt8] = [0x40, 1, 0x78, 127, 0xA1, 0x1E] + value
        let block =
            RawHTTP2.block(RawHTTP2.request()) + entry + [UInt8](repeating: 0xBE, count: 8000)
        probe.send(RawHTTP2.opening + RawFrame(.headers, flags: 5, stream: 1, block).bytes)
        #expect(probe.heard.first == .begin(1))
        #expect(probe.heard.contains(.fault(1, .headerListTooLarge)))
        #expect(probe.statuses == [1: 431])
    }
}
