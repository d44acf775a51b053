import RawHTTP
import ReveilleBytes
import ReveilleHTTP1

extension FuzzTarget {
    /// The reader of HTTP/1.1 requests.
    ///
    /// The input is what a client sends.
    static let http1Request = FuzzTarget(
        name: "http1-request",
        seeds: MalformedRequest.all.map(\.bytes).filter { $0.count < 2048 }
            + [
                "GET /a/b?c=%41&d HTTP/1.1\r\nHost: example.org:8080\r\nAccept: */*\r\n\r\n",
                "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
                "OPTIONS * HTTP/1.1\r\nHost: [::1]:443\r\nConnection: close, x\r\n\r\n",
                "GET HTTP://a:80?q HTTP/1.1\r\nHost: A:80\r\n\r\n",
                "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
                "\r\nHEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX-T: \t v\u{E9} \r\nEmpty:\r\n\r\n",
            ].map(MalformedRequest.bytes),
        words: HTTP1Words.all,
        check: HTTP1RequestProperties.check)
}

/// Pieces of HTTP/1.1 messages.
enum HTTP1Words {
    static let all: [[UInt8]] = [
        "\r\n", "\r\n\r\n", "\n", "\r", " ", "\t", ":", ": ", ";", ",", "0\r\n\r\n", "\u{0}", "\u{7F}", "\u{FF}", "%",
        "%2F",
        "*", "/", "?", "#", "@", "[::1]", "http://", "https://a", "GET ", "POST ", "HEAD ", "CONNECT ", "OPTIONS ",
        " HTTP/1.1",
        " HTTP/1.0", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 204 \r\n", "HTTP/1.1 100 \r\n", "Host: a\r\n",
        "Content-Length: 1\r\n",
        "Content-Length: 0\r\n", "Content-Length: 65537\r\n", "Transfer-Encoding: chunked\r\n", "chunked", "gzip, ",
        "Connection: close\r\n", "Connection: keep-alive\r\n", "Expect: 100-continue\r\n", "Date: x\r\n",
        "Trailer: x\r\n",
        "7fffffffffffffff", "ffffffffffffffff", "10000", "1\r\nx\r\n", "18446744073709551616",
    ].map(MalformedRequest.bytes)
}

/// What must hold for every sequence of bytes that a client may send.
enum HTTP1RequestProperties {
    /// Limits so small that inputs of a few bytes reach them.
    static let smallLimits = HTTP1Limits(
        maximumStartLineBytes: 48, maximumHeaderBytes: 96, maximumFields: 3, maximumBodyBytes: 12,
        maximumChunkLineBytes: 14, maximumChunkExtensionBytes: 6, maximumTrailerBytes: 24)
    /// Limits for what the writer made of a request: it may add a length.
    private static let roomyLimits = HTTP1Limits(
        maximumStartLineBytes: 16_384, maximumHeaderBytes: 65_536, maximumFields: 70)

    @Sendable static func check(_ bytes: [UInt8]) throws(BrokenProperty) -> FuzzTarget.Verdict {
        let trace = try sameHoweverSplit(bytes, limits: HTTP1Limits())
        _ = try sameHoweverSplit(bytes, limits: smallLimits)
        for request in trace.requests where request.trailers != nil { try survivesWriting(request) }
        if let error = trace.error { return .refused(error.rawValue) }
        return trace.complete > 0 ? .accepted : .incomplete
    }

    private static func sameHoweverSplit(
        _ bytes: [UInt8], limits: HTTP1Limits
    ) throws(BrokenProperty) -> RequestTrace {
        let whole = RequestTrace(bytes, limits: limits)
        for places in Splits.places(in: bytes) {
            let split = RequestTrace(bytes, cuts: places, limits: limits)
            try demand(split == whole, "the same bytes say the same, split at \(places.prefix(4)) or not")
        }
        try demand(!whole.spokeAfterError, "a refused connection gives nothing more")
        try demand(whole.leftOver <= limits.largestWait, "what waits for more is bounded: \(whole.leftOver)")
        for request in whole.requests { try keepsLimits(request, limits) }
        for request in whole.requests.dropLast() {
            try demand(request.trailers != nil, "a request is complete before the next one begins")
        }
        return whole
    }

