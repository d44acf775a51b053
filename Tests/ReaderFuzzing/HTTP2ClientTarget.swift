import RawHTTP
import ReveilleBytes
import ReveilleHTTP2

extension FuzzTarget {
    /// The client's side of HTTP/2.
    ///
    /// The input is a ``FrameScript`` of what a server sends to a client with four streams.
    static let http2Client = FuzzTarget(
        name: "http2-client", seeds: HTTP2ClientProperties.seeds, words: FrameScript.words,
        check: HTTP2ClientProperties.check)
}

/// What must hold for every sequence of frames that a server may send.
enum HTTP2ClientProperties {
    static let seeds: [[UInt8]] = {
        let hello = FrameScript.record(RawHTTP2.settings([])) + FrameScript.record(RawHTTP2.settingsAcknowledgement)
        let bodies = [
            hello + FrameScript.response(1, status: 200) + FrameScript.response(3, status: 410, ends: false)
                + FrameScript.record(RawHTTP2.data(3, [UInt8](#"{"reason":"Unregistered"}"#.utf8), endsStream: true)),
            FrameScript.record(RawHTTP2.settings([(3, 1)])) + FrameScript.response(1, status: 100, ends: false)
                + FrameScript.response(1, status: 200),
            hello + FrameScript.record(RawFrame(.goAway, [0, 0, 0, 3, 0, 0, 0, 0, 65]))
                + FrameScript.response(1, status: 200),
            hello + FrameScript.record(RawHTTP2.reset(1, 7)) + FrameScript.record(RawHTTP2.reset(3, 2)),
            hello + FrameScript.record(RawHTTP2.ping()) + FrameScript.record(RawHTTP2.windowUpdate(0, 9)),
            hello + FrameScript.response(1, status: 200, ends: false) + [12, 0, 1, 64] + [12, 1, 1, 1],
            hello + FrameScript.record(RawFrame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2, 0x82])),
            hello + FrameScript.record(RawHTTP2.settings([(4, 0)]))
                + FrameScript.record(RawHTTP2.settings([(1, 0), (3, 2)])),
            hello
                + FrameScript.record(
                    RawFrame(
                        .headers, flags: 5, stream: 1,
                        [0x88] + RawHTTP2.block([("apns-id", "A"), ("retry-after", "5"), ("x", "y")]))),
        ]
        let modes: [UInt8] = [0x31, 0x33, 0x35, 0x3B]
        let raw = bodies.compactMap { FrameScript([0x31] + $0)?.wire }
        return bodies.flatMap { body in modes.map { [$0] + body } } + raw.map { [0x32] + $0 }
    }()

    @Sendable static func check(_ bytes: [UInt8]) throws(BrokenProperty) -> FuzzTarget.Verdict {
        guard let script = FrameScript(bytes) else { return .incomplete }
        let whole = try run(script, at: [])
        for places in Splits.places(in: script.wire) {
            let split = try run(script, at: places)
            guard !script.acts, !script.isContinuationFlood else { continue }
            try demand(
                split.end == whole.end,
                "a session ends for the same reason, however split: \(split.end) or \(whole.end)")
            for (id, end) in whole.ends {
                let other = split.ends[id]
                try demand(
                    (end.end == .unprocessed) == (other?.end == .unprocessed),
                    "what is known to be unprocessed is so, however split: stream \(id)")
                guard end.end == .answered, other?.end == .answered else { continue }
                try demand(other == end, "stream \(id) is answered the same, however split")
            }
        }
        if let failure = whole.failure { return .refused(failure.rawValue) }
        if whole.ends.values.contains(where: { $0.wasReset }) { return .refused("reset") }
        return whole.answered > 0 ? .accepted : .incomplete
    }

    private static func run(
        _ script: FrameScript, at places: [Int]
    ) throws(BrokenProperty) -> HTTP2ClientWitness {
        var limits = HTTP2ClientLimits()
        limits.maximumStreams = 8
        if script.hasSmallLimits {
            limits.streamsBeforeSettings = 4
            limits.streamWindowBytes = 512
            limits.maximumHeaderListBytes = 128
            limits.keptBodyBytes = 16
            limits.maximumBodyBytes = 300
            limits.maximumDebugBytes = 2
        }
        let witness: HTTP2ClientWitness
        do throws(HTTP2Error) {
            witness = try HTTP2ClientWitness(limits, opensMore: script.acts, cancels: script.actsEarly)
        } catch {
            throw BrokenProperty("a session can be made")
        }
        for piece in Splits.pieces(of: script.wire, at: places) { try witness.receive(piece) }
        try witness.close()
        return witness
    }
}

/// Owns a client engine, and checks what it says of its streams.
final class HTTP2ClientWitness {
    /// How a stream ended, as its owner sees it.
    struct End: Equatable {
        var end: HTTP2StreamEnd
        var status: Int
        var body: [UInt8]

