import ReveilleBytes
import ReveilleHTTP1

/// The HTTP/1.1 side of a connection: input that is not read yet, and the request that is being read or served.
final class HTTP1ServerSession {
    enum Phase {
        /// Between requests, or inside one.
        case reading
        /// A handler works on a request; the next one waits.
        case handling
        /// Nothing more is read.
        case ended
    }

    /// What reading found.
    enum Step {
        case needsMoreBytes
        /// The header is complete, the body is not.
        case head(HTTP1RequestHead)
        case request(HTTP1RequestHead, body: [UInt8])
    }

    let input = ByteQueue()
    private var reader: HTTP1RequestReader
    private var head: HTTP1RequestHead?
    private var body: [UInt8] = []

    var phase = Phase.reading
    /// Whether the first bytes may still turn out to be HTTP/2's preface.
    var mayBeHTTP2: Bool
    /// Guards against starting the loop inside itself when a handler answers at once.
    var isAdvancing = false
    /// Whether the client has ended its direction.
    var hasEnded = false
    /// Whether a request was served: then the connection may be idle for a while.
    var hasServed = false
    /// Whether the next request waits until the client has read its answers.
    var waitsForOutput = false
    /// Whether reading is stopped because enough waits.
    var isPaused = false

    // The request that is being served.
    private(set) var isHead = false
    private(set) var isPersistent = false
    private(set) var version = HTTP1Version.http11
    /// The protocols that the client would change to, in lower case.
    private(set) var upgrades: Set<String> = []

    init(limits: HTTP1Limits, mayBeHTTP2: Bool) {
        reader = HTTP1RequestReader(limits: limits)
        self.mayBeHTTP2 = mayBeHTTP2
    }

    /// Whether the request that is being read, or was refused, is a HEAD.
    var isHeadRequest: Bool { reader.isHeadRequest }

    /// Whether the header of the current request is complete.
    var isReadingBody: Bool { head != nil }

    /// Whether no byte of a further request has come.
    var isBetweenRequests: Bool { head == nil && input.isEmpty && reader.isBetweenRequests }

    /// Reads on in the input.
    func next() throws(HTTP1Error) -> Step {
        while true {
            let (step, consumed) = try input.withReadableBytes {
                bytes throws(HTTP1Error) -> (HTTP1RequestStep, Int) in
                let result = try reader.next(bytes)
                if case .body(let range) = result.step {
                    body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
                }
                return result
            }
            input.consume(consumed)
            switch step {
            case .needsMoreBytes: return .needsMoreBytes
            case .body: continue
            case .head(let head):
                begin(head)
                if head.framing != .none { return .head(head) }
            case .end:
                guard let head else { continue }
                let body = body
                self.head = nil
                self.body = []
                return .request(head, body: body)
            }
        }
    }

    private func begin(_ head: HTTP1RequestHead) {
        self.head = head
        isHead = head.method == "HEAD"
        isPersistent = head.isPersistent
        version = head.version
        upgrades = Self.upgrades(of: head)
        if case .length(let count) = head.framing { body.reserveCapacity(count) }
    }

    /// What `Upgrade` lists, if `Connection` says that it is meant for this server (RFC 9110 section 7.8).
    private static func upgrades(of head: HTTP1RequestHead) -> Set<String> {
        guard head.version == .http11, head.fields["upgrade"] != nil,
            tokens(of: "connection", in: head.fields).contains("upgrade")
        else { return [] }
        return tokens(of: "upgrade", in: head.fields)
    }

    private static func tokens(of name: String, in fields: FieldList) -> Set<String> {
        var tokens: Set<String> = []
        for value in fields.values(name) {
            for part in value.split(separator: ",") {
                tokens.insert(part.filter { $0 != " " && $0 != "\t" }.lowercased())
            }
        }
        return tokens
    }
}
