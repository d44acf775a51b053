import RawHTTP
import ReveilleBytes
import ReveilleHTTP2
import Testing

@Suite("The server engine refuses malformed requests")
struct ServerMalformedTests {
    struct Row: Sendable, CustomStringConvertible {
        let description: String
        let bytes: [UInt8]
        /// What the stream, or the connection, is ended with.
        let code: HTTP2ErrorCode

        init(_ description: String, _ bytes: [UInt8], _ code: HTTP2ErrorCode = .protocolError) {
            self.description = description
            self.bytes = bytes
            self.code = code
        }

        init(_ description: String, _ fields: [(String, String)]) {
            self.init(description, RawHTTP2.headers(1, fields))
        }
    }

    static func with(_ fields: [(String, String)]) -> [(String, String)] {
        RawHTTP2.request() + fields
    }

    static func without(_ name: String) -> [(String, String)] {
        RawHTTP2.request().filter { $0.0 != name }
    }

    static func replacing(_ name: String, _ value: String) -> [(String, String)] {
        RawHTTP2.request().map { $0.0 == name ? (name, value) : $0 }
    }

    /// A request with a length and the DATA frames that follow.
    static func body(_ length: String, _ data: [(String, Bool)]) -> [UInt8] {
        RawHTTP2.headers(
            1, RawHTTP2.request("POST") + [("content-length", length)], endsStream: data.isEmpty)
            + data.flatMap { RawHTTP2.data(1, [UInt8]($0.0.utf8), endsStream: $0.1).bytes }
    }

    static let fieldRows: [Row] = [
        Row("a name in upper case", with([("X-Name", "a")])),
        Row("connection", with([("connection", "close")])),
        Row("keep-alive", with([("keep-alive", "timeout=5")])),
        Row("proxy-connection", with([("proxy-connection", "close")])),
        Row("transfer-encoding", with([("transfer-encoding", "chunked")])),
        Row("upgrade", with([("upgrade", "h2c")])),
        Row("te other than trailers", with([("te", "gzip")])),
        Row("no method", without(":method")),
        Row("no scheme", without(":scheme")),
        Row("no path", without(":path")),
        Row("neither authority nor Host", without(":authority")),
        Row("an empty path", replacing(":path", "")),
        Row("a path without a slash", replacing(":path", "index")),
        Row("an asterisk for GET", replacing(":path", "*")),
        Row("an empty method", replacing(":method", "")),
        Row("a method that is no token", replacing(":method", "GE T")),
        Row("CR LF in a path", replacing(":path", "/a\r\nx: y")),
        Row("a space in a path", replacing(":path", "/a b")),
        Row("two methods", with([(":method", "GET")])),
        Row("two paths", [(":path", "/")] + RawHTTP2.request()),
        Row("two authorities", [(":authority", "b")] + RawHTTP2.request()),
        Row("an unknown pseudo-header field", [(":x", "y")] + RawHTTP2.request()),
        Row("a response's pseudo-header field", [(":status", "200")] + RawHTTP2.request()),
        Row("a pseudo-header field after others", [("x", "y")] + RawHTTP2.request()),
        Row("CONNECT with a path", replacing(":method", "CONNECT")),
        Row("a Host that contradicts the authority", with([("host", "evil.example")])),
        Row("two Hosts", with([("host", "example.org"), ("host", "example.org")])),
        Row("a space in a name", with([("x y", "z")])),
        Row("an empty name", with([("", "z")])),
        Row("NUL in a name", with([("x\u{0}", "z")])),
        Row("NUL in a value", with([("x", "y\u{0}z")])),
        Row("CR in a value", with([("x", "y\rz")])),
        Row("LF in a value", with([("x", "y\nz")])),
        Row("a space before a value", with([("x", " y")])),
        Row("two lengths", with([("content-length", "0"), ("content-length", "0")])),
        Row("a length that is no number", with([("content-length", "x")])),
        Row("a negative length", with([("content-length", "-1")])),
        Row("a list of lengths", with([("content-length", "0,0")])),
        Row("a length that no integer holds", with([("content-length", "99999999999999999999")])),
    ]

