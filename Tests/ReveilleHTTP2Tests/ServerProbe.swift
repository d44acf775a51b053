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
    private(set) var sent: [RawFrame] = []
    private(set) var failure: HTTP2Error?
    /// What to do with a complete request; nothing by default.
    var onEnd: (HTTP2ServerEngine, Int32) -> Void = { _, _ in }
    var onFault: (HTTP2ServerEngine, Int32, HTTP2RequestFault) -> Void = { _, _, _ in }
    var nanoseconds: Int64 = 0

    private let output = ByteQueue()
    private var unparsed: [UInt8] = []

    init(_ limits: HTTP2ServerLimits = HTTP2ServerLimits()) throws {
        engine = try HTTP2ServerEngine(limits: limits, at: 0)
        engine.delegate = self
    }

    /// Sends bytes in pieces of a size, all at once by default, and collects what the server sends.
    func send(_ bytes: [UInt8], inPiecesOf size: Int = .max) {
        var rest = bytes[...]
        while !rest.isEmpty, failure == nil {
            let piece = [UInt8](rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            do {
                try piece.withUnsafeBytes { try engine.receive($0, at: nanoseconds) }
            } catch let error as HTTP2Error {
                failure = error
            } catch {}
            flush()
        }
    }

    /// Takes what the server has to say.
    func flush() {
        repeat {
            output.removeAll()
            do throws(HTTP2Error) {
                try engine.takeOutput(into: output)
            } catch {
                failure = failure ?? error
            }
            output.withReadableBytes { unparsed.append(contentsOf: $0) }
            sent += RawHTTP2.takeFrames(from: &unparsed)
        } while !output.isEmpty
    }

    func forget() {
        heard = []
        sent = []
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