        var wasReset: Bool {
            if case .reset = end { true } else { false }
        }
    }

    private(set) var failure: HTTP2Error.Code?
    /// Why the session ended, or that it goes on.
    var end: String { failure?.rawValue ?? "-" }
    private(set) var ends: [Int32: End] = [:]
    private(set) var answered = 0

    private let engine: HTTP2ClientEngine
    private let opensMore: Bool
    private let cancels: Bool
    private let output = ByteQueue()
    private var submitted: [HTTP2ClientStream] = []
    private var count = 0
    private static let body: StaticString = #"{"aps":{}}"#

    init(_ limits: HTTP2ClientLimits, opensMore: Bool, cancels: Bool) throws(HTTP2Error) {
        engine = try HTTP2ClientEngine(limits: limits, watchedFields: ["apns-id", "retry-after"])
        self.opensMore = opensMore
        self.cancels = cancels
        for _ in 0..<4 { submit() }
        flush()
    }

    private func submit() {
        guard let stream = engine.takeStream() else { return }
        stream.add(":method", "POST")
        stream.add(":scheme", "https")
        stream.add(":authority", "push.example")
        stream.add(":path", "/3/device/00")
        let body = Self.body
        stream.setBody(UnsafeRawBufferPointer(start: body.utf8Start, count: body.utf8CodeUnitCount))
        engine.submit(stream)
        submitted.append(stream)
        count += 1
    }

    /// Gives the engine bytes, and takes what it says.
    func receive(_ piece: ArraySlice<UInt8>) throws(BrokenProperty) {
        guard failure == nil, !piece.isEmpty else { return }
        let result = piece.withUnsafeBytes { buffer in
            Result { () throws(HTTP2Error) in try engine.receive(buffer) }
        }
        if case .failure(let error) = result {
            failure = error.code
            try demand(!engine.takesStreams, "a session that failed takes no streams")
        }
        try takeEnded()
        if opensMore, cancels, let stream = submitted.first { engine.cancel(stream) }
        if opensMore { submit() }
        flush()
        try takeEnded()
        _ = engine.takeNotices()
        try checkCounts()
    }

    /// The connection ends: every stream ends once.
    func close() throws(BrokenProperty) {
        engine.connectionDidEnd()
        try takeEnded()
        try demand(ends.count == count && engine.openStreams == 0, "every stream ends, and once")
        try demand(engine.takeStream() == nil, "a connection that ended takes no streams")
    }

    private func flush() {
        repeat {
            output.removeAll()
            do throws(HTTP2Error) {
                try engine.takeOutput(into: output)
            } catch {
                failure = failure ?? error.code
            }
        } while !output.isEmpty
    }

    private func takeEnded() throws(BrokenProperty) {
        while let stream = engine.takeEndedStream() {
            let end = End(end: stream.end, status: stream.status, body: stream.withBody { [UInt8]($0) })
            try demand(ends.updateValue(end, forKey: stream.id) == nil, "stream \(stream.id) ends once")
            try demand(end.body.count <= engine.limits.keptBodyBytes, "what is kept of a body keeps its limit")
            if end.end == .answered {
                answered += 1
                try demand((200..<1000).contains(end.status), "an answer has a final status: \(end.status)")
            }
            for position in 0..<2 {
                let length = stream.withWatchedField(position) { $0?.count ?? 0 }
                try demand(length <= HTTP2ClientStream.maximumWatchedBytes, "a watched field keeps its limit")
            }
            submitted.removeAll { $0 === stream }
            engine.giveBack(stream)
        }
    }

    private func checkCounts() throws(BrokenProperty) {
        try demand(engine.openStreams == submitted.count, "open streams are those that have not ended")
        try demand((0...8).contains(engine.availableStreams), "no more streams than there are rooms")
        try demand(engine.openStreams <= engine.limits.maximumStreams, "open streams keep their limit")
        let debug = engine.goAway?.debugData.count ?? 0
        try demand(debug <= engine.limits.maximumDebugBytes, "what is kept of a GOAWAY keeps its limit")
        if engine.goAway != nil { try demand(engine.availableStreams == 0, "no streams after GOAWAY") }
    }
}
