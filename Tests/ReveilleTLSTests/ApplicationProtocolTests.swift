import ReveilleTLS
import Testing

@Suite("Application protocols")
struct ApplicationProtocolTests {
    @Test(
        "the server's preference decides among what both have",
        arguments: [
            (["h2", "http/1.1"], ["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], ["h2", "http/1.1"], "h2"),
            (["h2"], ["http/1.1", "h2"], "h2"), (["http/1.1"], ["h2", "http/1.1"], "http/1.1"),
            (["h2", "http/1.1"], ["http/1.1"], "http/1.1"),
        ])
    func common(offered: [String], accepted: [String], expected: String) throws {
        let fixture = try TLSFixture()
        let pair = try TLSPair(
            client: try fixture.client(alpn: offered), server: try fixture.server(alpn: accepted))
        pair.handshake()
        #expect(pair.clientResult == .complete && pair.serverResult == .complete)
        #expect(pair.client.negotiatedProtocol == expected)
        #expect(pair.server.negotiatedProtocol == expected)
    }

    @Test("nothing in common ends the handshake on both sides", arguments: [["http/1.1"], ["h"], ["h22"], ["h2c"]])
    func nothingInCommon(offered: [String]) throws {
        let fixture = try TLSFixture()
        let pair = try TLSPair(
            client: try fixture.client(alpn: offered), server: try fixture.server(alpn: ["h2"]))
        pair.handshake()
        #expect(pair.serverResult.error?.code == .noCommonProtocol)
        #expect(pair.clientResult.error?.code == .noCommonProtocol)
        #expect(pair.clientResult.error?.alert == 120)
    }

    @Test("a server without protocols is refused by a client that needs one, and accepted by others")
    func silentServer() throws {
        let fixture = try TLSFixture()
        let server = try fixture.server()
        let strict = try TLSPair(client: try fixture.client(alpn: ["h2"]), server: server)
        strict.handshake()
        #expect(strict.clientResult.error == TLSError(.noCommonProtocol))
        let lenient = try TLSPair(
            client: try fixture.client(alpn: ["h2"], requiresApplicationProtocol: false), server: server)
        lenient.handshake()
        #expect(lenient.clientResult == .complete)
        #expect(lenient.client.negotiatedProtocol == nil)
    }

    @Test("a client without protocols is accepted")
    func silentClient() throws {
        let fixture = try TLSFixture()
        let pair = try TLSPair(client: try fixture.client(), server: try fixture.server(alpn: ["h2"]))
        pair.handshake()
        #expect(pair.serverResult == .complete && pair.clientResult == .complete)
        #expect(pair.server.negotiatedProtocol == nil)
    }

    @Test("names of protocols have 1 to 255 bytes", arguments: ["", String(repeating: "x", count: 256)])
    func refusedNames(name: String) throws {
        let fixture = try TLSFixture()
        #expect(throws: TLSError(.badConfiguration)) { try fixture.client(alpn: ["h2", name]) }
        #expect(throws: TLSError(.badConfiguration)) { try fixture.server(alpn: ["h2", name]) }
    }
}
