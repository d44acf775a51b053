import ReveilleAPNs
import ReveilleCore
import ReveilleEmulator
import Testing

@Suite("Connections to APNs end with the key that they were made with", .timeLimit(.minutes(5)))
struct SenderKeyTests {
    @Test("when Apple no longer takes the key every connection is left, and the next try has a new one")
    func revokedKey() async throws {
        try await withSender { world in
            try await world.prove(1)
            await world.send(TestTry.unproven(2))
            _ = try await world.end(of: 2)
            #expect(await world.apple.counters().connectionsOpen == 2)
            await world.apple.accept(.signedBy([]))
            await world.send([TestTry(3)])
            #expect(
                try await world.end(of: 3).outcome
                    == .misconfigured(reason: ProviderReason("InvalidProviderToken"), scope: .lane))
            try await world.apple.wait { $0.connectionsOpen == 0 }
            await world.apple.accept(.anyKey)
            try await world.prove(4)
            await world.send(TestTry.unproven(5))
            #expect(try await world.end(of: 5).outcome == .accepted)
            #expect(await world.connectionsSeen() == [1, 2, 1, 3, 4])
        }
    }

    @Test("what is under way when Apple stops taking the key still gets its own answer")
    func revokedKeyInFlight() async throws {
        try await withSender { world in
            try await world.prove(1)
            await world.apple.addFault(AppleFault(.hold(accepted: true), trigger: .once))
            await world.send([TestTry(2)])
            try await world.apple.wait { $0.inFlight == 1 }
            await world.apple.accept(.signedBy([]))
            await world.send([TestTry(3)])
            _ = try await world.end(of: 3)
            #expect(await world.apple.counters().connectionsOpen == 1)
            await world.apple.releaseHeld()
            #expect(try await world.end(of: 2).outcome == .accepted)
            try await world.apple.wait { $0.connectionsOpen == 0 }
        }
    }
}
