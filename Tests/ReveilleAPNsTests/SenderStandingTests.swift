import ReveilleAPNs
import ReveilleCore
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleNetwork
import ReveilleSending
import ReveilleTesting
import Testing

@Suite("Tokens that are not proven have a connection of their own", .timeLimit(.minutes(5)))
struct SenderStandingTests {
    private static func token(_ number: Int) -> String { TestTry(number).token }

    /// The connections that the requests for some tries came on.
    private static func connections(_ world: SenderWorld, of tries: [TestTry]) async -> Set<Int> {
        let tokens = Set(tries.map(\.token))
        return Set(await world.apple.seen().filter { tokens.contains($0.token ?? "") }.map(\.connection))
    }

    @Test(
        "a storm of bad tokens and the GOAWAY after it take no request of a proven device with them",
        arguments: [AppleReason.badDeviceToken, .unregistered])
    func storm(reason: AppleReason) async throws {
        try await withSender { world in
            try await world.prove()
            let proven = TestTry.many(20)
            let bad = TestTry.many(30, from: 101, .unproven)
            let stuck = TestTry.many(10, from: 201, .unproven)
            for one in bad {
                await world.apple.addFault(
                    AppleFault(.answer(ScriptedAnswer(reason)), match: .init(token: one.token)))
            }
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(proven + bad + stuck)
            _ = try await world.ends(31)
            try await world.apple.wait { $0.inFlight == 30 }
            #expect(await Self.connections(world, of: proven) == [1])
            #expect(await Self.connections(world, of: bad + stuck) == [2])
            await world.apple.goAway(
                GoAwayPlan(lastStream: .answered, reason: "TooManyRequests", ending: .atOnce), connection: 2)
            let ends = try await world.ends(41)
            for one in stuck {
                let outcome = try #require(ends[one.tag])
                #expect(outcome != .accepted)
            }
            #expect(proven.allSatisfy { ends[$0.tag] == nil })
            await world.apple.removeFaults()
            await world.apple.releaseHeld()
            let all = try await world.ends(61)
            #expect(proven.allSatisfy { all[$0.tag] == .accepted })
            // Both kinds go on, the proven ones where they were.
            await world.send([TestTry(301)] + TestTry.unproven(302))
            #expect(try await world.end(of: 301).outcome == .accepted)
            #expect(try await world.end(of: 302).outcome == .accepted)
            #expect(await Self.connections(world, of: [TestTry(301)]) == [1])
            #expect(await Self.connections(world, of: [TestTry(302)]) == [3])
        }
    }

    @Test("one connection is opened when tries of one standing wait", arguments: TokenStanding.allCases)
    func oneKind(standing: TokenStanding) async throws {
        try await withSender({ $0.connections = 2 }) { world in
            await world.send(TestTry.many(20, standing))
            let ends = try await world.ends(20)
            #expect(ends.values.allSatisfy { $0 == .accepted })
            #expect(await world.apple.counters().connectionsAccepted == 1)
            #expect(world.resolver.count.value == 1)
        }
    }

    @Test("each connection proves the provider token by itself, and neither waits for the other")
    func eachProves() async throws {
        try await withSender { world in
            await world.apple.addFault(AppleFault(.hold(accepted: false), match: .init(token: Self.token(101))))
            await world.send(TestTry.many(5, from: 101, .unproven) + TestTry.many(5))
            let ends = try await world.ends(5)
            #expect((1...5).allSatisfy { ends[UInt64($0)] == .accepted })
            try await world.apple.wait { $0.inFlight == 1 }
            // One stream alone until the held request is answered.
            #expect(await world.unsent == 4)
            await world.apple.removeFaults()
            await world.apple.releaseHeld()
            let all = try await world.ends(10)
            #expect(all.values.allSatisfy { $0 == .accepted })
            #expect(await world.apple.counters().connectionsAccepted == 2)
        }
    }

    @Test("a saturated connection for unproven tokens is not joined by another, and proven tries pass it")
    func noGrowth() async throws {
        try await withSender({ $0.connections = 2 }, streamLimit: 2) { world in
            await world.send(TestTry.unproven(100))
            _ = try await world.end(of: 100)
            for number in 101...110 {
                await world.apple.addFault(
                    AppleFault(.hold(accepted: true), match: .init(token: Self.token(number))))
            }
            await world.send(TestTry.many(10, from: 101, .unproven))
            try await world.apple.wait { $0.inFlight == 2 }
            await world.advance(by: .milliseconds(100), steps: 5)
            #expect(await world.apple.counters().connectionsAccepted == 1)
            await world.send(TestTry.many(5))
            _ = try await world.ends(6)
            #expect(await world.unsent == 8)
            #expect(await world.apple.counters().connectionsAccepted == 2)
        }
    }

    @Test("a connection for unproven tokens that cannot be opened keeps no proven try waiting")
    func cannotOpen() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.refuseConnection(.reset)))
            await world.send(TestTry.many(3, from: 101, .unproven))
            try await world.apple.wait { $0.connectionsAccepted >= 2 }
            await world.loop.settle()
            try await world.prove(1)
            // The lane hears nothing of it as long as the others travel.
            #expect(world.states.value == [.opening, .ready])
            #expect(await world.unsent == 3)
            // The proven ones may even lose their connection: they wait for nobody else's turn.
            await world.apple.removeFaults()
            await world.apple.goAway(connection: 1)
            try await world.apple.wait { $0.connectionsOpen == 0 }
            try await world.states.wait { $0.last == .idle }
            try await world.prove(2)
            for _ in 0..<20 where await world.unsent > 0 { await world.advance(by: .milliseconds(500)) }
            _ = try await world.ends(6)
        }
    }

    @Test("when the proven ones cannot connect the lane hears so, though the other connection is open")
    func provenCannotOpen() async throws {
        try await withSender { world in
            await world.send(TestTry.unproven(100))
            _ = try await world.end(of: 100)
            await world.apple.addFault(AppleFault(.refuseConnection(.reset)))
            await world.send([TestTry(1)])
            try await world.states.wait { $0.last == .backingOff(reason: ProviderReason("NotConnected")) }
            #expect(await world.unsent == 1)
        }
    }

    @Test("drain waits for both connections, and closes both")
    func drain() async throws {
        try await withSender { world in
            try await world.prove()
            await world.send(TestTry.unproven(100))
            _ = try await world.end(of: 100)
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(10) + TestTry.many(10, from: 101, .unproven))
            try await world.apple.wait { $0.inFlight == 20 }
            let draining = await world.startDrain(within: .seconds(10))
            await world.loop.settle()
            await world.send(TestTry.many(2, from: 201) + TestTry.many(2, from: 301, .unproven))
            await world.apple.releaseHeld()
            await draining.value
            #expect(world.ended.value.count == 22)
            #expect(world.ended.value.allSatisfy { $0.outcome == .accepted })
            #expect(await world.unsent == 4)
            try await world.apple.wait { $0.connectionsOpen == 0 }
            #expect(world.states.value.last == .drained)
        }
    }

    @Test("the connection for unproven tokens is closed when nobody needs it, the other stays")
    func surplus() async throws {
        // Time passes faster here than answers to PING can come.
        try await withSender({ $0.limits.pulse.idle = .seconds(86_400) }) { world in
            await world.send(TestTry.unproven(100))
            _ = try await world.end(of: 100)
            try await world.prove(1)
            for _ in 0..<12 { await world.advance(by: .seconds(60)) }
            try await world.apple.wait { $0.connectionsOpen == 1 }
            try await world.prove(2)
            #expect(await Self.connections(world, of: [TestTry(1), TestTry(2)]) == [2])
        }
    }
}
