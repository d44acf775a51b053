/// Finds lines that end in CRLF, and remembers how far it has looked, so that input which comes byte by byte is still read once.
struct LineScanner {
    /// How many bytes from the start of the line were searched in vain.
    private var searched = 0

    /// What lies at the front of the input.
    enum Outcome {
        /// A whole line: its bytes without CRLF. The next line starts two bytes later.
        case line(Range<Int>)
        /// No line end yet.
        case incomplete
        /// The line is longer than the limit, with its CRLF.
        case tooLong
    }

    /// Looks for the line that starts at `start`.
    mutating func next(
        in input: UnsafeRawBufferPointer, from start: Int, limit: Int
    ) throws(HTTP1Error) -> Outcome {
        let end = min(input.count, start + limit)
        var index = start + searched
        while index < end {
            if input[index] == ASCII.lineFeed {
                return .line(try take(input, start: start, lineFeed: index))
            }
            index += 1
        }
        return pause(start: start, end: end, limit: limit)
    }

    /// Looks for a start line, of printable ASCII only.
    ///
    /// Anything else is refused as soon as it is seen, so that a peer which speaks another protocol (TLS to a plain
    /// port) is not kept until it times out.
    mutating func nextStartLine(
        in input: UnsafeRawBufferPointer, from start: Int, limit: Int,
        otherwise code: HTTP1Error.Code
    ) throws(HTTP1Error) -> Outcome {
        let end = min(input.count, start + limit)
        var index = start + searched
        while index < end {
            let byte = input[index]
            if byte == ASCII.lineFeed {
                return .line(try take(input, start: start, lineFeed: index))
            }
            if byte == ASCII.carriageReturn {
                // A CR that is the last byte so far is looked at again when the next one has come.
                guard index + 1 < end else { break }
                guard input[index + 1] == ASCII.lineFeed else { throw HTTP1Error(code) }
            } else if byte < ASCII.space || byte >= ASCII.delete {
                throw HTTP1Error(code)
            }
            index += 1
        }
        let outcome = pause(start: start, end: end, limit: limit)
        searched = min(searched, index - start)
        return outcome
    }

    private mutating func take(
        _ input: UnsafeRawBufferPointer, start: Int, lineFeed: Int
    ) throws(HTTP1Error) -> Range<Int> {
        guard lineFeed > start, input[lineFeed - 1] == ASCII.carriageReturn else {
            throw HTTP1Error(.bareLineFeed)
        }
        searched = 0
        return start..<(lineFeed - 1)
    }

    private mutating func pause(start: Int, end: Int, limit: Int) -> Outcome {
        if end == start + limit { return .tooLong }
        searched = end - start
        return .incomplete
    }
}
