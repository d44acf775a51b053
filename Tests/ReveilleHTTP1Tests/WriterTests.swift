import ReaderFuzzing
import ReveilleBytes
import ReveilleHTTP1
import Testing

@Suite("The writer decides about framing")
struct WriterTests {
    private func response(
        _ status: Int, _ fields: [(String, String)] = [], _ body: String = "", isHead: Bool = false,
        _ persistence: HTTP1Writer.Persistence = .persistent
    ) -> String {
        let queue = ByteQueue()
        var list = FieldList()
        for (name, value) in fields { list.append(name, value) }
        HTTP1Writer.writeResponse(
            status: status, fields: list, body: bytes(body), isHead: isHead,
            persistence: persistence, date: bytes("D"), to: queue)
        return queue.withReadableBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a response has one length, and its fields in order")
    func plain() {
        #expect(
            response(200, [("content-type", "text/plain"), ("x", "y")], "hello")
                == "HTTP/1.1 200 OK\r\nDate: D\r\ncontent-type: text/plain\r\nx: y\r\n"
                + "Content-Length: 5\r\n\r\nhello")
    }

    @Test("fields that would contradict the framing are left out")
    func ownedFields() {
        let fields = [
            ("content-length", "99"), ("transfer-encoding", "chunked"), ("connection", "upgrade"),
            ("keep-alive", "timeout=5"), ("date", "yesterday"), ("x", "y"),
        ]
        #expect(response(200, fields, "a") == response(200, [("x", "y")], "a"))
    }

    @Test("an answer to HEAD tells the size and keeps the body")
    func head() {
        #expect(
            response(200, [], "hello", isHead: true)
                == "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\n\r\n")
    }

    @Test("statuses without a body have no length either", arguments: [204, 304])
    func bodyless(status: Int) {
        let text = response(status, [], "hello")
        #expect(text.hasSuffix("Date: D\r\n\r\n"))
        #expect(!text.contains("Length"))
    }

    @Test("the connection's fate is told")
    func persistence() {
        #expect(response(200, [], "", .closes).contains("\r\nConnection: close\r\n"))
        #expect(response(200, [], "", .persistentHTTP10).contains("\r\nConnection: keep-alive\r\n"))
        #expect(!response(200).contains("Connection"))
    }

    @Test("a status without a phrase still ends its line as the grammar asks")
    func unknownStatus() {
        #expect(response(299).hasPrefix("HTTP/1.1 299 \r\n"))
    }

    @Test("what is written is read again", arguments: [0, 1, 63, 4096])
    func roundTrip(size: Int) throws {
        let queue = ByteQueue()
        var fields = FieldList()
        fields.append("authorization", "Bearer x")
        fields.append("host", "ignored")
        HTTP1Writer.writeRequest(
            method: "POST", target: "/a", authority: "example.org:8443", fields: fields,
            body: [UInt8](repeating: 0x62, count: size), to: queue)
        let trace = RequestTrace(queue.withReadableBytes { [UInt8]($0) })
        let request = try #require(trace.requests.first)
        #expect(trace.error == nil)
        #expect(request.body.count == size)
        #expect(request.fields.values("host") == ["example.org:8443"])
        #expect(request.fields["content-length"] == "\(size)")
        #expect(request.fields["authorization"] == "Bearer x")
    }

    @Test("a request without a body has a length only where one is expected")
    func requestLength() {
        for (method, expected) in [("GET", false), ("HEAD", false), ("POST", true), ("DELETE", true)] {
            let queue = ByteQueue()
            HTTP1Writer.writeRequest(
                method: method, target: "/", authority: "a", fields: FieldList(), body: [],
                to: queue)
            let text = queue.withReadableBytes { String(decoding: $0, as: UTF8.self) }
            #expect(text.contains("Content-Length") == expected)
        }
    }

    @Test("the interim answer is exactly one line and an empty one")
    func interim() {
        let queue = ByteQueue()
        HTTP1Writer.writeContinue(to: queue)
        #expect(
            queue.withReadableBytes { String(decoding: $0, as: UTF8.self) }
                == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    @Test(
        "dates have the fixed form",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func dates(seconds: Int64, text: String) {
        #expect(HTTPDate.format(secondsSince1970: seconds) == bytes(text))
    }
}
