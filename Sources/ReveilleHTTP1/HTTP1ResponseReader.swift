package import ReveilleBytes

/// A response's status line and fields.
package struct HTTP1ResponseHead: Sendable {
    /// From 100 to 599.
    package let status: Int
    /// The version.
    package let version: HTTP1Version
    /// The fields, with names in lower case.
    package let fields: FieldList
    /// How the body ends.
    package let framing: HTTP1Framing
    /// Whether the connection may carry another request.
    package let isPersistent: Bool
}

/// What a reader of responses found next.
package enum HTTP1ResponseStep: Sendable {
    /// Nothing more can be said until more bytes come.
    case needsMoreBytes
    /// An interim answer; the final one follows.
    case interim(HTTP1ResponseHead)
    /// Status line and fields of the answer.
    case head(HTTP1ResponseHead)
    /// A piece of the body, in offsets of the input that was given.
    case body(Range<Int>)
    /// The answer is complete.
    case end(trailers: FieldList)
}

/// Reads HTTP/1.1 responses strictly, with the same care about framing as ``HTTP1RequestReader``.
///
/// Call ``expectResponse(toHead:)`` for each request that was sent, in order, before its answer can come.
package struct HTTP1ResponseReader: Sendable {
    private enum State {
        case idle
        case statusLine
        case fields(StatusLine, FieldSection, start: Int)
        case body(BodyReader)
        case failed(HTTP1Error)
    }

    /// Interim answers before a final one.
    ///
    /// More of them is a server that never answers.
    private static let maximumInterimResponses = 8

    private let limits: HTTP1Limits
    private var state = State.idle
    private var scanner = LineScanner()
    private var isAnswerToHead = false
    private var interimResponses = 0

    /// A reader with limits.
    package init(limits: HTTP1Limits = HTTP1Limits()) {
        self.limits = limits
    }

    /// Tells that a request was sent.
    ///
    /// The answer to HEAD has no body, whatever its fields say.
    ///
    /// - Precondition: the last answer is complete.
    package mutating func expectResponse(toHead isHead: Bool) {
        switch state {
        case .idle: state = .statusLine
        case .failed: return
        case .statusLine, .fields, .body: preconditionFailure("an answer is still being read")
        }
        isAnswerToHead = isHead
        interimResponses = 0
    }

    /// Reads on; as ``HTTP1RequestReader/next(_:)``.
    package mutating func next(
        _ input: UnsafeRawBufferPointer
    ) throws(HTTP1Error) -> (step: HTTP1ResponseStep, consumed: Int) {
        do throws(HTTP1Error) {
            return try advance(input)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Tells that the connection ended.
    ///
    /// Returns whether that completed an answer.
    ///
    /// - Throws: `message_truncated` inside an answer, or when one was awaited.
    package mutating func connectionEnded() throws(HTTP1Error) -> Bool {
        switch state {
        case .idle: return false
        case .body(let body) where body.endsWithConnection:
            state = .idle
            return true
        case .failed(let error): throw error
        case .statusLine, .fields, .body:
            let error = HTTP1Error(.truncated)
            state = .failed(error)
            throw error
        }
    }

    private mutating func advance(
        _ input: UnsafeRawBufferPointer
    ) throws(HTTP1Error) -> (step: HTTP1ResponseStep, consumed: Int) {
        switch state {
        case .failed(let error):
            throw error
        case .idle:
            guard input.isEmpty else { throw HTTP1Error(.unexpectedResponse) }
            return (.needsMoreBytes, 0)
        case .statusLine:
            let outcome = try scanner.nextStartLine(
                in: input, from: 0, limit: limits.maximumStartLineBytes,
                otherwise: .statusLineMalformed)
            switch outcome {
            case .incomplete: return (.needsMoreBytes, 0)
            case .tooLong: throw HTTP1Error(.statusLineMalformed)
            case .line(let range):
                let line = try StatusLine(input.slice(range))
                state = .fields(line, FieldSection(), start: range.upperBound + 2)
                return try advance(input)
            }
        case .fields(let line, var section, let start):
            state = .idle
            guard let count = try section.read(input, from: start, limits: limits) else {
                state = .fields(line, section, start: start)
                return (.needsMoreBytes, 0)
            }
            let step = try finishHead(line, section, in: input, from: start, count: count)
            return (step, start + count)
        case .body(var body):
            let (step, consumed) = try body.next(input, limits: limits)
            switch step {
            case .needsMoreBytes:
                state = .body(body)
                return (.needsMoreBytes, consumed)
            case .body(let range):
                state = .body(body)
                return (.body(range), consumed)
            case .end(let trailers):
                state = .idle
                return (.end(trailers: trailers), consumed)
            }
        }
    }

    private mutating func finishHead(
        _ line: StatusLine, _ section: FieldSection, in input: UnsafeRawBufferPointer,
        from start: Int, count: Int
    ) throws(HTTP1Error) -> HTTP1ResponseStep {
        let meaning = section.meaning
        if meaning.isChunked, meaning.contentLength != nil {
            throw HTTP1Error(.contentLengthWithTransferEncoding)
        }
        let framing = try framing(line, meaning)
        let isPersistent: Bool
        switch line.version {
        case .http11: isPersistent = !meaning.closes && framing != .untilClose
        case .http10: isPersistent = meaning.keepsAlive && !meaning.closes && framing != .untilClose
        }
        let head = HTTP1ResponseHead(
            status: line.status, version: line.version,
            fields: section.fields(in: input, from: start, count: count), framing: framing,
            isPersistent: isPersistent)
        guard line.status >= 200 else {
            // 101 would end HTTP/1.1 on this connection, which no request here asks for.
            interimResponses += 1
            guard line.status != 101, interimResponses <= Self.maximumInterimResponses else {
                throw HTTP1Error(.unexpectedResponse)
            }
            state = .statusLine
            return .interim(head)
        }
        state = .body(BodyReader(framing))
        return .head(head)
    }

    private func framing(
        _ line: StatusLine, _ meaning: MessageFields
    ) throws(HTTP1Error) -> HTTP1Framing {
        if isAnswerToHead || HTTP1Status.forbidsBody(line.status) { return .none }
        if meaning.isChunked {
            guard line.version == .http11 else { throw HTTP1Error(.transferEncodingMalformed) }
            return .chunked
        }
        guard let length = meaning.contentLength else { return .untilClose }
        guard length <= limits.maximumBodyBytes else { throw HTTP1Error(.bodyTooLarge) }
        return length == 0 ? .none : .length(length)
    }
}

/// A status line (RFC 9112 section 4).
///
/// The reason phrase is read over.
struct StatusLine {
    let status: Int
    let version: HTTP1Version

    init(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) {
        // "HTTP/1.1 200" and, if the server keeps the rule, a space and a reason.
        guard line.count >= 12, line.slice(0..<7).elementsEqual("HTTP/1.".utf8), line[8] == 0x20,
            line.count == 12 || line[12] == ASCII.space
        else { throw HTTP1Error(.statusLineMalformed) }
        switch line[7] {
        case 0x31: version = .http11
        case 0x30: version = .http10
        default: throw HTTP1Error(.statusLineMalformed)
        }
        let digits = line.slice(9..<12)
        guard ByteClass.digit.containsAll(digits) else { throw HTTP1Error(.statusLineMalformed) }
        status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (100..<600).contains(status) else { throw HTTP1Error(.statusLineMalformed) }
    }
}
