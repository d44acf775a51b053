import ReveilleBytes

/// Takes the framing off a body: by length, by chunks (RFC 9112 section 7.1) or until the connection ends.
struct BodyReader {
    private enum State {
        case length(remaining: Int)
        case chunkSize
        case chunkData(remaining: Int)
        case chunkEnd
        case trailers
        case untilClose
        case finished
    }

    /// What was found, in offsets of the input.
    enum Step {
        case needsMoreBytes
        case body(Range<Int>)
        case end(trailers: FieldList)
    }

    private var state: State
    private var scanner = LineScanner()
    private var received = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailers = FieldList()

    init(_ framing: HTTP1Framing) {
        switch framing {
        case .none: state = .length(remaining: 0)
        case .length(let count): state = .length(remaining: count)
        case .chunked: state = .chunkSize
        case .untilClose: state = .untilClose
        }
    }

    /// Whether the end of the connection is the end of the body.
    var endsWithConnection: Bool {
        switch state {
        case .untilClose: true
        case .length, .chunkSize, .chunkData, .chunkEnd, .trailers, .finished: false
        }
    }

    /// Reads on from the front of the input.
    ///
    /// Consumed bytes are not given again.
    mutating func next(
        _ input: UnsafeRawBufferPointer, limits: HTTP1Limits
    ) throws(HTTP1Error) -> (step: Step, consumed: Int) {
        var position = 0
        while true {
            switch state {
            case .length(let remaining):
                guard remaining > 0 else { return (finish(), position) }
                guard position < input.count else { return (.needsMoreBytes, position) }
                let count = min(remaining, input.count - position)
                state = .length(remaining: remaining - count)
                return (.body(position..<(position + count)), position + count)
            case .chunkData(let remaining):
                guard position < input.count else { return (.needsMoreBytes, position) }
                let count = min(remaining, input.count - position)
                state = count == remaining ? .chunkEnd : .chunkData(remaining: remaining - count)
                return (.body(position..<(position + count)), position + count)
            case .chunkSize:
                guard let end = try readChunkSize(input, from: position, limits: limits) else {
                    return (.needsMoreBytes, position)
                }
                position = end
            case .chunkEnd:
                guard let end = try readChunkEnd(input, from: position) else {
                    return (.needsMoreBytes, position)
                }
                position = end
            case .trailers:
                guard let end = try readTrailer(input, from: position, limits: limits) else {
                    return (.needsMoreBytes, position)
                }
                position = end
            case .untilClose:
                guard position < input.count else { return (.needsMoreBytes, position) }
                let count = min(limits.maximumBodyBytes - received, input.count - position)
                guard count > 0 else { throw HTTP1Error(.bodyTooLarge) }
                received += count
                return (.body(position..<(position + count)), position + count)
            case .finished:
                return (finish(), position)
            }
        }
    }

    private mutating func finish() -> Step {
        state = .finished
        let found = trailers
        trailers = FieldList()
        return .end(trailers: found)
    }

    /// `1*HEXDIG [ chunk-ext ] CRLF`.
    ///
    /// White space after the size is what lets two readers disagree, and is refused.
    private mutating func readChunkSize(
        _ input: UnsafeRawBufferPointer, from start: Int, limits: HTTP1Limits
    ) throws(HTTP1Error) -> Int? {
        let range: Range<Int>
        switch try scanner.next(in: input, from: start, limit: limits.maximumChunkLineBytes) {
        case .incomplete: return nil
        case .tooLong: throw HTTP1Error(.chunkExtensionTooLong)
        case .line(let found): range = found
        }
        let line = input.slice(range)
        var size = 0
        var digits = 0
        while digits < line.count, let value = ASCII.hexValue(line[digits]) {
            guard digits < 16 else { throw HTTP1Error(.chunkMalformed) }
            guard size < Int.max >> 4 else { throw HTTP1Error(.bodyTooLarge) }
            size = size << 4 | Int(value)
            digits += 1
        }
        guard digits > 0 else { throw HTTP1Error(.chunkMalformed) }
        try checkExtension(line.slice(digits..<line.count), limits: limits)
        guard size <= limits.maximumBodyBytes - received else { throw HTTP1Error(.bodyTooLarge) }
        received += size
        state = size == 0 ? .trailers : .chunkData(remaining: size)
        return range.upperBound + 2
    }

    /// Extensions carry nothing this reader knows; they must start with a semicolon, be printable, and stay small.
    private mutating func checkExtension(
        _ text: UnsafeRawBufferPointer, limits: HTTP1Limits
    ) throws(HTTP1Error) {
        guard let first = text.first else { return }
        guard first == ASCII.semicolon, text.count > 1 else { throw HTTP1Error(.chunkMalformed) }
        for byte in text where byte < ASCII.space || byte >= ASCII.delete {
            throw HTTP1Error(.chunkMalformed)
        }
        extensionBytes += text.count
        guard extensionBytes <= limits.maximumChunkExtensionBytes else {
            throw HTTP1Error(.chunkExtensionTooLong)
        }
    }

    private mutating func readChunkEnd(
        _ input: UnsafeRawBufferPointer, from start: Int
    ) throws(HTTP1Error) -> Int? {
        guard start < input.count else { return nil }
        guard input[start] == ASCII.carriageReturn else { throw HTTP1Error(.chunkMalformed) }
        guard start + 1 < input.count else { return nil }
        guard input[start + 1] == ASCII.lineFeed else { throw HTTP1Error(.chunkMalformed) }
        state = .chunkSize
        return start + 2
    }

    private mutating func readTrailer(
        _ input: UnsafeRawBufferPointer, from start: Int, limits: HTTP1Limits
    ) throws(HTTP1Error) -> Int? {
        let range: Range<Int>
        let limit = limits.maximumTrailerBytes - trailerBytes
        switch try scanner.next(in: input, from: start, limit: limit) {
        case .incomplete: return nil
        case .tooLong: throw HTTP1Error(.headerTooLarge)
        case .line(let found): range = found
        }
        let end = range.upperBound + 2
        trailerBytes += end - start
        guard !range.isEmpty else {
            state = .finished
            return end
        }
        let line = input.slice(range)
        let parts = try FieldLine(line)
        guard trailers.count < limits.maximumFields else { throw HTTP1Error(.tooManyFields) }
        let name = line.slice(parts.name)
        guard TrailerRules.allows(name) else { throw HTTP1Error(.trailerForbidden) }
        trailers.append(FieldText.string(name), FieldText.string(line.slice(parts.value)))
        return end
    }
}

/// Which fields may come after a body (RFC 9110 section 6.5.1).
enum TrailerRules {
    private static let forbidden: [StaticString] = [
        "transfer-encoding", "content-length", "content-type", "content-encoding", "content-range",
        "host", "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade",
        "expect", "max-forwards", "cache-control", "pragma", "range", "authorization",
        "proxy-authorization", "cookie", "set-cookie", "origin", "forwarded", "x-forwarded-for",
        "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "idempotency-key",
    ]

    /// Whether a lower-case name changes neither framing, routing, credentials nor how the body is read.
    static func allows(_ name: UnsafeRawBufferPointer) -> Bool {
        !forbidden.contains { name.equalsIgnoringCase($0) }
    }
}
