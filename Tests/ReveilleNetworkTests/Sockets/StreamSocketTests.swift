import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

@Suite("Stream sockets", .timeLimit(.minutes(5)))
struct StreamSocketTests {
    static let echo: SocketPeer.Reaction = { peer, event in
        guard case .received(let count) = event else { return }
        peer.send(Array(peer.received.suffix(count)))
    }

    @Test("bytes go both ways, over IPv4 and IPv6", arguments: [SocketAddress.loopback(port: 0), .loopback6(port: 0)])
    func plain(address: SocketAddress) async throws {
        try await withSocketWorld(at: address, AcceptedSide(reaction: Self.echo)) { world in
            let (client, server) = try await world.pair()
            await client.send([1, 2, 3])
            try await client.record.wait { $0.receivedCount == 3 }
            #expect(await client.received == [1, 2, 3])
            #expect(await client.peerAddress == world.address)
            #expect(await server.peerAddress == client.localAddress)
            #expect(await server.localAddress == world.address)
            #expect(await client.negotiatedProtocol == nil)
        }
    }

    @Test("bytes go both ways over TLS, and both know the protocol")
    func secure() async throws {
        let tls = try SocketTLS()
        try await withSocketWorld(AcceptedSide(tls: tls.server, reaction: Self.echo)) { world in
            let (client, server) = try await world.pair(tls: tls.connecting)
            await client.send([4, 5, 6])
            try await client.record.wait { $0.receivedCount == 3 }
            #expect(await client.received == [4, 5, 6])
            #expect(await client.negotiatedProtocol == "h2")
            #expect(await server.negotiatedProtocol == "h2")
        }
    }

    @Test("what is put into the output before the connection is open goes out afterwards", arguments: [false, true])
    func earlyOutput(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        try await withSocketWorld(AcceptedSide(tls: isSecure ? tls.server : nil)) { world in
            let client = SocketPeer(on: world.clientLoop)
            let address = world.address
            await client.connectAndSend([7, 8, 9], to: address, tls: isSecure ? tls.connecting : nil)
            let server = try await world.accepted()
            try await server.record.wait { $0.receivedCount == 3 }
            try await server.record.wait { $0.hasEnded }
            #expect(await server.received == [7, 8, 9])
        }
    }

