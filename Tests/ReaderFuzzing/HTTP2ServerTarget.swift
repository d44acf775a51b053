import RawHTTP
import ReveilleBytes
import ReveilleHTTP2

extension FuzzTarget {
    /// The server's side of HTTP/2.
    ///
    /// The input is a ``FrameScript`` of what a client sends after its preface and SETTINGS.
    static let http2Server = FuzzTarget(
        name: "http2-server", seeds: HTTP2ServerProperties.seeds, words: FrameScript.words,
        check: HTTP2ServerProperties.check)
}

/// What must hold for every sequence of frames that a client may send.
enum HTTP2ServerProperties {
    /// Limits so small that inputs of a few frames reach them.
    private static let smallLimits = HTTP2ServerLimits(
        maximumConcurrentStreams: 3, maximumHeaderListBytes: 256, maximumFields: 3, maximumBodyBytes: 40,
        streamWindowBytes: 64, connectionWindowBytes: 65_535, maximumContinuations: 2,
        resets: .init(burst: 4, perSecond: 1), controlFrames: .init(burst: 6, perSecond: 1),
        windowUpdates: .init(burst: 6, perSecond: 1), emptyDataFrames: .init(burst: 3, perSecond: 1))

    static let seeds: [[UInt8]] = {
        let get = FrameScript.request(1)
        let post = FrameScript.request(1, ends: false)
        let block = RawHTTP2.block(RawHTTP2.request())
        let bodies = [
            get + FrameScript.request(3),
            post + FrameScript.record(RawHTTP2.data(1, [UInt8]("{}".utf8), endsStream: true)),
            post
                + FrameScript.record(
                    RawFrame(.data, flags: RawFrame.padded | RawFrame.endStream, stream: 1, [1, 65, 0])),
            post + FrameScript.record(RawHTTP2.data(1, [], endsStream: false)) + FrameScript.record(RawHTTP2.reset(1)),
            FrameScript.record(RawFrame(.headers, flags: 1, stream: 1, [UInt8](block.prefix(9))))
                + FrameScript.record(RawFrame(.continuation, flags: 4, stream: 1, [UInt8](block.dropFirst(9)))),
            FrameScript.record(RawHTTP2.settings([(3, 9), (4, 3)])) + get
                + FrameScript.record(RawHTTP2.windowUpdate(1, 9)),
            FrameScript.record(RawHTTP2.ping()) + FrameScript.record(RawFrame(.goAway, [0, 0, 0, 0, 0, 0, 0, 0])) + get,
            post
                + FrameScript.record(RawFrame(.headers, flags: 5, stream: 1, RawHTTP2.block([("x-trailer", "y")]))),
            FrameScript.record(RawFrame(.unknown, [1, 2]))
                + FrameScript.record(RawFrame(.priority, stream: 3, [0, 0, 0, 1, 9]))
                + get,
            post + [12, 0, 1, 1],
        ]
        let modes: [UInt8] = [0x31, 0x33, 0x37, 0x3B]
        let raw = bodies.compactMap { FrameScript([0x31] + $0)?.wire }
        return bodies.flatMap { body in modes.map { [$0] + body } } + raw.map { [0x32] + $0 }
    }()

    @Sendable static func check(_ bytes: [UInt8]) throws(BrokenProperty) -> FuzzTarget.Verdict {
        guard let script = FrameScript(bytes) else { return .incomplete }
        let limits = script.hasSmallLimits ? smallLimits : HTTP2ServerLimits()
        let whole = try run(script, limits, at: [])
        for places in Splits.places(in: script.wire) {
            let split = try run(script, limits, at: places)
            // Once the client has said GOAWAY, a session is over as soon as no stream is open, whatever follows.
            guard !script.acts, whole.engine.goAwayReceived == nil else { continue }
            // Which of two faults is named depends on whether the reset that the first one caused had left before the second.
            try demand(
                split.hasEnded == whole.hasEnded,
                "a session ends or goes on, however split: \(split.end) or \(whole.end)")
            for (id, story) in whole.stories where story.isUndisturbed {
                guard let other = split.stories[id], other.isUndisturbed else { continue }
                try demand(other == story, "stream \(id) says the same, however split")
            }
        }
        if let failure = whole.failure { return .refused(failure.rawValue) }
        if let code = whole.engine.goAwaySent { return .refused("goaway_\(code.rawValue)") }
        return whole.stories.values.contains { $0.stage == .ended || $0.stage == .closed } ? .accepted : .incomplete
    }

    private static func run(
        _ script: FrameScript, _ limits: HTTP2ServerLimits, at places: [Int]
    ) throws(BrokenProperty) -> HTTP2ServerWitness {
        let witness: HTTP2ServerWitness
        do throws(HTTP2Error) {
            witness = try HTTP2ServerWitness(limits, answers: script.acts, answersEarly: script.actsEarly)
        } catch {
            throw BrokenProperty("a session can be made")
        }
        witness.send(RawHTTP2.opening[...])
        for piece in Splits.pieces(of: script.wire, at: places) { witness.send(piece) }
        witness.sendAfterFailure()
        if let broken = witness.broken { throw broken }
        // Each frame of a client, of nine bytes at least, causes a small answer at most.
        let bound = 2048 + 32 * script.wire.count
        try demand(witness.sentBytes <= bound, "what is sent is in proportion: \(witness.sentBytes)")
        try demand(witness.engine.openStreams <= limits.maximumConcurrentStreams + 1, "open streams keep their limit")
        return witness
    }
}
