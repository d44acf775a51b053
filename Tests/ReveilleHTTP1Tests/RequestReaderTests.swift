import ReaderFuzzing
import ReveilleBytes
import ReveilleHTTP1
import Testing

@Suite("The reader accepts what RFC 9112 allows")
struct RequestReaderTests {
    struct Row: Sendable, CustomStringConvertible {
        let description: String
        let text: String
        var method = "GET"
        var target = "/"
        var body = ""
        var isPersistent = true
        var field: (String, String)?
    }

    static let rows: [Row] = [
        Row(description: "a plain request", text: "GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row(
            description: "an empty line in front",
            text: "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row(
            description: "no space after the colon, much around the value",
            text: "GET / HTTP/1.1\r\nHost:a\r\nX-A: \t b c \t\r\n\r\n", field: ("x-a", "b c")),
        Row(
            description: "an empty value", text: "GET / HTTP/1.1\r\nHost: a\r\nX-A:\r\n\r\n",
            field: ("x-a", "")),
        Row(
            description: "bytes over 0x7F in a value",
            text: "GET / HTTP/1.1\r\nHost: a\r\nX-A: \u{E9}\u{FF}\r\n\r\n",
            field: ("x-a", "\u{E9}\u{FF}")),
        Row(
            description: "a name with every token character",
            text: "GET / HTTP/1.1\r\nHost: a\r\n!#$%&'*+-.^_`|~aZ9: b\r\n\r\n",
            field: ("!#$%&'*+-.^_`|~az9", "b")),
        Row(
            description: "a target with every allowed character",
            text: "GET /-._~!$&'()*+,;=:@/?%20%aF HTTP/1.1\r\nHost: a\r\n\r\n",
            target: "/-._~!$&'()*+,;=:@/?%20%aF"),
        Row(
            description: "an absolute target",
            text: "GET http://A:80/x?y HTTP/1.1\r\nHost: a:80\r\n\r\n", target: "/x?y"),
        Row(
            description: "an absolute target without a path",
            text: "GET HTTPS://a?y HTTP/1.1\r\nHost: a\r\n\r\n", target: "/?y"),
        Row(
            description: "an asterisk for OPTIONS",
            text: "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", method: "OPTIONS", target: "*"),
        Row(
            description: "CONNECT", text: "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
            method: "CONNECT", target: "a:443"),
        Row(
            description: "a method nobody knows",
            text: "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", method: "BREW"),
        Row(
            description: "an IPv6 address for Host",
            text: "GET / HTTP/1.1\r\nHost: [2001:db8::1]:8443\r\n\r\n"),
        Row(
            description: "an underscore in Host", text: "GET / HTTP/1.1\r\nHost: a_b\r\n\r\n"),
        Row(
            description: "HTTP/1.0 without Host", text: "GET / HTTP/1.0\r\n\r\n",
            isPersistent: false),
        Row(
            description: "HTTP/1.0 that wants to stay",
            text: "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"),
        Row(
            description: "HTTP/1.1 that wants to leave",
            text: "GET / HTTP/1.1\r\nHost: a\r\nConnection: TE, Close\r\n\r\n", isPersistent: false),
        Row(
            description: "close beats keep-alive",
            text: "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n",
            isPersistent: false),
        Row(
            description: "a body of known length",
            text: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", method: "POST",
            body: "hello"),
        Row(
            description: "a body of no bytes",
            text: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", method: "POST"),
        Row(
            description: "a GET with a body",
            text: "GET / HTTP/1.1\r\nHost: a\r\ncontent-length: 2\r\n\r\nhi", body: "hi"),
        Row(
            description: "chunks",
            text: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "3\r\nhel\r\n00002\r\nlo\r\n0\r\n\r\n",
            method: "POST", body: "hello"),
        Row(
            description: "chunks with extensions",
            text: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n",
            method: "POST", body: "hello"),
        Row(
            description: "CR and LF inside a chunk",
            text: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "A\r\n\r\n0\r\n\r\nabc\r\n0\r\n\r\n",
            method: "POST", body: "\r\n0\r\n\r\nabc"),
        Row(
            description: "no chunks", text: "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            method: "PUT"),
        Row(
            description: "a field that only looks like a coding",
            text: "POST / HTTP/1.1\r\nHost: a\r\nTransfer_Encoding: chunked\r\nContent-Length: 2\r\n\r\nhi",
            method: "POST", body: "hi"),
        Row(
            description: "an upgrade that is not taken up",
            text:
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n",
            field: ("upgrade", "h2c")),
    ]

    @Test("a request is read as it was meant, however it is split", arguments: rows)
    func reads(row: Row) throws {
        let input = bytes(row.text)
        let whole = RequestTrace(input)
        #expect(whole.error == nil)
        #expect(whole.leftOver == 0)
        let request = try #require(whole.requests.first)
        #expect(whole.requests.count == 1)
        #expect(request.method == row.method)
        #expect(request.target == row.target)
        #expect(request.body == bytes(row.body))
        #expect(request.trailers == FieldList())
        if let (name, value) = row.field { #expect(request.fields[name] == value) }
        #expect(RequestTrace.byteByByte(input) == whole)
        for cut in RequestTrace.cuts(input) {
            #expect(RequestTrace(input, cuts: [cut]) == whole, "cut at \(cut)")
        }
    }

    @Test("persistence follows version and Connection", arguments: rows)
    func persistence(row: Row) throws {
        #expect(try head(row.text).isPersistent == row.isPersistent)
    }

    @Test("requests that follow one another are read one by one")
    func pipelining() {
        let text = String(
            repeating: "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", count: 20)
        let trace = RequestTrace(bytes(text))
        #expect(trace.complete == 20)
        #expect(trace.requests.allSatisfy { $0.body == bytes("abc") && $0.target == "/p" })
    }

    @Test("trailers come with the end, not among the fields")
    func trailers() throws {
        let trace = RequestTrace(
            bytes(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "1\r\nx\r\n0\r\nX-Check: 1\r\nX-Check: 2\r\n\r\n"))
        let request = try #require(trace.requests.first)
        #expect(request.trailers?.values("x-check") == ["1", "2"])
        #expect(request.fields["x-check"] == nil)
    }

    @Test("an incomplete request waits, wherever it stops")
    func incomplete() {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        let input = bytes(text)
        for end in 0..<input.count {
            let trace = RequestTrace([UInt8](input[..<end]))
            #expect(trace.error == nil)
            #expect(trace.complete == 0, "\(end) bytes")
        }
    }

    @Test("each limit allows its own value")
    func limitsAllowTheirValue() {
        let limits = HTTP1Limits(
            maximumStartLineBytes: 25, maximumHeaderBytes: 40, maximumFields: 3,
            maximumBodyBytes: 5, maximumChunkLineBytes: 10, maximumChunkExtensionBytes: 7,
            maximumTrailerBytes: 8)
        // 25 bytes of start line; 9 + 8 + 21 + 2 bytes of fields.
        let head = "POST /aaaaaaaa HTTP/1.1\r\nHost: a\r\nX: yyy\r\nContent-Length: 005\r\n\r\n"
            .replacing("005", with: "5  ")
        #expect(RequestTrace(bytes(head + "hello"), limits: limits).complete == 1)
        #expect(
            RequestTrace(bytes(head.replacing("/a", with: "/aa")), limits: limits).error
                == .targetTooLong)
        #expect(
            RequestTrace(bytes(head.replacing("yyy", with: "yyyy")), limits: limits).error
                == .headerTooLarge)
        #expect(
            RequestTrace(bytes(head.replacing("5  ", with: "6  ")), limits: limits).error
                == .bodyTooLarge)
        let chunked = HTTP1Limits(
            maximumFields: 2, maximumBodyBytes: 5, maximumChunkLineBytes: 10,
            maximumChunkExtensionBytes: 7, maximumTrailerBytes: 8)
        let start = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let body = "5;abcdef\r\nhello\r\n0\r\nX: y\r\n\r\n"
        #expect(RequestTrace(bytes(start + body), limits: chunked).complete == 1)
        #expect(
            RequestTrace(bytes(start + body.replacing("X: y", with: "X: yy")), limits: chunked).error
                == .headerTooLarge)
        #expect(
            RequestTrace(bytes(start + body.replacing("\r\n0\r\n", with: "\r\n0;a\r\n")), limits: chunked)
                .error == .chunkExtensionTooLong)
    }

    @Test("the head says form, authority, version and what the client waits for")
    func headDetails() throws {
        let absolute = try head("GET http://A/x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(absolute.targetForm == .absolute)
        #expect(absolute.authority == "A")
        #expect(absolute.version == .http11)
        let old = try head("GET / HTTP/1.0\r\n\r\n")
        #expect(old.version == .http10)
        #expect(old.authority.isEmpty)
        #expect(old.framing == .none)
        let waiting = try head(
            "POST / HTTP/1.1\r\nHost: b:1\r\nExpect: 100-Continue\r\nContent-Length: 7\r\n\r\n")
        #expect(waiting.expectsContinue)
        #expect(waiting.framing == .length(7))
        #expect(waiting.authority == "b:1")
        #expect(
            try !head("POST / HTTP/1.1\r\nHost: b\r\nExpect: 100-continue\r\n\r\n").expectsContinue)
        #expect(
            try !head("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 7\r\n\r\n")
                .expectsContinue)
    }

    @Test("the reader knows whether a refused request was a HEAD")
    func knowsHead() {
        var reader = HTTP1RequestReader()
        #expect(throws: HTTP1Error.self) {
            try bytes("HEAD / HTTP/1.1\r\n\r\n").withUnsafeBytes { _ = try reader.next($0) }
        }
        #expect(reader.isHeadRequest)
    }

    private func head(_ text: String) throws -> HTTP1RequestHead {
        var reader = HTTP1RequestReader()
        let step = try bytes(text).withUnsafeBytes { try reader.next($0).step }
        guard case .head(let head) = step else { throw HTTP1Error(.truncated) }
        return head
    }
}
