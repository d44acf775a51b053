import Dispatch
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

@Suite("Connections that break", .timeLimit(.minutes(5)))
struct BrokenConnectionTests {
    @Test("what the peer said before it reset the connection is read, also after a send has failed")
    func lastWords() async throws {
        try await withSocketWorld { world in
            let (client, server) = try await world.pair()
            // The client's loop stands still until the peer has spoken and reset the connection.
            let gate = DispatchSemaphore(value: 0)
            let held = Probe(false)
            let failedSend = Task { await client.sendWhenOpened(gate, held) }
            try await held.wait { $0 }
            await server.sendAndAbort([9, 9, 9])
            gate.signal()
            await failedSend.value
            let record = try await client.record.wait { $0.closeReason != nil }
            #expect(record.closeReason == .reset)
            #expect(await client.received == [9, 9, 9])
        }
    }

    @Test("a reset is noticed by a sender that has stopped reading, blocked or not", arguments: [false, true])
    func resetWhilePaused(isBlocked: Bool) async throws {
        try await withSocketWorld { world in
            let (client, server) = try await world.pair()
            await client.pauseReading()
            if isBlocked {
                await server.pauseReading()
                await client.send([UInt8](repeating: 1, count: 20 << 20))
                await client.flush()
                #expect(await client.pendingOutputBytes > 0)
            }
            await server.abort()
            try await server.record.wait { $0.closeReason != nil }
            while client.record.value.closeReason == nil {
                await client.send([1])
                await world.clientLoop.settle()
            }
            #expect(client.record.value.closeReason == .reset)
            #expect(client.record.value.milestones == [.opened, .closed(.reset)])
        }
    }

    /// The error with which a client's TLS breaks, after one exchange, by what a server does that speaks TLS by hand.
    private static func error(
        after fault: (SocketPeer) async -> Void,
        _ check: (_ client: SocketPeer, _ server: SocketPeer) async throws -> Void
    ) async throws -> TLSError.Code? {
        let tls = try SocketTLS()
        var side = tls.accepting
        side.isByHand = true
        let code = Probe<TLSError.Code?>(nil)
        try await withSocketWorld(side) { world in
            let (client, server) = try await world.pair(tls: tls.connecting)
            await client.send([1])
            try await server.record.wait { $0.receivedCount == 1 }
            await fault(server)
            let record = try await client.record.wait { $0.closeReason != nil }
            if case .tlsBroken(let error)? = record.closeReason { code.update { $0 = error.code } }
            try await check(client, server)
        }
        return code.value
    }

    @Test("an error in TLS after the opening breaks the connection, and the peer is told by an alert")
    func brokenRecords() async throws {
        let code = try await Self.error { server in
            await server.sendRaw([23, 3, 3, 0, 20] + [UInt8](repeating: 0, count: 20))
        } _: { _, server in
            try await server.record.wait { $0.hasEnded }
            #expect(await server.handMadeError()?.code == .refusedByPeer)
        }
        #expect(code == .protocolViolation)
    }

    @Test("an end without close-notify is told apart from a clean one")
    func truncation() async throws {
        let code = try await Self.error { server in
            await server.send([2, 3])
            // The end of the TCP connection alone.
            await server.finishWriting()
        } _: { client, _ in
            #expect(await client.received == [2, 3])
            #expect(!client.record.value.hasEnded)
            #expect(client.record.value.closeReason?.bytesMayHaveLeft == true)
        }
        #expect(code == .truncated)
    }

    @Test("a peer that ended before our end is sent closes the socket when both are done", arguments: [false, true])
    func bothEnds(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        try await withSocketWorld(AcceptedSide(tls: isSecure ? tls.server : nil)) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil)
            await server.finishWriting()
            try await client.record.wait { $0.hasEnded }
            #expect(client.record.value.closeReason == nil)
            await client.send([1, 2])
            await client.close()
            try await client.record.wait { $0.closeReason == .closedByUs }
            try await server.record.wait { $0.closeReason == .closedByPeer }
            #expect(await server.received == [1, 2])
        }
    }

    @Test("one busy connection does not keep another of the same loop waiting")
    func fairness() async throws {
        try await withSocketWorld(AcceptedSide(keepsBytes: false)) { world in
            let (busy, busyServer) = try await world.pair(keepsBytes: false)
            let (quiet, quietServer) = try await world.pair(keepsBytes: false)
            let count = 200 << 20
            await busyServer.sendPattern(count)
            try await busy.record.wait { $0.receivedCount > 1 << 20 }
            await quietServer.sendPattern(1)
            try await quiet.record.wait { $0.receivedCount == 1 }
            #expect(busy.record.value.receivedCount < count)
        }
    }
}

/// Random programs on both ends of a connection; the streams must arrive whole whatever the order of things.
@Suite("Random use of sockets", .timeLimit(.minutes(5)))
struct RandomSocketTests {
    @Test("whatever is sent in whatever pieces arrives whole and in order", arguments: TestSeed.both, [false, true])
    func randomUse(seed: UInt64, isSecure: Bool) async throws {
        let tls = try SocketTLS()
        let side = AcceptedSide(tls: isSecure ? tls.server : nil, keepsBytes: false)
        try await withSocketWorld(side) { world in
            for round in 0..<TestScale.count(100) {
                let random = SeededRandom(seed: seed &+ UInt64(round))
                let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil, keepsBytes: false)
                for _ in 0..<40 {
                    let peer = random.uniform(0..<2) == 0 ? client : server
                    switch random.uniform(0..<8) {
                    case 0: await peer.pauseReading()
                    case 1, 2: await peer.resumeReading()
                    case 3: await peer.flush()
                    case 4: await peer.sendPatternPiece(random.uniform(1..<4))
                    case 5: await peer.sendPatternPiece(random.uniform(16_000..<17_000))
                    default: await peer.sendPatternPiece(random.uniform(1..<200_000))
                    }
                }
                for peer in [client, server] {
                    await peer.resumeReading()
                    await peer.finishWriting()
                }
                for (reader, writer) in [(client, server), (server, client)] {
                    let record = try await reader.record.wait { $0.closeReason != nil }
                    #expect(record.receivedCount == writer.record.value.sentCount, TestSeed.comment(seed))
                    #expect(record.wrongBytes == 0 && record.closeReason == .closedByPeer, TestSeed.comment(seed))
                }
            }
        }
    }
}

extension SocketPeer {
    /// Holds the loop until the gate opens, and sends then, within the same turn.
    func sendWhenOpened(_ gate: DispatchSemaphore, _ held: Probe<Bool>) {
        held.update { $0 = true }
        gate.wait()
        // The first send may still be taken by the kernel; the second then is not.
        for _ in 0..<2 {
            send([1])
            flush()
        }
    }

    /// Gives bytes to the kernel and resets the connection behind them.
    func sendAndAbort(_ bytes: [UInt8]) {
        send(bytes)
        flush()
        abort()
    }
}
