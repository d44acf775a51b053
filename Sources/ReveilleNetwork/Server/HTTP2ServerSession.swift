import ReveilleHTTP2
import ReveilleRuntime

/// The HTTP/2 side of a connection: the engine, and the requests that arrive, are served or wait to be read by the client.
///
/// As the engine's delegate it only takes notes; the connection acts on them when the engine has returned.
final class HTTP2ServerSession: HTTP2ServerDelegate {
    /// Where a request stands.
    enum Phase {
        case receiving
        case handling
        case answered
    }

    /// One request.
    struct Stream {
        var phase = Phase.receiving
        var head: HTTP2RequestHead?
        var body: [UInt8] = []
        /// What of the body counts towards the limit: nothing once it is complete.
        var countedBytes = 0
        /// When this phase has lasted too long; none while a handler works.
        var deadline: MonotonicInstant?
        var isHead = false
        /// The body of the answer, while the client has not taken all of it.
        var answerBytes = 0
    }

    /// What the connection has to act on.
    enum Note {
        /// The header is complete, the body perhaps not.
        case head(Int32)
        case request(Int32)
        case fault(Int32, HTTP2RequestFault)
        /// The bodies that are not complete are more than the limit.
        case bufferFull(Int32)
    }

    let engine: HTTP2ServerEngine
    private let maximumBufferedBytes: Int
    private let phaseTime: Duration
    private(set) var streams: [Int32: Stream] = [:]
    private(set) var notes: [Note] = []
    private(set) var bufferedBytes = 0
    /// The answers of streams that are open.
    private(set) var unreadAnswerBytes = 0
    private let unreadInAll: Locked<Int>
    /// Why the connection cannot go on; what waits to be written is still written.
    var failure: HTTP2Error?
    /// Whether a request has come: then the connection may be idle for a while.
    var hasServed = false
    /// Whether notes are acted on, after which everything is written together.
    var isActing = false
    /// The instant of the turn, for deadlines.
    var now: MonotonicInstant

    init(
        limits: HTTPServerLimits, unreadInAll: Locked<Int>, now: MonotonicInstant
    ) throws(HTTP2Error) {
        self.now = now
        self.unreadInAll = unreadInAll
        maximumBufferedBytes = limits.maximumBufferedBytes
        phaseTime = limits.bodyTimeout
        engine = try HTTP2ServerEngine(limits: limits.http2, at: now.nanoseconds)
        engine.delegate = self
    }

    deinit {
        let bytes = unreadAnswerBytes
        if bytes > 0 { unreadInAll.withLock { $0 -= bytes } }
    }

    /// Hands out the notes, once.
    func takeNotes() -> [Note] {
        defer { notes.removeAll(keepingCapacity: true) }
        return notes
    }

    /// The streams that have been in their phase too long.
    func overdue(at now: MonotonicInstant) -> [(id: Int32, phase: Phase)] {
        streams.compactMap { id, stream in
            guard let deadline = stream.deadline, deadline <= now else { return nil }
            return (id, stream.phase)
        }
    }

    /// The earliest deadline of a stream.
    var earliestDeadline: MonotonicInstant? { streams.values.lazy.compactMap(\.deadline).min() }

    /// Whether a request's body may still come and nothing has answered it.
    func isReceiving(_ id: Int32) -> Bool {
        if case .receiving = streams[id]?.phase { true } else { false }
    }

    /// Takes a complete request to a handler; nil when it has been answered, or is over.
    func takeRequest(_ id: Int32) -> (head: HTTP2RequestHead, body: [UInt8])? {
        guard case .receiving = streams[id]?.phase, var stream = streams.removeValue(forKey: id),
            let head = stream.head
        else { return nil }
        let body = stream.body
        stream.head = nil
        stream.body = []
        stream.phase = .handling
        stream.deadline = nil
        stream.isHead = head.method == "HEAD"
        streams[id] = stream
        return (head, body)
    }

    /// Notes that the answer is with the engine; false when the stream is over.
    func noteAnswered(_ id: Int32, bytes: Int) -> Bool {
        guard var stream = streams.removeValue(forKey: id) else { return false }
        bufferedBytes -= stream.countedBytes
        stream.countedBytes = 0
        stream.body = []
        stream.phase = .answered
        stream.deadline = now + phaseTime
        stream.answerBytes = bytes
        streams[id] = stream
        countUnread(bytes)
        return true
    }

    private func countUnread(_ bytes: Int) {
        guard bytes != 0 else { return }
        unreadAnswerBytes += bytes
        unreadInAll.withLock { $0 += bytes }
    }

    func streamDidBegin(_ stream: Int32) {
        streams[stream] = Stream(deadline: now + phaseTime)
    }

    func stream(_ stream: Int32, didReceive head: HTTP2RequestHead) {
        streams[stream]?.head = head
        notes.append(.head(stream))
    }

    func stream(_ stream: Int32, didReceiveBody bytes: UnsafeRawBufferPointer) {
        guard case .receiving = streams[stream]?.phase else { return }
        guard bufferedBytes + bytes.count <= maximumBufferedBytes else {
            notes.append(.bufferFull(stream))
            return
        }
        bufferedBytes += bytes.count
        streams[stream]?.countedBytes += bytes.count
        streams[stream]?.body.append(contentsOf: bytes)
    }

    func streamDidEnd(_ stream: Int32) {
        guard case .receiving = streams[stream]?.phase else { return }
        bufferedBytes -= streams[stream]?.countedBytes ?? 0
        streams[stream]?.countedBytes = 0
        notes.append(.request(stream))
    }

    func stream(_ stream: Int32, didBreak limit: HTTP2RequestFault) {
        notes.append(.fault(stream, limit))
    }

    func stream(_ stream: Int32, didClose code: HTTP2ErrorCode) {
        guard let stream = streams.removeValue(forKey: stream) else { return }
        bufferedBytes -= stream.countedBytes
        countUnread(-stream.answerBytes)
    }
}
