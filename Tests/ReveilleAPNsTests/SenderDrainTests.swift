import ReveilleAPNs
import ReveilleCore
import ReveilleEmulator
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("A sender that drains answers for every try that it took", .timeLimit(.minutes(5)))
struct SenderDrainTests {
    @Test("drain takes no more tries and waits for the answers in flight")
    func drain() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(30))
            try await world.apple.wait { $0.inFlight == 30 }
            let draining = await world.startDrain(within: .seconds(10))
            await world.loop.settle()
            await world.send(TestTry.many(70, from: 31))
            await world.apple.releaseHeld()
            await draining.value
            #expect(world.ended.value.count == 31)
            #expect(world.ended.value.allSatisfy { $0.outcome == .accepted })
            #expect(await world.unsent == 70)
            #expect(world.states.value.last == .drained)
            await world.drain(within: .seconds(10))
        }
    }

    @Test("what is not answered within the grace is unknown, and none is missing")
    func drainDeadline() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.stall(accepted: true)))
            await world.send(TestTry.many(30))
            try await world.apple.wait { $0.inFlight == 30 }
            let draining = await world.startDrain(within: .seconds(3))
            await world.loop.settle()
            await world.advance(by: .seconds(3))
            await draining.value
            #expect(world.ended.value.count == 31)
            #expect(
                world.ended.value.filter { $0.outcome == .unknown(reason: ProviderReason(stored: "Drained")) }.count
                    == 30)
        }
    }

    @Test("a sender without connections is drained at once")
    func drainIdle() async throws {
        try await withSender { world in
            await world.drain(within: .seconds(10))
            #expect(world.states.value == [.drained])
            await world.send([TestTry(1)])
            #expect(await world.unsent == 1)
        }
    }

    @Test("the drain has ended when every connection is closed, not before")
    func drainCloses() async throws {
        try await withSender { world in
            try await world.prove()
            await world.drain(within: .seconds(10))
            #expect(world.endedConnections == 1)
        }
    }

    @Test("a server that does not close its side is not waited for")
    func drainSilent() async throws {
        try await withSender { world in
            try await world.prove()
            #expect(await world.apple.silenceConnections() == 1)
            let draining = await world.startDrain(within: .seconds(10))
            try await world.states.wait { $0.last == .drained }
            #expect(world.endedConnections == 0)
            await world.advance(by: .milliseconds(250))
            await draining.value
            #expect(world.endedConnections == 1)
        }
    }
}
