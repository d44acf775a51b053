/// A response of HTTP/2 that is none (RFC 9113 sections 8.1.1 and 8.3.2), though a client that reads only parts of it sees a 200.
package struct MalformedAnswer: Sendable, CustomStringConvertible {
    package let description: String
    private let fields: [(String, String)]
    private let body: [UInt8]?
    private let trailers: [(String, String)]?

    private init(
        _ description: String, _ fields: [(String, String)], body: String? = nil, trailers: [(String, String)]? = nil
    ) {
        self.description = description
        self.fields = fields
        self.body = body.map { Array($0.utf8) }
        self.trailers = trailers
    }

    /// The frames of the response on a stream.
    package func bytes(on stream: UInt32) -> [UInt8] {
        RawHTTP2.headers(stream, fields, endsStream: body == nil && trailers == nil)
            + (body.map { RawHTTP2.data(stream, $0, endsStream: trailers == nil).bytes } ?? [])
            + (trailers.map { RawHTTP2.headers(stream, $0) } ?? [])
    }

    /// Every kind there is.
    package static let all: [MalformedAnswer] = [
        MalformedAnswer("two statuses", [(":status", "200"), (":status", "200")]),
        MalformedAnswer("two statuses that differ", [(":status", "200"), (":status", "410")]),
        MalformedAnswer("two statuses, the worse first", [(":status", "410"), (":status", "200")]),
        MalformedAnswer("no status", [("apns-id", "x")]),
        MalformedAnswer("no field at all", []),
        MalformedAnswer("a status of letters", [(":status", "2OO")]),
        MalformedAnswer("a status with a sign", [(":status", "+20")]),
        MalformedAnswer("a status of two digits", [(":status", "20")]),
        MalformedAnswer("a status of four digits", [(":status", "0200")]),
        MalformedAnswer("an empty status", [(":status", "")]),
        MalformedAnswer("a status and a space", [(":status", "200 ")]),
        MalformedAnswer("a status behind another field", [("apns-id", "x"), (":status", "200")]),
        MalformedAnswer("a pseudo-header field of a request", [(":status", "200"), (":path", "/")]),
        MalformedAnswer("an unknown pseudo-header field", [(":status", "200"), (":x", "y")]),
        MalformedAnswer("a field of a connection", [(":status", "200"), ("connection", "close")]),
        MalformedAnswer("a transfer coding", [(":status", "200"), ("transfer-encoding", "chunked")]),
        MalformedAnswer("a name in upper case", [(":status", "200"), ("Apns-Id", "x")]),
        MalformedAnswer("a length and no body", [(":status", "200"), ("content-length", "5")]),
        MalformedAnswer(
            "a body shorter than its length", [(":status", "200"), ("content-length", "5")], body: "hell"),
        MalformedAnswer(
            "a body longer than its length", [(":status", "200"), ("content-length", "5")], body: "hello!"),
        MalformedAnswer("a body for a length of 0", [(":status", "200"), ("content-length", "0")], body: "x"),
        MalformedAnswer("a length that is no number", [(":status", "200"), ("content-length", "x")]),
        MalformedAnswer(
            "two lengths that differ", [(":status", "200"), ("content-length", "0"), ("content-length", "1")]),
        MalformedAnswer("an informational status that ends the stream", [(":status", "103")]),
        MalformedAnswer("a switch of protocols", [(":status", "101")]),
        MalformedAnswer("a status in the trailers", [(":status", "200")], body: "x", trailers: [(":status", "200")]),
    ]
}
