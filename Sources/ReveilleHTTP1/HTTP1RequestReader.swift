package import ReveilleBytes

/// What a reader found next.
package enum HTTP1RequestStep: Sendable {
    /// Nothing more can be said until more bytes come.
    case needsMoreBytes
    /// Start line and fields of the next request.
    case head(HTTP1RequestHead)
    /// A piece of the body, in offsets of the input that was given.
    case body(Range<Int>)
    /// The request is complete.
    case end(trailers: FieldList)
}

/// Reads HTTP/1.1 and HTTP/1.0 requests strictly (RFC 9112): wherever two readers could disagree about where a message ends,
/// it is an error, and the connection must close.
///
/// The reader does no I/O and keeps no bytes: the caller gives all bytes not yet consumed, drops from the front as many
/// as were consumed, and calls again. The outcome does not depend on how the bytes were split.
package struct HTTP1RequestReader: Sendable {
    private enum State {
        case startLine
        case fields(RequestLine, FieldSection, start: Int)
        case body(BodyReader)
        case failed(HTTP1Error)
    }

    private let limits: HTTP1Limits
    private var state = State.startLine
    private var scanner = LineScanner()
    private var skippedEmptyLine = false

    /// Whether the request that is being read, or was refused, is a HEAD: its answer has no body.
    package private(set) var isHeadRequest = false

    /// Whether the reader stands between two requests and has seen no byte of the next one's fields.
    package var isBetweenRequests: Bool {
        switch state {
        case .startLine: true
        case .fields, .body, .failed: false
        }
    }

    /// A reader with limits.
    package init(limits: HTTP1Limits = HTTP1Limits()) {
        self.limits = limits
    }

    /// Reads on.
    ///
    /// - Parameter input: all bytes that came and were not consumed yet.
    /// - Returns: what was found, and how many bytes at the front of the input are done with.
    /// - Throws: `HTTP1Error`, and the same one at each later call.
    package mutating func next(
        _ input: UnsafeRawBufferPointer
    ) throws(HTTP1Error) -> (step: HTTP1RequestStep, consumed: Int) {
        do throws(HTTP1Error) {
            return try advance(input)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func advance(
        _ input: UnsafeRawBufferPointer
    ) throws(HTTP1Error) -> (step: HTTP1RequestStep, consumed: Int) {
        switch state {
        case .failed(let error):
            throw error
        case .startLine:
            guard try readStartLine(input) else { return (.needsMoreBytes, 0) }
            return try advance(input)
        case .fields(let line, var section, let start):
            // The section is taken out of the state while it grows, so that its buffer is not copied.
            state = .startLine
            guard let count = try section.read(input, from: start, limits: limits) else {
                state = .fields(line, section, start: start)
                return (.needsMoreBytes, 0)
            }
            let head = try Self.head(
                line, section, in: input, from: start, count: count, limits: limits)
            state = .body(BodyReader(head.framing))
            return (.head(head), start + count)
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
                state = .startLine
                skippedEmptyLine = false
                return (.end(trailers: trailers), consumed)
            }
        }
    }

    /// Reads the request line.
    ///
    /// One empty line before it is skipped (RFC 9112 section 2.2).
    private mutating func readStartLine(_ input: UnsafeRawBufferPointer) throws(HTTP1Error) -> Bool {
        while true {
            let start = skippedEmptyLine ? 2 : 0
            let outcome = try scanner.nextStartLine(
                in: input, from: start, limit: limits.maximumStartLineBytes,
                otherwise: .requestLineMalformed)
            switch outcome {
            case .incomplete: return false
            case .tooLong:
                // No more than the limit is looked at, however much has come.
                throw RequestLine.error(ofEndless: input.slice(start..<(start + limits.maximumStartLineBytes)))
            case .line(let range) where range.isEmpty:
                guard !skippedEmptyLine else { throw HTTP1Error(.requestLineMalformed) }
                skippedEmptyLine = true
            case .line(let range):
                isHeadRequest = input.slice(range).starts(with: "HEAD ".utf8)
                let line = try RequestLine(input.slice(range))
                state = .fields(line, FieldSection(), start: range.upperBound + 2)
                return true
            }
        }
    }

    private static func head(
        _ line: RequestLine, _ section: FieldSection, in input: UnsafeRawBufferPointer,
        from start: Int, count: Int, limits: HTTP1Limits
    ) throws(HTTP1Error) -> HTTP1RequestHead {
        let meaning = section.meaning
        let authority = try authority(line, meaning, in: input, from: start)
        let framing = try framing(line, meaning, limits: limits)
        let isPersistent: Bool
        switch line.version {
        case .http11: isPersistent = !meaning.closes
        case .http10: isPersistent = meaning.keepsAlive && !meaning.closes
        }
        return HTTP1RequestHead(
            method: line.method, target: line.target, targetForm: line.form, authority: authority,
            version: line.version, fields: section.fields(in: input, from: start, count: count),
            framing: framing, isPersistent: isPersistent,
            expectsContinue: meaning.expectsContinue && line.version == .http11
                && framing != .none)
    }

    private static func authority(
        _ line: RequestLine, _ meaning: MessageFields, in input: UnsafeRawBufferPointer,
        from start: Int
    ) throws(HTTP1Error) -> String {
        guard let range = meaning.host else {
            guard line.version == .http10 else { throw HTTP1Error(.hostMissing) }
            return line.authority ?? ""
        }
        let host = input.slice((start + range.lowerBound)..<(start + range.upperBound))
        try HostField.check(host, needsPort: false)
        let text = FieldText.string(host)
        if let named = line.authority, line.form == .absolute,
            named.lowercased() != text.lowercased()
        {
            throw HTTP1Error(.hostMismatch)
        }
        return line.authority ?? text
    }

    private static func framing(
        _ line: RequestLine, _ meaning: MessageFields, limits: HTTP1Limits
    ) throws(HTTP1Error) -> HTTP1Framing {
        if meaning.isChunked {
            guard meaning.contentLength == nil else {
                throw HTTP1Error(.contentLengthWithTransferEncoding)
            }
            guard line.version == .http11 else { throw HTTP1Error(.transferEncodingMalformed) }
            return .chunked
        }
        guard let length = meaning.contentLength, length > 0 else { return .none }
        guard length <= limits.maximumBodyBytes else { throw HTTP1Error(.bodyTooLarge) }
        return .length(length)
    }
}
