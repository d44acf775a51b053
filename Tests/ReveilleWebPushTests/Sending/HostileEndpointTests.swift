import Glibc
import LaneTesting
import ReveilleCore
import ReveilleCrypto
import ReveilleEndpoints
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import ReveilleWebPush
import Testing

@Suite("No endpoint that a client gave costs more than its own wake", .timeLimit(.minutes(5)))
struct HostileEndpointTests {
    /// How the try ends at each of them.
    private static func expected(_ manner: HostileServer.Manner) -> ReveilleCore.Outcome {
        let word = WebPushOutcomes.word
        return switch manner {
        case .redirects: .misconfigured(reason: word(.redirect), scope: .subscription)
        // The status of an answer counts, however much comes behind it.
        case .floods: .accepted
        case .floodsHTTP2: .accepted
        case .stalls, .stallsInHead: .unknown(reason: word(.noAnswer))
        case .endlessHead, .endlessInterim, .garbage: .unknown(reason: word(.streamReset))
        // In HTTP/2 a server that says nothing at all is taken for a connection that is gone.
        case .stallsHTTP2, .endlessHeadHTTP2, .garbageHTTP2, .pingsHTTP2: .unknown(reason: word(.connectionLost))
        }
    }

    @Test(
        "each is left within its bounds: one connection, little read, nobody else delayed",
        arguments: HostileServer.Manner.allCases)
    func hostile(_ manner: HostileServer.Manner) async throws {
        try await PushWorld.with(.unifiedPush) { world in
            let hostile = try HostileServer(manner, on: world.serverLoop)
            let other = try ScriptedServer(on: world.serverLoop, names: ["other.example.org"])
            try await other.start()
            other.answer { _ in ScriptedReply(201) }
            let lane = try await world.lane(to: hostile.address, authorityPEM: hostile.authorityPEM)
            let neighbour = try await world.lane(
                to: other.address, "other.example.org", authorityPEM: other.authorityPEM)
            await lane.send([world.attempt(1, hostile.address)])
            try await hostile.heard.wait { $0 > 0 }
            // No time passes for the lanes: who waits for the clock waits for ever.
            await neighbour.send([world.attempt(2, other.address, "other.example.org")])
            try await neighbour.expect(.accepted, of: 2)
            if manner.waits {
                await world.advance(by: .seconds(9))
                #expect(lane.ended.value.isEmpty)
                await world.advance(by: .seconds(1))
            }
            try await lane.expect(Self.expected(manner), of: 1)
            #expect(hostile.accepted.value == 1)
            if manner.goesOn { try await hostile.ended.wait { $0 == 1 } }
            // What the kernel's buffers take of a flood is all that it costs.
            #expect(hostile.said.value < HostileServer.patience / 4)
            await hostile.stop()
            await other.stop()
        }
    }

    @Test("who stalls in the handshake is left after the time to connect, and nothing was said to it")
    func silentHandshake() async throws {
        try await PushWorld.with(.unifiedPush) { world in
            let descriptors = Probe<[Int32]>([])
            let listener = try Listener(address: .loopback(port: 0), loops: [world.serverLoop]) { descriptor, _, _ in
                descriptors.append(descriptor)
            }
            let authority = try CertificateAuthority.generate(commonName: "Nobody")
            let lane = try await world.lane(to: listener.localAddress, authorityPEM: authority.certificatePEM)
            await lane.send([world.attempt(1, listener.localAddress)])
            try await descriptors.wait { !$0.isEmpty }
            await world.advance(by: .milliseconds(2_499))
            #expect(!lane.states.value.isBackingOff)
            await world.advance(by: .milliseconds(1))
            try await lane.states.wait { $0.isBackingOff }
            for descriptor in descriptors.value { close(descriptor) }
            #expect(descriptors.value.count == 1)
            #expect(lane.ended.value.isEmpty)
            #expect(await lane.unsent == 1)
            await listener.stopAndWait()
        }
    }

    @Test(
        "a name whose addresses are not allowed is not connected to, whatever else it has",
        arguments: [
            ["10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["169.254.169.254"], [],
        ])
    func refused(_ addresses: [String]) async throws {
        try await PushWorld.with(.unifiedPush) { world in
            let server = try HostileServer(.stalls, on: world.serverLoop)
            let resolver = ScriptedResolver(addresses.compactMap { SocketAddress(host: $0, port: server.address.port) })
            let lane = try await world.lane(to: server.address, authorityPEM: server.authorityPEM, resolver: resolver)
            await lane.send([world.attempt(1, server.address)])
            try await lane.states.wait { $0.isBackingOff }
            #expect(server.accepted.value == 0 && resolver.count.value == 1)
            #expect(await lane.unsent == 1)
            await server.stop()
        }
    }

    @Test("a name that changes its answer while a connection is kept gets no more requests on it, nor a new connection")
    func rebinding() async throws {
        try await PushWorld.with(.unifiedPush) { world in
            let server = try ScriptedServer(on: world.serverLoop, names: ["push.example.org"])
            try await server.start()
            server.answer { _ in ScriptedReply(201) }
            let resolver = ScriptedResolver([server.address])
            let lane = try await world.lane(to: server.address, authorityPEM: server.authorityPEM, resolver: resolver)
            await lane.send([world.attempt(1, server.address)])
            try await lane.expect(.accepted, of: 1)
            await world.advance(by: .seconds(59))
            await lane.send([world.attempt(2, server.address)])
            try await lane.expect(.accepted, of: 2)
            #expect(resolver.count.value == 1)
            let bad = try #require(SocketAddress(host: "10.0.0.1", port: server.address.port))
            resolver.give([bad])
            await world.advance(by: .seconds(1))
            await lane.send([world.attempt(3, server.address)])
            try await lane.states.wait { $0.isBackingOff }
            #expect(server.seen.value.count == 2 && server.connectionsAccepted == 1)
            #expect(await lane.unsent == 1)
            await server.stop()
        }
    }

    @Test("a kept connection whose address is still good carries on")
    func stillGood() async throws {
        try await withPushServer(.unifiedPush) { world, server, lane in
            for tag in 1...3 {
                await lane.send([world.attempt(UInt64(tag), server.address)])
                try await lane.expect(.accepted, of: UInt64(tag))
                await world.advance(by: .seconds(61))
            }
            #expect(server.connectionsAccepted == 1)
        }
    }

    @Test("a certificate of another name or authority is not taken, and no request leaves", arguments: [true, false])
    func certificates(isOfOtherName: Bool) async throws {
        try await PushWorld.with(.webPush) { world in
            let server = try HostileServer(
                .stalls, names: [isOfOtherName ? "evil.example.org" : "push.example.org"], on: world.serverLoop)
            let stranger = try HostileServer(.stalls, on: world.serverLoop)
            let lane = try await world.lane(
                to: server.address, authorityPEM: isOfOtherName ? server.authorityPEM : stranger.authorityPEM)
            await lane.send([world.attempt(1, server.address)])
            try await lane.states.wait { $0.isBackingOff }
            #expect(server.heard.value == 0 && lane.ended.value.isEmpty)
            await server.stop()
            await stranger.stop()
        }
    }
}

extension [SenderState] {
    /// Whether the sender waits before it connects again.
    var isBackingOff: Bool {
        if case .backingOff? = last { true } else { false }
    }
}
