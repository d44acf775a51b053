import RawHTTP

/// An input of an HTTP/2 target: how the other side behaves, and the frames it gets.
///
/// The first byte is the mode. With ``isScript`` the rest is a list of records, so that a change of one byte leaves the
/// frames around it whole: kind, flags, stream, number of payload bytes, payload. Otherwise it is the wire itself.
struct FrameScript {
    /// The rest is records.
    let isScript: Bool
    /// The engine's owner acts on what it hears: answers, opens streams.
    let acts: Bool
    /// The engine has small limits.
    let hasSmallLimits: Bool
    /// The engine's owner acts early: answers before the end, gives streams up.
    let actsEarly: Bool
    /// The frames, as bytes.
    let wire: [UInt8]

    /// The most CONTINUATION frames for which the engines promise the same however they are split.
    private static let fewContinuations = 8

    /// Whether there are so many CONTINUATION frames that the library's own limit, which counts pieces, may act.
    var isContinuationFlood: Bool {
        var rest = wire
        return RawHTTP2.takeFrames(from: &rest).count { $0.kind == .continuation } > Self.fewContinuations
    }

    /// Kinds of records after the ten frame types of RFC 9113.
    private enum Special {
        static let unknown = 10
        static let request = 11
        static let longData = 12
        static let response = 13
        static let count = 14
    }

    init?(_ input: [UInt8]) {
        guard let mode = input.first else { return nil }
        isScript = mode & 1 != 0
        acts = mode & 2 != 0
        hasSmallLimits = mode & 4 != 0
        actsEarly = mode & 8 != 0
        wire = isScript ? Self.frames(input.dropFirst()) : [UInt8](input.dropFirst())
    }

    private static func frames(_ records: ArraySlice<UInt8>) -> [UInt8] {
        var rest = records
        var wire: [UInt8] = []
        while rest.count >= 4 {
            let kind = Int(rest.removeFirst()) % Special.count
            let flags = rest.removeFirst()
            let stream = UInt32(rest.removeFirst())
            let count = Int(rest.removeFirst())
            let ends = flags & RawFrame.endStream != 0
            switch kind {
            case Special.request:
                wire += RawHTTP2.headers(stream, RawHTTP2.request(ends ? "GET" : "POST"), endsStream: ends)
            case Special.response:
                wire += RawHTTP2.headers(stream, [(":status", String(100 + count * 2))], endsStream: ends)
            case Special.longData:
                let zeros = [UInt8](repeating: 0, count: min(count * 256, 16_384))
                wire += RawHTTP2.data(stream, zeros, endsStream: ends).bytes
            default:
                let payload = [UInt8](rest.prefix(count))
                rest = rest.dropFirst(payload.count)
                let type = RawFrame.Kind(rawValue: UInt8(kind)) ?? .unknown
                wire += RawFrame(type, flags: flags, stream: stream, payload).bytes
            }
        }
        return wire
    }

    /// The record of a frame.
    static func record(_ frame: RawFrame) -> [UInt8] {
        let payload = frame.payload.prefix(255)
        return [
            min(frame.kind.rawValue, UInt8(Special.unknown)), frame.flags, UInt8(frame.stream), UInt8(payload.count),
        ]
            + payload
    }

    /// The record of a whole request: GET with `ends`, POST without.
    static func request(_ stream: UInt8, ends: Bool = true) -> [UInt8] {
        [UInt8(Special.request), ends ? RawFrame.endStream : 0, stream, 0]
    }

    /// The record of a response head.
    static func response(_ stream: UInt8, status: Int, ends: Bool = true) -> [UInt8] {
        [UInt8(Special.response), ends ? RawFrame.endStream : 0, stream, UInt8((status - 100) / 2)]
    }

    /// Pieces of frames and records that mean something to either engine.
    static let words: [[UInt8]] =
        [
            request(1), request(3), request(5, ends: false), response(1, status: 200),
            response(3, status: 100, ends: false),
        ]
        + [
            RawHTTP2.settings([(1, 0)]), RawHTTP2.settings([(3, 0)]), RawHTTP2.settings([(4, 1)]),
            RawHTTP2.settings([(5, 0xFF_FFFF)]), RawHTTP2.settingsAcknowledgement, RawHTTP2.ping(), RawHTTP2.reset(1),
            RawHTTP2.windowUpdate(0, 1), RawHTTP2.windowUpdate(1, 0x7FFF_FFFF),
            RawHTTP2.data(1, [65], endsStream: true),
            RawFrame(.goAway, [0, 0, 0, 1, 0, 0, 0, 0]), RawFrame(.priority, stream: 1, [0, 0, 0, 3, 7]),
            RawFrame(.continuation, flags: RawFrame.endHeaders, stream: 1),
        ].flatMap { [record($0), $0.bytes] } + [
            [0x82], [0x86], [0x84], [0x41, 0x01, 0x61], [0x3F, 0xE1, 0x1F], [0x20], [0xBE],
            [0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
            [0x00, 0x0E] + [UInt8]("content-length".utf8) + [0x01, 0x35],
            [0x00, 0x04] + [UInt8]("host".utf8) + [0x01, 0x61],
            [0x00, 0x02] + [UInt8]("te".utf8) + [0x08] + [UInt8]("trailers".utf8),
        ]
}