    @Test("what must have left before a process was stopped never leaves afterwards", arguments: [false, true])
    func stoppedBeforeSending(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        let clock = ManualClock()
        try await withSocketWorld(AcceptedSide(tls: isSecure ? tls.server : nil), clock: clock) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil)
            let deadline: MonotonicInstant = clock.now() + .seconds(1)
            await client.send([1, 2], by: deadline)
            try await server.record.wait { $0.receivedCount == 2 }
            await client.send([3, 4], by: deadline) { clock.advance(by: .seconds(1)) }
            #expect(try await client.record.wait { $0.closeReason != nil }.closeReason == .outputTooLate)
            #expect(try await server.record.wait { $0.closeReason != nil }.closeReason == .reset)
            #expect(await server.received == [1, 2])
        }
    }

    @Test("what has left is not waited for", arguments: [false, true])
    func sentInTime(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        let clock = ManualClock()
        try await withSocketWorld(AcceptedSide(tls: isSecure ? tls.server : nil), clock: clock) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil)
            await client.send([1, 2], by: clock.now() + .seconds(1))
            try await server.record.wait { $0.receivedCount == 2 }
            clock.advance(by: .seconds(2))
            await client.send([3])
            try await server.record.wait { $0.receivedCount == 3 }
        }
    }

    @Test("our end leaves the peer's direction open", arguments: [false, true])
    func halfClose(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        try await withSocketWorld(AcceptedSide(tls: isSecure ? tls.server : nil)) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil)
            await client.send([1])
            await client.finishWriting()
            try await server.record.wait { $0.hasEnded }
            #expect(await server.received == [1])
            #expect(await server.isOpen)
            await server.send([2, 2])
            try await client.record.wait { $0.receivedCount == 2 }
            await server.finishWriting()
            let ends = try await client.record.wait { $0.closeReason != nil }
            #expect(ends.milestones == [.opened, .ended, .closed(.closedByPeer)])
            try await server.record.wait { $0.closeReason == .closedByPeer }
        }
    }

    @Test("a graceful close hands over everything that was put into the output", arguments: [false, true])
    func gracefulClose(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        try await withSocketWorld(AcceptedSide(tls: isSecure ? tls.server : nil)) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil, keepsBytes: false)
            await client.pauseReading()
            let count = 3_000_000
            await server.send((0..<count).map(SocketPeer.pattern))
            await server.close()
            #expect(await server.pendingOutputBytes > 0)
            await client.resumeReading()
            let end = try await client.record.wait { $0.hasEnded }
            #expect(end.receivedCount == count && end.wrongBytes == 0)
            await client.close()
            try await client.record.wait { $0.closeReason == .closedByUs }
            try await server.record.wait { $0.closeReason == .closedByUs }
        }
    }

    @Test("a graceful close throws away what still comes, without a reset that would destroy what it sent")
    func closeWhileReceiving() async throws {
        try await withSocketWorld { world in
            let (client, server) = try await world.pair()
            await server.pauseReading()
            await client.send([UInt8](repeating: 1, count: 200_000))
            await server.send([5, 5])
            await server.close()
            try await client.record.wait { $0.hasEnded }
            #expect(await client.received == [5, 5])
            await client.close()
            try await server.record.wait { $0.closeReason == .closedByUs }
            #expect(await server.received.isEmpty)
        }
    }

    @Test("a peer that does not end holds a graceful close for a limited time only")
    func lingering() async throws {
        let clock = ManualClock()
        try await withSocketWorld(clock: clock) { world in
            let (client, server) = try await world.pair()
            await server.close()
            try await client.record.wait { $0.hasEnded }
            await world.serverLoop.settle()
            #expect(server.record.value.closeReason == nil)
            clock.advance(by: .seconds(6))
            try await server.record.wait { $0.closeReason == .closedByUs }
        }
    }

    @Test("a peer that sends on and on does not hold a graceful close")
    func endlessInput() async throws {
        // The clock stands still, so that only the amount can end it.
        try await withSocketWorld(clock: ManualClock()) { world in
            let (client, server) = try await world.pair()
            await client.sendPattern(64 << 20)
            await server.close()
            try await server.record.wait { $0.closeReason == .closedByUs }
            try await client.record.wait { $0.closeReason == .reset }
        }
    }

    @Test("an abort shows to the peer as a reset, and loses what was not sent", arguments: [false, true])
    func abort(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        try await withSocketWorld(AcceptedSide(tls: isSecure ? tls.server : nil)) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil)
            await client.abort()
            try await client.record.wait { $0.closeReason == .closedByUs }
            try await server.record.wait { $0.closeReason == .reset }
            #expect(SocketCloseReason.reset.bytesMayHaveLeft)
        }
    }

    @Test(
        "a socket may be closed or aborted inside any of its calls, and is silent afterwards", arguments: [0, 1, 2, 3],
        [false, true])
    func closingInside(which: Int, isAbort: Bool) async throws {
        let reaction: SocketPeer.Reaction = { peer, event in
            let isDue =
                switch (which, event) {
                case (0, .opened), (1, .received), (2, .drainedInput), (3, .drainedOutput): true
                default: false
                }
            guard isDue else { return }
            if isAbort { peer.abort() } else { peer.close() }
        }
        let tls = try SocketTLS()
        try await withSocketWorld(AcceptedSide(tls: tls.server, reaction: reaction)) { world in
            let client = SocketPeer(on: world.clientLoop)
            await client.connectAndSend([1, 2], to: world.address, tls: tls.connecting)
            let server = try await world.accepted()
            if which == 3 { await server.send([1]) }
            let record = try await server.record.wait { $0.closeReason != nil }
            #expect(record.closeReason == .closedByUs)
            #expect(record.milestones.count { $0 == .closed(.closedByUs) } == 1)
            await world.serverLoop.settle()
            #expect(server.record.value.milestones == record.milestones)
        }
    }

    @Test("a pause stops delivery at once, and nothing is lost", arguments: [false, true])
    func pauseInside(isSecure: Bool) async throws {
        let pauseOnce: SocketPeer.Reaction = { peer, event in
            if case .received = event { peer.pauseReading() }
        }
        let tls = try SocketTLS()
        let side = AcceptedSide(tls: isSecure ? tls.server : nil, keepsBytes: false, reaction: pauseOnce)
        try await withSocketWorld(side) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil)
            let count = 1_000_000
            await client.send((0..<count).map(SocketPeer.pattern))
            var last = 0
            while last < count {
                let soFar = last
                last = try await server.record.wait { $0.receivedCount > soFar }.receivedCount
                await world.serverLoop.settle()
                #expect(server.record.value.receivedCount == last)
                await server.resumeReading()
            }
            #expect(server.record.value.wrongBytes == 0)
        }
    }

    @Test("large transfers in both directions at once arrive whole", arguments: [false, true])
    func largeTransfers(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        let side = AcceptedSide(tls: isSecure ? tls.server : nil, keepsBytes: false)
        try await withSocketWorld(side) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil, keepsBytes: false)
            let count = TestScale.count(80 << 20)
            await client.sendPattern(count)
            await server.sendPattern(count)
            for peer in [client, server] {
                let record = try await peer.record.wait { $0.receivedCount == count }
                #expect(record.wrongBytes == 0)
            }
        }
    }

    @Test("a reader that stops holds the writer back, and the transfer goes on afterwards", arguments: [false, true])
    func backPressure(isSecure: Bool) async throws {
        let tls = try SocketTLS()
        let side = AcceptedSide(tls: isSecure ? tls.server : nil, keepsBytes: false)
        try await withSocketWorld(side) { world in
            let (client, server) = try await world.pair(tls: isSecure ? tls.connecting : nil)
            await server.pauseReading()
            // More than the kernel's buffers of both sides hold.
            let count = 20 << 20
            await client.sendPattern(count)
            try await client.record.wait { $0.sentCount > 0 }
            var before = -1
            while before != client.record.value.sentCount {
                before = client.record.value.sentCount
                for _ in 0..<20 {
                    await world.clientLoop.settle()
                    await world.serverLoop.settle()
                }
            }
            #expect(before < count)
            #expect(server.record.value.receivedCount == 0)
            #expect(await client.pendingOutputBytes > 0)
            #expect(await client.pendingOutputBytes <= SocketPeer.portion + 1024)
            await server.resumeReading()
            let record = try await server.record.wait { $0.receivedCount == count }
            #expect(record.wrongBytes == 0)
            #expect(await client.pendingOutputBytes == 0)
        }
    }

    @Test("a flush gives the bytes to the kernel before it returns")
    func explicitFlush() async throws {
        try await withSocketWorld { world in
            let (client, server) = try await world.pair()
            #expect(await client.pendingAfterFlush([1, 2, 3]) == [3, 0])
            try await server.record.wait { $0.receivedCount == 3 }
        }
    }
}

extension SocketPeer {
    /// Connects, and sends and ends before the connection can be open.
    func connectAndSend(
        _ bytes: [UInt8], to address: SocketAddress, tls: (context: TLSContext, serverName: String)?
    ) {
        connect(to: address, tls: tls)
        send(bytes)
        finishWriting()
    }

    /// What waits before and after a flush within one turn.
    func pendingAfterFlush(_ bytes: [UInt8]) -> [Int] {
        send(bytes)
        let before = pendingOutputBytes
        flush()
        return [before, pendingOutputBytes]
    }
}
