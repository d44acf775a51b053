import RawHTTP
import ReveilleBytes
import ReveilleHTTP2

/// A server engine with a raw client in front of it and a delegate that remembers what it heard.
final class ServerProbe: HTTP2ServerDelegate {
    enum Heard: Equatable {
        case begin(Int32)
        case head(Int32, String, String)
        case body(Int32, [UInt8])
        case end(Int32)
        case fault(Int32, HTTP2RequestFault)
        case close(Int32, UInt32)
    }

    let engine: HTTP2ServerEngine
    private(set) var heard: [Heard] = []
    private(set) var heads: [Int32: HTTP2RequestHead] = [:]
    private var log = FrameLog(expectsPreface: false)
    private var inputFailure: HTTP2Error?
    /// What to do with a complete request; nothing by default.
    var onEnd: (HTTP2ServerEngine, Int32) -> Void = { _, _ in }
    var onFault: (HTTP2ServerEngine, Int32, HTTP2RequestFault) -> Void = { _, _, _ in }
    var nanoseconds: Int64 = 0

    /// What the server sent.
    var sent: [RawFrame] { log.frames }
    var failure: HTTP2Error? { inputFailure ?? log.failure }

    init(_ limits: HTTP2ServerLimits = HTTP2ServerLimits()) throws {
        engine = try HTTP2ServerEngine(limits: limits, at: 0)
        engine.delegate = self
    }

    /// Sends bytes in pieces of a size, all at once by default, and collects what the server sends.
    func send(_ bytes: [UInt8], inPiecesOf size: Int = .max) {
        bytes.forEachPiece(of: size) { piece in
            guard failure == nil else { return false }
            do {
                try piece.withUnsafeBytes { try engine.receive($0, at: nanoseconds) }
            } catch {
                inputFailure = error as? HTTP2Error
            }
            flush()
            return true
        }
    }

    /// Takes what the server has to say.
    func flush() {
        log.drain { queue throws(HTTP2Error) in try engine.takeOutput(into: queue) }
    }

    func forget() {
        heard = []
        log.frames = []
    }

    /// The statuses that were answered, by stream.
    var statuses: [UInt32: Int] {
        Dictionary(
            sent.compactMap { frame in frame.status.map { (frame.stream, $0) } },
            uniquingKeysWith: { _, last in last })
    }

    /// The code of RST_STREAM, by stream.
    var resets: [UInt32: UInt32] {
        Dictionary(
            sent.filter { $0.kind == .resetStream }.map { ($0.stream, $0.errorCode ?? .max) },
            uniquingKeysWith: { first, _ in first })
    }

    var goAway: RawFrame? { sent.last { $0.kind == .goAway } }

    func streamDidBegin(_ stream: Int32) { heard.append(.begin(stream)) }

    func stream(_ stream: Int32, didReceive head: HTTP2RequestHead) {
        heads[stream] = head
        heard.append(.head(stream, head.method, head.path))
    }

    func stream(_ stream: Int32, didReceiveBody bytes: UnsafeRawBufferPointer) {
        heard.append(.body(stream, [UInt8](bytes)))
    }

    func streamDidEnd(_ stream: Int32) {
        heard.append(.end(stream))
        onEnd(engine, stream)
    }

    func stream(_ stream: Int32, didBreak limit: HTTP2RequestFault) {
        heard.append(.fault(stream, limit))
        onFault(engine, stream, limit)
    }

    func stream(_ stream: Int32, didClose code: HTTP2ErrorCode) {
        heard.append(.close(stream, code.rawValue))
    }
}

/// Answers each complete request with a status and body.
func answering(
    _ status: Int, _ body: String = ""
) -> (HTTP2ServerEngine, Int32) -> Void {
    { engine, stream in
        var fields = FieldList()
        fields.append("content-type", "text/plain")
        try? engine.respond(to: stream, status: status, fields: fields, body: [UInt8](body.utf8))
    }
}
