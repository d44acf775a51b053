import RawHTTP
import ReveilleBytes
import ReveilleHTTP2

/// Owns a server engine, and checks the order of what it says to its delegate and to the client.
final class HTTP2ServerWitness: HTTP2ServerDelegate {
    /// What a delegate hears of a stream, in order.
    enum Stage {
        case begun
        case headed
        case ended
        case faulted
        case closed
    }

    /// What was heard of one stream.
    struct Story: Equatable {
        var stage = Stage.begun
        var method = ""
        var path = ""
        var authority = ""
        var fields = FieldList()
        var body: [UInt8] = []
        var isComplete = false
        /// The stream met a limit, or was reset: what was heard before depends on what came together.
        var isDisturbed = false

        var isUndisturbed: Bool { isComplete && !isDisturbed }

        static func == (left: Story, right: Story) -> Bool {
            left.method == right.method && left.path == right.path && left.authority == right.authority
                && left.fields == right.fields && left.body == right.body
        }
    }

    let engine: HTTP2ServerEngine
    private(set) var stories: [Int32: Story] = [:]
    private(set) var broken: BrokenProperty?
    private(set) var failure: HTTP2Error.Code?
    /// Why the session ended, or that it goes on.
    var end: String {
        failure?.rawValue ?? engine.goAwaySent.map { "GOAWAY \($0.rawValue)" } ?? "goes on"
    }
    /// Whether the session ended, for whatever reason.
    var hasEnded: Bool { failure != nil || engine.goAwaySent != nil }
    private(set) var sentBytes = 0

    private let answers: Bool
    private let answersEarly: Bool
    private let output = ByteQueue()
    private var unparsed: [UInt8] = []
    private var newest: Int32 = 0
    private var isOver = false
    private var clientSide = SentFrames()

    init(_ limits: HTTP2ServerLimits, answers: Bool, answersEarly: Bool) throws(HTTP2Error) {
        engine = try HTTP2ServerEngine(limits: limits, at: 0)
        self.answers = answers
        self.answersEarly = answersEarly
        engine.delegate = self
    }

    /// Gives the engine bytes and takes what it answers.
    func send(_ piece: ArraySlice<UInt8>) {
        guard failure == nil, !piece.isEmpty else { return }
        let result = piece.withUnsafeBytes { buffer in
            Result { () throws(HTTP2Error) in try engine.receive(buffer, at: 0) }
        }
        if case .failure(let error) = result { failure = error.code }
        flush()
    }

    /// Once a session has failed, it hears nothing more.
    func sendAfterFailure() {
        guard failure != nil else { return }
        isOver = true
        let more = RawHTTP2.headers(2_000_001, RawHTTP2.request())
        let result = more.withUnsafeBytes { buffer in
            Result { () throws(HTTP2Error) in try engine.receive(buffer, at: 0) }
        }
        if case .success = result { note("a session that failed fails again") }
    }

    private func flush() {
        repeat {
            output.removeAll()
            do throws(HTTP2Error) {
                try engine.takeOutput(into: output)
            } catch {
                failure = failure ?? error.code
            }
            sentBytes += output.count
            output.withReadableBytes { unparsed.append(contentsOf: $0) }
            for frame in RawHTTP2.takeFrames(from: &unparsed) {
                if let fault = clientSide.fault(in: frame) { note(fault) }
            }
            if !unparsed.isEmpty { note("whole frames are sent") }
        } while !output.isEmpty
    }

    private func note(_ what: String) { broken = broken ?? BrokenProperty(what) }

    private func answer(_ stream: Int32, _ status: Int) {
        var fields = FieldList()
        fields.append("content-type", "text/plain")
        try? engine.respond(to: stream, status: status, fields: fields, body: [UInt8]("hello".utf8))
    }

    // MARK: The delegate

    func streamDidBegin(_ stream: Int32) {
        if stream <= newest || stream & 1 == 0 { note("streams begin in order, with odd numbers") }
        newest = max(newest, stream)
        if isOver { note("nothing is heard after the end") }
        stories[stream] = Story()
    }

    func stream(_ stream: Int32, didReceive head: HTTP2RequestHead) {
        change(stream, "a head follows the beginning", from: [.begun]) { story in
            story.stage = .headed
            story.method = head.method
            story.path = head.path
            story.authority = head.authority
            story.fields = head.fields
        }
        if head.fields.count > engine.limits.maximumFields { note("the number of fields keeps its limit") }
        if head.fields.listSize > engine.limits.maximumHeaderListBytes { note("the header list keeps its limit") }
        if head.method.isEmpty { note("a request has a method") }
        if answers, answersEarly { answer(stream, 200) }
    }

    func stream(_ stream: Int32, didReceiveBody bytes: UnsafeRawBufferPointer) {
        change(stream, "a body follows the head", from: [.headed]) { $0.body.append(contentsOf: bytes) }
        if (stories[stream]?.body.count ?? 0) > engine.limits.maximumBodyBytes { note("the body keeps its limit") }
        if bytes.isEmpty { note("a piece of a body is not empty") }
    }

    func streamDidEnd(_ stream: Int32) {
        change(stream, "an end follows the head", from: [.headed]) { story in
            story.stage = .ended
            story.isComplete = true
        }
        if answers { answer(stream, 200) }
    }

    func stream(_ stream: Int32, didBreak limit: HTTP2RequestFault) {
        change(stream, "a fault comes once, before the end", from: [.begun, .headed]) { story in
            story.stage = .faulted
            story.isDisturbed = true
        }
        if answers { answer(stream, limit.status) }
    }

    func stream(_ stream: Int32, didClose code: HTTP2ErrorCode) {
        change(stream, "a stream closes once", from: [.begun, .headed, .ended, .faulted]) { story in
            story.stage = .closed
            if code != .noError { story.isDisturbed = true }
        }
    }

    private func change(
        _ stream: Int32, _ rule: String, from stages: Set<Stage>, _ body: (inout Story) -> Void
    ) {
        guard var story = stories[stream], stages.contains(story.stage) else { return note(rule) }
        body(&story)
        stories[stream] = story
    }
}

/// What a server has sent on each stream, to find what it must not send (RFC 9113 section 5.1).
private struct SentFrames {
    private var headed: Set<UInt32> = []
    private var over: Set<UInt32> = []
    private var resets: Set<UInt32> = []

    mutating func fault(in frame: RawFrame) -> String? {
        let ends = frame.flags & RawFrame.endStream != 0
        switch frame.kind {
        case .headers:
            guard frame.stream & 1 == 1, !over.contains(frame.stream) else { return "no answer after the end" }
            headed.insert(frame.stream)
            if ends { over.insert(frame.stream) }
        case .data:
            guard headed.contains(frame.stream), !over.contains(frame.stream) else { return "no body after the end" }
            if ends { over.insert(frame.stream) }
        case .resetStream:
            guard resets.insert(frame.stream).inserted else { return "a stream is reset once" }
            over.insert(frame.stream)
        case .pushPromise, .priority: return "a server never pushes"
        case .settings, .ping, .goAway, .windowUpdate, .continuation, .unknown: break
        }
        return nil
    }
}
