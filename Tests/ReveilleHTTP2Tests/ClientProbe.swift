import RawHTTP
import ReveilleBytes
import ReveilleHTTP2

/// A client engine with a raw server in front of it.
final class ClientProbe {
    /// A stream that ended, as its owner sees it.
    struct Ended: Hashable {
        var id: Int32
        var end: HTTP2StreamEnd
        var status = 0
        var body = ""
        var progress = HTTP2RequestProgress.completely
    }

    let engine: HTTP2ClientEngine
    private var log = FrameLog(expectsPreface: true)
    private var inputFailure: HTTP2Error?
    private(set) var notices: HTTP2ClientNotices = []
    /// Values of the watched fields of ended streams, by stream.
    private(set) var watched: [Int32: [String?]] = [:]
    /// Fields and bodies, which the engine does not copy.
    private var texts: [UnsafeMutableBufferPointer<UInt8>] = []

    /// What the client sent since the last `forget`.
    var sent: [RawFrame] { log.frames }
    var preface: [UInt8] { log.preface }
    var failure: HTTP2Error? { inputFailure ?? log.failure }

    init(
        _ limits: HTTP2ClientLimits = HTTP2ClientLimits(), watched: [StaticString] = [],
        firstStream: Int32 = 1, isOpened: Bool = true
    ) throws {
        engine = try HTTP2ClientEngine(
            limits: limits, watchedFields: watched, firstStream: firstStream)
        if isOpened {
            flush()
            receive(RawHTTP2.settings([]).bytes + RawHTTP2.settingsAcknowledgement.bytes)
            forget()
        }
    }

    deinit {
        for text in texts { text.deallocate() }
    }

    /// Submits a request; nil when no stream may be opened.
    @discardableResult
    func request(
        _ fields: [(StaticString, String, HTTP2FieldCompression)] = [], body: String = "{}",
        isFlushed: Bool = true
    ) throws -> HTTP2ClientStream? {
        guard let stream = engine.takeStream() else { return nil }
        stream.add(":method", "POST")
        stream.add(":scheme", "https")
        stream.add(":authority", "push.example")
        let path = keep("/3/device/\(String(repeating: "ab", count: 32))")
        stream.add(":path", path, count: 74, .neverIndexed)
        for (name, value, compression) in fields {
            stream.add(name, keep(value), count: value.utf8.count, compression)
        }
        if !body.isEmpty {
            stream.setBody(UnsafeRawBufferPointer(start: keep(body), count: body.utf8.count))
        }
        engine.submit(stream)
        if isFlushed { flush() }
        return stream
    }

    private func keep(_ text: String) -> UnsafePointer<UInt8> {
        let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(text.utf8.count, 1))
        _ = kept.initialize(from: text.utf8)
        texts.append(kept)
        return UnsafePointer(kept.baseAddress ?? .allocate(capacity: 1))
    }

    /// Lets the server send bytes, and collects what the client answers.
    func receive(_ bytes: [UInt8], inPiecesOf size: Int = .max) {
        bytes.forEachPiece(of: size) { piece in
            guard failure == nil else { return false }
            do throws(HTTP2Error) {
                try engine.receiveBytes(piece)
            } catch {
                inputFailure = error
            }
            flush()
            return true
        }
    }

    func flush() {
        log.drain { queue throws(HTTP2Error) in try engine.takeOutput(into: queue) }
        notices.formUnion(engine.takeNotices())
    }

    func forget() {
        log.frames = []
        notices = []
    }

    /// Takes out everything that ended, in order, and gives the rooms back.
    func ended() -> [Ended] {
        var all: [Ended] = []
        while let stream = engine.takeEndedStream() {
            watched[stream.id] = (0..<4).map { position in
                stream.withWatchedField(position) { $0.map { String(decoding: $0, as: UTF8.self) } }
            }
            all.append(
                Ended(
                    id: stream.id, end: stream.end, status: stream.status,
                    body: stream.withBody { String(decoding: $0, as: UTF8.self) },
                    progress: stream.progress))
            engine.giveBack(stream)
        }
        return all
    }

    func frames(_ kind: RawFrame.Kind) -> [RawFrame] { sent.filter { $0.kind == kind } }

    /// The streams that were opened since the last `forget`.
    var opened: [UInt32] { frames(.headers).map(\.stream) }
}

extension HTTP2ClientEngine {
    func receiveBytes(_ bytes: [UInt8]) throws(HTTP2Error) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(HTTP2Error) in try receive(buffer) }
        }
        try result.get()
    }
}