    static let bodyRows: [Row] = [
        Row("a length and no body", body("5", [])),
        Row("a body shorter than its length", body("5", [("hell", true)])),
        Row("a body longer than its length", body("5", [("hello!", true)])),
        Row("a body longer than its length, in two frames", body("5", [("hello", false), ("!", true)])),
        Row("a body for a length of 0", body("0", [("x", true)])),
        Row(
            "trailers with a pseudo-header field",
            RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false)
                + RawHTTP2.headers(1, [(":path", "/b")])),
        Row(
            "trailers that do not end the request",
            RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false)
                + RawHTTP2.headers(1, [("x", "y")], endsStream: false)),
        Row(
            "a window that overflows on a stream",
            RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false)
                + RawHTTP2.windowUpdate(1, 0x7FFF_FFFF).bytes, .flowControlError),
        Row(
            "more data than the stream's window",
            RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false)
                + (0..<9).flatMap { _ in
                    RawHTTP2.data(1, [UInt8](repeating: 0, count: 16_384)).bytes
                }, .flowControlError),
    ]

    @Test("a malformed request is reset and never told complete", arguments: fieldRows + bodyRows)
    func resets(row: Row) throws {
        // The library gives windows back as it reads; with no reading in between the peer sees only the first window.
        let probe = try ServerProbe(HTTP2ServerLimits(maximumBodyBytes: 1 << 20))
        probe.onEnd = answering(200)
        probe.send(RawHTTP2.opening + row.bytes)
        #expect(probe.resets[1] == row.code.rawValue)
        #expect(!probe.heard.contains(.end(1)))
        #expect(probe.statuses.isEmpty)
        // The connection lives on.
        probe.send(RawHTTP2.headers(3, RawHTTP2.request()))
        #expect(probe.statuses == [3: 200])
        #expect(probe.goAway == nil)
        #expect(probe.engine.openStreams == 0)
    }

    @Test("what a request may say is not refused")
    func accepted() throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(200)
        probe.send(
            RawHTTP2.opening
                + RawHTTP2.headers(1, Self.with([("te", "trailers"), ("host", "EXAMPLE.org")]))
                + RawHTTP2.headers(3, Self.without(":authority") + [("host", "b")])
                + RawHTTP2.headers(
                    5, [(":method", "OPTIONS"), (":scheme", "http"), (":path", "*"), (":authority", "a")])
                + RawHTTP2.headers(7, [(":method", "CONNECT"), (":authority", "a:1")])
                + RawHTTP2.headers(9, RawHTTP2.request("POST"), endsStream: false)
                + RawHTTP2.headers(9, [("x-trailer", "y")])
                + RawHTTP2.headers(11, Self.with([("x", "\u{E9}")])))
        #expect(probe.statuses == [1: 200, 3: 200, 5: 200, 7: 200, 9: 200, 11: 200])
        #expect(probe.heads[3]?.authority == "b")
        #expect(probe.heads[7]?.method == "CONNECT")
        #expect(probe.heads[9]?.fields["x-trailer"] == nil)
        #expect(probe.heads[11]?.fields["x"] == "\u{E9}")
    }
}

@Suite("The server engine ends connections that break the protocol")
struct ServerProtocolTests {
    typealias Row = ServerMalformedTests.Row

    static let request = RawHTTP2.headers(1, RawHTTP2.request())
    static let open = RawHTTP2.headers(1, RawHTTP2.request("POST"), endsStream: false)