    private static func keepsLimits(
        _ request: RequestTrace.Request, _ limits: HTTP1Limits
    ) throws(BrokenProperty) {
        try demand(request.method.utf8.count <= 32, "a method has at most 32 bytes")
        try demand(request.target.utf8.count <= limits.maximumStartLineBytes, "the start line keeps its limit")
        try demand(request.body.count <= limits.maximumBodyBytes, "the body keeps its limit")
        try checkFields(request.fields, count: limits.maximumFields, bytes: limits.maximumHeaderBytes)
        let trailers = request.trailers ?? FieldList()
        try checkFields(trailers, count: limits.maximumFields, bytes: limits.maximumTrailerBytes)
        switch request.form {
        case .origin, .absolute:
            try demand(HTTP1Target.isOriginForm(request.target), "a target is a path")
        case .asterisk: try demand(request.target == "*" && request.method == "OPTIONS", "* is for OPTIONS")
        case .authority: try demand(request.method == "CONNECT", "an authority is for CONNECT")
        }
        if case .length(let count) = request.framing, request.trailers != nil {
            try demand(request.body.count == count, "a body is as long as it said")
        }
        try demand(request.framing != .untilClose, "a request has an end of its own")
        try demand(request.framing != .none || request.body.isEmpty, "no body came where none was told")
        let isAuthority = request.authority.isEmpty || HTTP1Target.isAuthority(request.authority)
        try demand(isAuthority, "an authority is a host and port")
    }

    /// What was accepted is written, and read again as the same.
    private static func survivesWriting(_ request: RequestTrace.Request) throws(BrokenProperty) {
        guard request.form == .origin || request.form == .absolute, !request.authority.isEmpty else { return }
        let queue = ByteQueue()
        HTTP1Writer.writeRequest(
            method: request.method, target: request.target, authority: request.authority, fields: request.fields,
            body: request.body, to: queue)
        let again = RequestTrace(queue.withReadableBytes { [UInt8]($0) }, limits: roomyLimits)
        try demand(again.error == nil && again.complete == 1 && again.leftOver == 0, "one request is written as one")
        guard let read = again.requests.first else { return }
        try demand(read.method == request.method, "the method survives")
        try demand(read.target == request.target, "the target survives")
        try demand(read.authority == request.authority, "the authority survives")
        try demand(read.body == request.body, "the body survives")
        try demand(withoutFraming(read.fields) == withoutFraming(request.fields), "the fields survive")
    }

    /// The fields that a writer does not decide itself.
    static func withoutFraming(_ fields: FieldList) -> FieldList {
        var rest = fields
        for name in ["host", "connection", "keep-alive", "content-length", "transfer-encoding", "date"] {
            rest.removeAll(named: name)
        }
        return rest
    }

    /// Checks the names, values and number of fields.
    static func checkFields(_ fields: FieldList, count: Int, bytes: Int) throws(BrokenProperty) {
        try demand(fields.count <= count, "the number of fields keeps its limit")
        var total = 0
        var isLegal = true
        fields.forEach { name, value, _ in
            total += name.count + value.count + 3
            if name.isEmpty { isLegal = false }
            for byte in name where byte <= 0x20 || byte >= 0x7F || (0x41...0x5A).contains(byte) { isLegal = false }
            for byte in value where byte < 0x20 && byte != 0x09 || byte == 0x7F { isLegal = false }
            if let first = value.first, first == 0x20 || first == 0x09 { isLegal = false }
            if let last = value.last, last == 0x20 || last == 0x09 { isLegal = false }
        }
        try demand(total <= bytes, "the fields keep their limit in bytes")
        try demand(isLegal, "names are lower-case tokens and values printable, without white space around them")
    }
}

extension HTTP1Limits {
    /// The most bytes that a reader may leave with its caller: a start line and a header section, after an empty line.
    var largestWait: Int { maximumStartLineBytes + maximumHeaderBytes + 2 }
}
