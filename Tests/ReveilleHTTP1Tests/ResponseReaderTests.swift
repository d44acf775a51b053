import ReaderFuzzing
import ReveilleBytes
import ReveilleHTTP1
import Testing

@Suite("The reader of responses is as strict")
struct ResponseReaderTests {
    struct Row: Sendable, CustomStringConvertible {
        let description: String
        let text: String
        var isHead = false
        var ends = false
        let status: Int
        var body = ""
        var interim: [Int] = []
        var isPersistent = true
    }

    static let rows: [Row] = [
        Row(
            description: "a body of known length",
            text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, body: "hello"),
        Row(
            description: "chunks",
            text: "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            status: 201, body: "hi"),
        Row(
            description: "a body until the end",
            text: "HTTP/1.1 200 OK\r\n\r\nhello", ends: true, status: 200, body: "hello",
            isPersistent: false),
        Row(
            description: "HTTP/1.0", text: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
            status: 200, body: "x", isPersistent: false),
        Row(
            description: "an answer to HEAD",
            text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", isHead: true, status: 200),
        Row(description: "no content", text: "HTTP/1.1 204 No Content\r\n\r\n", status: 204),
        Row(
            description: "not modified, with the length of what is not sent",
            text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", status: 304),
        Row(description: "no reason", text: "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", status: 200),
        Row(
            description: "no reason and no space", text: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
            status: 200),
        Row(
            description: "interim answers",
            text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            status: 200, body: "x", interim: [100, 103]),
        Row(
            description: "a last answer",
            text: "HTTP/1.1 429 Slow Down\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            status: 429, isPersistent: false),
    ]

    @Test("an answer is read as it was meant, however it is split", arguments: rows)
    func reads(row: Row) {
        let whole = ResponseTrace(bytes(row.text), isHead: row.isHead, ends: row.ends)
        #expect(whole.error == nil)
        #expect(whole.status == row.status)
        #expect(whole.body == bytes(row.body))
        #expect(whole.interim == row.interim)
        #expect(whole.isComplete)
        #expect(whole.isPersistent == row.isPersistent)
        for size in [1, 2, 3, 7] {
            let split = ResponseTrace(
                bytes(row.text), isHead: row.isHead, inPiecesOf: size, ends: row.ends)
            #expect(split == whole)
        }
    }

    struct Refused: Sendable, CustomStringConvertible {
        let text: String
        let code: String
        var description: String { code + ": " + text.prefix(60).replacing("\r\n", with: " | ") }

        init(_ text: String, _ code: String) {
            self.text = text
            self.code = code
        }
    }

    static let refused: [Refused] = [
        Refused("HTTP/2 200\r\n\r\n", "status_line_malformed"),
        Refused("HTTP/1.2 200 OK\r\n\r\n", "status_line_malformed"),
        Refused("HTTP/1.1 20 OK\r\n\r\n", "status_line_malformed"),
        Refused("HTTP/1.1 2000 OK\r\n\r\n", "status_line_malformed"),
        Refused("HTTP/1.1 099 OK\r\n\r\n", "status_line_malformed"),
        Refused("HTTP/1.1 600 OK\r\n\r\n", "status_line_malformed"),
        Refused("HTTP/1.1  200 OK\r\n\r\n", "status_line_malformed"),
        Refused("HTTP/1.1 200\tOK\r\n\r\n", "status_line_malformed"),
        Refused("ICY 200 OK\r\n\r\n", "status_line_malformed"),
        Refused("\r\nHTTP/1.1 200 OK\r\n\r\n", "status_line_malformed"),
        Refused("HTTP/1.1 200 OK\n\n", "bare_line_feed"),
        Refused("HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "folded_line"),
        Refused("HTTP/1.1 200 OK\r\nX : a\r\n\r\n", "whitespace_before_colon"),
        Refused(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "content_length_duplicated"
        ),
        Refused(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "content_length_with_transfer_encoding"
        ),
        Refused("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "content_length_malformed"),
        Refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "transfer_encoding_malformed"),
        Refused("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "transfer_encoding_malformed"),
        Refused("HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n", "body_too_large"),
        Refused("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 65_537), "body_too_large"),
        Refused("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "unexpected_response"),
        Refused(
            String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 9), "unexpected_response"
        ),
        Refused("HTTP/1.1 204 No Content\r\n\r\nx", "unexpected_response"),
        Refused("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n", "unexpected_response"),
    ]

    @Test("an answer with doubtful framing is refused", arguments: refused)
    func refuses(row: Refused) {
        #expect(ResponseTrace(bytes(row.text)).error?.rawValue == row.code)
        #expect(ResponseTrace(bytes(row.text), inPiecesOf: 3).error?.rawValue == row.code)
    }

    @Test("an end inside an answer is no answer")
    func truncated() {
        let text = bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        for end in 0..<text.count {
            let trace = ResponseTrace([UInt8](text[..<end]), ends: true)
            #expect(trace.error == .truncated, "\(end) bytes")
        }
        var idle = HTTP1ResponseReader()
        #expect(throws: Never.self) { try idle.connectionEnded() }
    }
}