    static let rows: [Row] = [
        Row("HEADERS on stream 0", RawHTTP2.headers(0, RawHTTP2.request())),
        Row("a request on an even stream", RawHTTP2.headers(2, RawHTTP2.request())),
        Row("DATA on stream 0", RawHTTP2.data(0, [1]).bytes),
        Row("DATA on a stream that was never opened", RawHTTP2.data(1, [1]).bytes),
        Row("a reset of a stream that was never opened", RawHTTP2.reset(1).bytes),
        Row("a reset of stream 0", RawHTTP2.reset(0).bytes),
        Row("a reset of the wrong size", RawFrame(.resetStream, stream: 1, [0]).bytes, .frameSizeError),
        Row("a window update of 0", RawHTTP2.windowUpdate(0, 0).bytes),
        Row("a window that overflows", RawHTTP2.windowUpdate(0, 0x7FFF_FFFF).bytes, .flowControlError),
        Row("a window update for a stream that was never opened", RawHTTP2.windowUpdate(1, 1).bytes),
        Row("a window update of the wrong size", RawFrame(.windowUpdate, [0]).bytes, .frameSizeError),
        Row("SETTINGS of a broken size", RawFrame(.settings, [0]).bytes, .frameSizeError),
        Row("SETTINGS on a stream", RawFrame(.settings, stream: 1).bytes),
        Row(
            "an acknowledgement with a payload", RawFrame(.settings, flags: 1, [0, 0, 0, 0, 0, 0]).bytes,
            .frameSizeError),
        Row("a window setting beyond 2^31-1", RawHTTP2.settings([(4, 0x8000_0000)]).bytes, .flowControlError),
        Row("a frame size setting below 16 384", RawHTTP2.settings([(5, 1)]).bytes),
        Row("a push setting that is no switch", RawHTTP2.settings([(2, 2)]).bytes),
        Row("PING of the wrong size", RawFrame(.ping, [0]).bytes, .frameSizeError),
        Row("PING on a stream", RawFrame(.ping, stream: 1, [UInt8](repeating: 0, count: 8)).bytes),
        Row("GOAWAY on a stream", RawFrame(.goAway, stream: 1, [UInt8](repeating: 0, count: 8)).bytes),
        Row(
            "a frame larger than was allowed", open + RawHTTP2.data(1, [UInt8](repeating: 0, count: 16_385)).bytes,
            .frameSizeError),
        Row("CONTINUATION without HEADERS", RawFrame(.continuation, flags: 4, stream: 1).bytes),
        Row(
            "a frame inside a header block",
            RawFrame(.headers, flags: 1, stream: 1, RawHTTP2.block(RawHTTP2.request())).bytes + RawHTTP2.ping().bytes),
        Row(
            "CONTINUATION of another stream",
            RawFrame(.headers, flags: 1, stream: 1, RawHTTP2.block(RawHTTP2.request())).bytes
                + RawFrame(.continuation, flags: 4, stream: 3).bytes),
        Row("a push from a client", RawFrame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2]).bytes),
        Row("an index that the table lacks", RawFrame(.headers, flags: 5, stream: 1, [0xFE]).bytes, .compressionError),
        Row(
            "a header block that stops inside a field",
            RawFrame(.headers, flags: 5, stream: 1, [0x00, 0x05, 0x61]).bytes, .compressionError),
        Row(
            "a table size beyond the setting", RawFrame(.headers, flags: 5, stream: 1, [0x3F, 0xFF, 0xFF, 0x7F]).bytes,
            .compressionError),
        Row("more padding than payload", open + RawFrame(.data, flags: 8, stream: 1, [5, 1]).bytes),
        Row("HEADERS with more padding than payload", RawFrame(.headers, flags: 0xD, stream: 1, [200, 0]).bytes),
    ]

    @Test("a broken connection is told why and reads no more", arguments: rows)
    func goAway(row: Row) throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(200)
        probe.send(RawHTTP2.opening + row.bytes)
        #expect(probe.goAway?.errorCode == row.code.rawValue)
        #expect(probe.engine.goAwaySent == row.code)
        #expect(!probe.engine.wantsInput)
        #expect(probe.engine.isFinished)
        probe.forget()
        probe.send(RawHTTP2.headers(101, RawHTTP2.request()))
        #expect(probe.heard.isEmpty)
    }

    @Test("a stream number that goes back is not served")
    func streamNumberGoesBack() throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(200)
        probe.send(
            RawHTTP2.opening + RawHTTP2.headers(5, RawHTTP2.request())
                + RawHTTP2.headers(3, RawHTTP2.request()))
        #expect(probe.statuses == [5: 200])
        #expect(!probe.heard.contains(.begin(3)))
    }

    @Test("DATA after the end of a request is refused")
    func dataAfterEnd() throws {
        let probe = try ServerProbe()
        probe.send(RawHTTP2.opening + Self.request + RawHTTP2.data(1, [1]).bytes)
        let code = probe.resets[1] ?? probe.goAway?.errorCode
        #expect(code == HTTP2ErrorCode.streamClosed.rawValue)
    }

    @Test(
        "bytes that are no preface end the connection without an answer",
        arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "\u{16}\u{3}\u{1}"])
    func preface(text: String) throws {
        let probe = try ServerProbe()
        probe.send([UInt8](text.utf8))
        #expect(probe.failure?.code == .prefaceMissing)
    }

    @Test("SETTINGS must come first")
    func settingsFirst() throws {
        let probe = try ServerProbe()
        probe.send(RawHTTP2.magic + RawHTTP2.ping().bytes)
        #expect(probe.goAway?.errorCode == HTTP2ErrorCode.protocolError.rawValue)
    }

    @Test("frames of unknown types and flags are read over")
    func unknownFrames() throws {
        let probe = try ServerProbe()
        probe.onEnd = answering(200)
        probe.send(
            RawHTTP2.opening + RawFrame(.unknown, flags: 0xFF, stream: 9, [1, 2, 3]).bytes
                + RawHTTP2.settings([(0x7777, 5)]).bytes + Self.request)
        #expect(probe.statuses == [1: 200])
        #expect(probe.goAway == nil)
    }
}
