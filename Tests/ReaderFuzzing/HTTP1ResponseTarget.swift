import RawHTTP
import ReveilleBytes
import ReveilleHTTP1

extension FuzzTarget {
    /// The reader of HTTP/1.1 responses.
    ///
    /// The first byte says what was asked: bit 0 for HEAD, bit 1 for a connection that
    /// ends afterwards; the rest is what a server sends.
    static let http1Response = FuzzTarget(
        name: "http1-response",
        seeds: [
            "0HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello",
            "0HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nT: x\r\n\r\n",
            "2HTTP/1.1 200 OK\r\n\r\nhello",
            "2HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
            "0HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
            "1HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            "0HTTP/1.1 204 No Content\r\n\r\n",
            "0HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
            "0HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
            "0HTTP/1.1 429 Slow Down\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n",
            "0HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "0ICY 200 OK\r\n\r\n",
        ].map(MalformedRequest.bytes),
        words: HTTP1Words.all,
        check: HTTP1ResponseProperties.check)
}

/// What must hold for every sequence of bytes that a server may send.
enum HTTP1ResponseProperties {
    @Sendable static func check(_ bytes: [UInt8]) throws(BrokenProperty) -> FuzzTarget.Verdict {
        guard let mode = bytes.first else { return .incomplete }
        let isHead = mode & 1 != 0
        let ends = mode & 2 != 0
        let text = [UInt8](bytes.dropFirst())
        let trace = try sameHoweverSplit(text, isHead: isHead, ends: ends, limits: HTTP1Limits())
        _ = try sameHoweverSplit(text, isHead: isHead, ends: ends, limits: HTTP1RequestProperties.smallLimits)
        if let error = trace.error { return .refused(error.rawValue) }
        guard trace.isComplete else { return .incomplete }
        try survivesWriting(trace, isHead: isHead)
        return .accepted
    }

    private static func sameHoweverSplit(
        _ text: [UInt8], isHead: Bool, ends: Bool, limits: HTTP1Limits
    ) throws(BrokenProperty) -> ResponseTrace {
        let whole = ResponseTrace(text, isHead: isHead, ends: ends, limits: limits)
        for places in Splits.places(in: text) {
            let split = ResponseTrace(text, isHead: isHead, cuts: places, ends: ends, limits: limits)
            try demand(split == whole, "the same bytes say the same, split at \(places.prefix(4)) or not")
        }
        try demand(!whole.spokeAfterError, "a refused connection gives nothing more")
        try demand(whole.interim.count <= 8, "interim answers are bounded")
        try demand(whole.interim.allSatisfy { (100..<200).contains($0) && $0 != 101 }, "an interim answer is one")
        if let status = whole.status { try demand((200..<600).contains(status), "a status is known") }
        try demand(whole.body.count <= limits.maximumBodyBytes, "the body keeps its limit")
        try demand(!isHead || whole.body.isEmpty, "an answer to HEAD has no body")
        try HTTP1RequestProperties.checkFields(
            whole.fields, count: limits.maximumFields, bytes: limits.maximumHeaderBytes)
        try HTTP1RequestProperties.checkFields(
            whole.trailers, count: limits.maximumFields, bytes: limits.maximumTrailerBytes)
        if ends {
            let isWhole = whole.isComplete || whole.error != nil
            try demand(isWhole, "the end of the connection completes an answer or is an error")
        }
        return whole
    }

    private static func survivesWriting(
        _ trace: ResponseTrace, isHead: Bool
    ) throws(BrokenProperty) {
        guard let status = trace.status else { return }
        let queue = ByteQueue()
        HTTP1Writer.writeResponse(
            status: status, fields: trace.fields, body: trace.body, isHead: isHead, persistence: .persistent,
            date: HTTPDate.format(secondsSince1970: 0), to: queue)
        let limits = HTTP1Limits(maximumHeaderBytes: 65_536, maximumFields: 70)
        let again = ResponseTrace(queue.withReadableBytes { [UInt8]($0) }, isHead: isHead, limits: limits)
        try demand(again.error == nil && again.isComplete, "one answer is written as one")
        try demand(again.status == status, "the status survives")
        try demand(again.body == trace.body, "the body survives")
        try demand(
            HTTP1RequestProperties.withoutFraming(again.fields) == HTTP1RequestProperties.withoutFraming(trace.fields),
            "the fields survive")
    }
}
