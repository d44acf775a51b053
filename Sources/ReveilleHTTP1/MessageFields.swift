/// What the field lines of a head say about framing, routing and the connection, gathered while they are read.
struct MessageFields {
    /// How the body ends, as far as the fields say.
    private(set) var contentLength: Int?
    private(set) var isChunked = false
    private(set) var closes = false
    private(set) var keepsAlive = false
    private(set) var expectsContinue = false
    private(set) var host: Range<Int>?

    /// Notes one field.
    ///
    /// `valueRange` is where the value lies in the section.
    mutating func note(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, valueRange: Range<Int>
    ) throws(HTTP1Error) {
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"):
            guard host == nil else { throw HTTP1Error(.hostDuplicated) }
            host = valueRange
        case 6 where name.equalsIgnoringCase("expect"):
            guard !expectsContinue, value.equalsIgnoringCase("100-continue") else {
                throw HTTP1Error(.expectationUnsupported)
            }
            expectsContinue = true
        case 10 where name.equalsIgnoringCase("connection"):
            noteConnection(value)
        case 14 where name.equalsIgnoringCase("content-length"):
            guard contentLength == nil else { throw HTTP1Error(.contentLengthDuplicated) }
            contentLength = try Self.parseContentLength(value)
        case 17 where name.equalsIgnoringCase("transfer-encoding"):
            try noteTransferEncoding(value)
        default:
            break
        }
    }

    private mutating func noteConnection(_ value: UnsafeRawBufferPointer) {
        var closes = self.closes
        var keepsAlive = self.keepsAlive
        value.forEachListElement { element in
            if element.equalsIgnoringCase("close") { closes = true }
            if element.equalsIgnoringCase("keep-alive") { keepsAlive = true }
        }
        self.closes = closes
        self.keepsAlive = keepsAlive
    }

    /// Exactly `chunked` is understood.
    ///
    /// Whatever else ends in `chunked` is a coding this reader lacks; the rest has no end that both sides agree on
    /// (RFC 9112 section 6.1).
    private mutating func noteTransferEncoding(_ value: UnsafeRawBufferPointer) throws(HTTP1Error) {
        guard !isChunked else { throw HTTP1Error(.transferEncodingMalformed) }
        if value.equalsIgnoringCase("chunked") {
            isChunked = true
            return
        }
        var elements = 0
        var chunkedElements = 0
        var endsInChunked = false
        value.forEachListElement { element in
            elements += 1
            endsInChunked = element.equalsIgnoringCase("chunked")
            if endsInChunked { chunkedElements += 1 }
        }
        let isOtherCoding = elements > 1 && endsInChunked && chunkedElements == 1
        throw HTTP1Error(isOtherCoding ? .transferEncodingUnsupported : .transferEncodingMalformed)
    }

    /// 1*DIGIT without leading zeros, in which some readers see octal.
    ///
    /// More digits than fit are a body too large.
    private static func parseContentLength(
        _ value: UnsafeRawBufferPointer
    ) throws(HTTP1Error) -> Int {
        guard let first = value.first, ByteClass.digit.containsAll(value),
            first != 0x30 || value.count == 1
        else { throw HTTP1Error(.contentLengthMalformed) }
        guard value.count <= 18 else { throw HTTP1Error(.bodyTooLarge) }
        return value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
