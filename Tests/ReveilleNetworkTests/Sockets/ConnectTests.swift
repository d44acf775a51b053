import ReveilleCrypto
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

@Suite("Connecting", .timeLimit(.minutes(5)))
struct ConnectTests {
    /// Connects a client to a world and waits for both sides' ends.
    private func failure(_ tls: SocketTLS, serverName: String = "localhost") async throws -> (
        client: SocketCloseReason?, server: SocketCloseReason?
    ) {
        var result: (SocketCloseReason?, SocketCloseReason?)
        try await withSocketWorld(tls.accepting) { world in
            let client = SocketPeer(on: world.clientLoop)
            await client.connect(to: world.address, tls: (tls.client, serverName))
            let record = try await client.record.wait { $0.closeReason != nil }
            #expect(!record.isOpen)
            let server = try await world.accepted()
            let serverRecord = try await server.record.wait { $0.closeReason != nil }
            #expect(!serverRecord.isOpen)
            result = (record.closeReason, serverRecord.closeReason)
        }
        return result
    }

    private func code(_ reason: SocketCloseReason?) -> TLSError.Code? {
        guard case .tlsFailed(let error)? = reason else { return nil }
        #expect(reason?.bytesMayHaveLeft == false)
        return error.code
    }

    @Test("a chain of another authority is refused, and the server is told")
    func badChain() async throws {
        let reasons = try await failure(try SocketTLS(isTrusted: false))
        #expect(code(reasons.client) == .unknownAuthority)
        #expect(code(reasons.server) == .refusedByPeer)
    }

    @Test("a certificate of another host is refused")
    func wrongHost() async throws {
        let reasons = try await failure(try SocketTLS(), serverName: "other.example")
        #expect(code(reasons.client) == .hostNameMismatch)
        #expect(code(reasons.server) == .refusedByPeer)
    }

    @Test("a certificate that has expired is refused")
    func expired() async throws {
        let reasons = try await failure(try SocketTLS(validity: .expired))
        #expect(code(reasons.client) == .certificateExpired)
        #expect(code(reasons.server) == .refusedByPeer)
    }

    @Test("no common protocol is a failure on both sides")
    func protocolMismatch() async throws {
        let reasons = try await failure(try SocketTLS(clientALPN: ["h2"], serverALPN: ["http/1.1"]))
        #expect(code(reasons.client) == .noCommonProtocol)
        #expect(code(reasons.server) == .noCommonProtocol)
    }

    @Test("a server without TLS fails the handshake")
    func plainServer() async throws {
        let answer: SocketPeer.Reaction = { peer, event in
            if case .received = event { peer.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) }
        }
        let tls = try SocketTLS()
        try await withSocketWorld(AcceptedSide(reaction: answer)) { world in
            let client = SocketPeer(on: world.clientLoop)
            await client.connect(to: world.address, tls: tls.connecting)
            let record = try await client.record.wait { $0.closeReason != nil }
            #expect(code(record.closeReason) == .protocolViolation)
        }
    }

    @Test("a server that ends or resets during the handshake is a failure before anything was sent")
    func endDuringHandshake() async throws {
        let tls = try SocketTLS()
        for isAbort in [false, true] {
            let leave: SocketPeer.Reaction = { peer, event in
                guard case .received = event else { return }
                if isAbort { peer.abort() } else { peer.finishWriting() }
            }
            try await withSocketWorld(AcceptedSide(reaction: leave)) { world in
                let client = SocketPeer(on: world.clientLoop)
                await client.connect(to: world.address, tls: tls.connecting)
                let record = try await client.record.wait { $0.closeReason != nil }
                if isAbort {
                    #expect(record.closeReason == .connectFailed(.reset))
                } else {
                    #expect(code(record.closeReason) == .truncated)
                }
                #expect(record.closeReason?.bytesMayHaveLeft == false)
            }
        }
    }

    @Test("a name that is none is a failure, not a crash")
    func badServerName() async throws {
        let tls = try SocketTLS()
        try await withSocketWorld(tls.accepting) { world in
            let client = SocketPeer(on: world.clientLoop)
            await client.connect(to: world.address, tls: (tls.client, "not a name"))
            let record = try await client.record.wait { $0.closeReason != nil }
            #expect(code(record.closeReason) == .badConfiguration)
        }
    }

    @Test(
        "where nobody listens the connection is refused",
        // A port that is never given to somebody who asks for any: one that was just free may be another test's by now.
        arguments: [SocketAddress.loopback(port: 1), .loopback6(port: 1)])
    func refused(address: SocketAddress) async throws {
        try await withSocketWorld { world in
            let client = SocketPeer(on: world.clientLoop)
            await client.connect(to: address)
            let record = try await client.record.wait { $0.closeReason != nil }
            #expect(record.milestones == [.closed(.connectFailed(.refused))])
            #expect(record.closeReason?.bytesMayHaveLeft == false)
            #expect(record.closeReason?.code == "connection_refused")
        }
    }

    @Test("connection and handshake together have a time limit")
    func timeout() async throws {
        let clock = ManualClock()
        let tls = try SocketTLS()
        // A server that accepts and says nothing.
        try await withSocketWorld(clock: clock) { world in
            let client = SocketPeer(on: world.clientLoop)
            await client.connect(to: world.address, tls: tls.connecting, timeout: .seconds(10))
            let server = try await world.accepted()
            try await server.record.wait { $0.receivedCount > 0 }
            clock.advance(by: .seconds(9))
            await world.clientLoop.settle()
            #expect(client.record.value.closeReason == nil)
            clock.advance(by: .seconds(2))
            let record = try await client.record.wait { $0.closeReason != nil }
            #expect(record.milestones == [.closed(.connectTimedOut)])
            #expect(record.closeReason?.bytesMayHaveLeft == false)
        }
    }

    @Test("an accepted connection has a time limit for its handshake, and none once it is open")
    func acceptTimeout() async throws {
        let clock = ManualClock()
        let tls = try SocketTLS()
        try await withSocketWorld(tls.accepting, clock: clock) { world in
            let (open, _) = try await world.pair(tls: tls.connecting)
            let silent = SocketPeer(on: world.clientLoop)
            await silent.connect(to: world.address)
            let server = try await world.accepted(1)
            clock.advance(by: .seconds(11))
            try await server.record.wait { $0.closeReason == .connectTimedOut }
            await world.clientLoop.settle()
            #expect(open.record.value.closeReason == nil)
        }
    }

    @Test("a connection that is given up before it is open says so once")
    func givenUp() async throws {
        let tls = try SocketTLS()
        try await withSocketWorld { world in
            for isAbort in [false, true] {
                let client = SocketPeer(on: world.clientLoop)
                await client.connect(to: world.address, tls: tls.connecting)
                if isAbort { await client.abort() } else { await client.close() }
                let record = try await client.record.wait { $0.closeReason != nil }
                #expect(record.milestones == [.closed(.closedByUs)])
            }
        }
    }

    @Test("a second connection resumes the TLS session of the first")
    func resumption() async throws {
        let tls = try SocketTLS()
        let greet: SocketPeer.Reaction = { peer, event in
            if event == .opened { peer.send([1]) }
        }
        try await withSocketWorld(AcceptedSide(tls: tls.server, reaction: greet)) { world in
            for round in 0..<3 {
                let (client, server) = try await world.pair(tls: tls.connecting)
                try await client.record.wait { $0.receivedCount == 1 }
                #expect(await client.isResumed == (round > 0))
                #expect(await server.isResumed == (round > 0))
                await client.abort()
                try await client.record.wait { $0.closeReason != nil }
            }
        }
    }
}
