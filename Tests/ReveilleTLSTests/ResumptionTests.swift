import ReveilleTLS
import Testing

@Suite("Resumption of sessions")
struct ResumptionTests {
    /// Connects, exchanges a byte each way so that the tickets arrive, and says whether the session
    /// was resumed.
    private func connect(
        _ client: TLSContext, _ server: TLSContext, name: String = "localhost"
    ) throws -> Bool {
        let pair = try TLSPair(client: client, server: server, serverName: name)
        pair.handshake()
        try #require(pair.clientResult == .complete && pair.serverResult == .complete)
        let up = TLSPair.read(pair.server, from: try TLSPair.write([1], to: pair.client))
        let down = TLSPair.read(pair.client, from: try TLSPair.write([2], to: pair.server))
        try #require(up.bytes == [1] && down.bytes == [2])
        #expect(pair.client.isResumed == pair.server.isResumed)
        return pair.client.isResumed
    }

    @Test("a second connection to the same name resumes the first")
    func resumes() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client()
        let server = try fixture.server()
        #expect(try !connect(client, server))
        #expect(client.resumableSessions(for: "localhost") > 0)
        for _ in 0..<5 { #expect(try connect(client, server)) }
    }

    @Test("sessions of TLS 1.2 are resumed too, and may be used more than once")
    func resumesOldVersion() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client(versions: TLSVersion.tls12 ... .tls12)
        let server = try fixture.server()
        #expect(try !connect(client, server))
        let known = client.resumableSessions(for: "localhost")
        #expect(known == 1)
        for _ in 0..<3 { #expect(try connect(client, server)) }
        #expect(client.resumableSessions(for: "localhost") >= known)
    }

    @Test("application protocols are agreed on anew in a resumed session")
    func resumedProtocol() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client(alpn: ["h2"])
        let server = try fixture.server(alpn: ["h2"])
        for _ in 0..<2 {
            let pair = try TLSPair(client: client, server: server)
            pair.handshake()
            _ = TLSPair.read(pair.client, from: try TLSPair.write([2], to: pair.server))
            #expect(pair.client.negotiatedProtocol == "h2")
        }
    }

    @Test("another name does not resume")
    func otherName() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client()
        let server = try fixture.server(names: ["a.example", "b.example"])
        #expect(try !connect(client, server, name: "a.example"))
        #expect(try !connect(client, server, name: "b.example"))
        #expect(try connect(client, server, name: "a.example"))
    }

    @Test("a ticket is used for one connection only")
    func oneUse() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client()
        #expect(try !connect(client, try fixture.server()))
        let before = client.resumableSessions(for: "localhost")
        _ = try client.makeSession(serverName: "localhost")
        #expect(client.resumableSessions(for: "localhost") == before - 1)
    }

    @Test("tickets of another server lead to a full handshake, not to a failure")
    func foreignTicket() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client()
        #expect(try !connect(client, try fixture.server()))
        #expect(try !connect(client, try fixture.server()))
    }

    @Test("the number of kept sessions is bounded")
    func bounded() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client()
        for _ in 0..<20 { _ = try connect(client, try fixture.server()) }
        #expect(client.resumableSessions(for: "localhost") <= 8)
    }

    @Test("the number of names whose sessions are kept is bounded")
    func boundedNames() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client()
        let server = try fixture.server(names: ["*.example.org"])
        let names = (0..<260).map { "h\($0).example.org" }
        for name in names { _ = try connect(client, server, name: name) }
        #expect(names.count { client.resumableSessions(for: $0) > 0 } == 256)
        #expect(client.resumableSessions(for: names[259]) > 0)
    }

    @Test("a client may keep nothing")
    func switchedOff() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client(resumesSessions: false)
        let server = try fixture.server()
        for _ in 0..<3 { #expect(try !connect(client, server)) }
        #expect(client.resumableSessions(for: "localhost") == 0)
    }
}
