import ReveilleAPNs
import ReveilleCore
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleRuntime
import ReveilleSending
import ReveilleTesting
import Testing

@Suite("Streams: one first, then as many as APNs allows, each with a deadline", .timeLimit(.minutes(5)))
struct SenderStreamTests {
    private static func again(_ word: String) -> Outcome {
        .retry(reason: ProviderReason(stored: word), after: .atOnceThenSchedule)
    }

    private static func unknown(_ word: String) -> Outcome { .unknown(reason: ProviderReason(stored: word)) }

    @Test("the first request goes alone until APNs took the provider token; no stream is refused")
    func oneFirst() async throws {
        try await withSender { world in
            await world.apple.addFault(AppleFault(.hold(accepted: false), trigger: .once))
            await world.send(TestTry.many(100))
            try await world.apple.wait { $0.inFlight == 1 }
            await world.loop.settle()
            #expect(await world.apple.counters().received == 1)
            #expect(await world.unsent == 99)
            await world.apple.releaseHeld()
            let ends = try await world.ends(100)
            #expect(ends.values.allSatisfy { $0 == .accepted })
            let counters = await world.apple.counters()
            #expect(counters.accepted == 100)
            #expect(counters.reset == 0)
            #expect(counters.connectionsAccepted == 1)
        }
    }

    @Test("a refusal of the provider token proves nothing: still one at a time")
    func notProved() async throws {
        try await withSender { world in
            await world.apple.addFault(AppleFault(.answer(ScriptedAnswer(.invalidProviderToken)), trigger: .once))
            await world.send([TestTry(1)])
            _ = try await world.end(of: 1)
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(5, from: 2))
            try await world.apple.wait { $0.inFlight == 1 }
            await world.loop.settle()
            #expect(await world.unsent == 4)
        }
    }

    @Test("a refusal that is not about the provider token proves it")
    func provedByRefusal() async throws {
        try await withSender { world in
            await world.apple.addFault(AppleFault(.answer(ScriptedAnswer(.badDeviceToken)), trigger: .once))
            await world.send([TestTry(1)])
            _ = try await world.end(of: 1)
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(5, from: 2))
            try await world.apple.wait { $0.inFlight == 5 }
        }
    }

    @Test("the limit is followed as it moves: lowered below what is open, to nothing, and raised again")
    func limitMoves() async throws {
        try await withSender(streamLimit: 10) { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(40))
            try await world.apple.wait { $0.inFlight == 10 }
            await world.apple.setStreamLimit(3)
            // The end of a request tells that the new limit has arrived: it came first.
            await world.apple.releaseHeld(limit: 7)
            _ = try await world.ends(8)
            try await world.apple.wait { $0.inFlight == 3 }
            #expect(await world.unsent == 30)
            await world.apple.releaseHeld(limit: 1)
            try await world.apple.wait { $0.received == 12 && $0.inFlight == 3 }
            await world.apple.setStreamLimit(0)
            await world.apple.releaseHeld()
            _ = try await world.ends(12)
            await world.loop.settle()
            let idle = await world.apple.counters()
            #expect(idle.inFlight == 0)
            #expect(idle.connectionsOpen == 1)
            await world.apple.removeFaults()
            await world.apple.setStreamLimit(100)
            let ends = try await world.ends(41)
            #expect(ends.values.allSatisfy { $0 == .accepted })
            let counters = await world.apple.counters()
            #expect(counters.reset == 0)
            #expect(counters.connectionsAccepted == 1)
        }
    }

    @Test(
        "a server that allows no stream blocks the sender, which says so until it allows some",
        arguments: [true, false])
    func blocked(isProven: Bool) async throws {
        let blocked = SenderState.blocked(reason: ProviderReason(stored: "NoStreams"))
        try await withSender { world in
            if isProven { try await world.prove() }
            await world.apple.addFault(AppleFault(.hold(accepted: true), trigger: .once))
            await world.send([TestTry(1)])
            try await world.apple.wait { $0.inFlight == 1 }
            await world.apple.setStreamLimit(0)
            try await world.states.wait { $0.last == blocked }
            await world.apple.releaseHeld()
            _ = try await world.end(of: 1)
            await world.send([TestTry(2)])
            await world.loop.settle()
            #expect(await world.unsent == 1)
            #expect(world.states.value.last == blocked)
            await world.apple.setStreamLimit(100)
            _ = try await world.end(of: 2)
            try await world.states.wait { $0.last == .ready }
        }
    }

    @Test("a refused stream was not processed: repeated, on the same connection; three in a row leave it")
    func refusedStreams() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(
                AppleFault(.reset(.refusedStream, accepted: false), trigger: FaultTrigger(first: 3)))
            for number in 1...3 {
                await world.send([TestTry(number)])
                let result = try await world.end(of: number)
                #expect(result.outcome == Self.again("RefusedStream"))
            }
            try await world.prove(4)
            #expect(await world.connectionsSeen() == [1, 1, 1, 1, 2])
        }
    }

    @Test("a stream that is reset otherwise is unknown, and only that one")
    func resetStream() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.reset(.internalError, accepted: true), trigger: .once))
            await world.send(TestTry.many(3))
            let ends = try await world.ends(4)
            #expect(ends[1] == Self.unknown("StreamReset"))
            #expect(ends[2] == .accepted && ends[3] == .accepted)
        }
    }

    @Test("a stalled stream ends at its deadline, is reset, and the connection goes on")
    func stalled() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(
                AppleFault(.stall(accepted: true), match: .init(token: TestTry(1).token)))
            await world.send(TestTry.many(2))
            _ = try await world.end(of: 2)
            await world.advance(by: .milliseconds(9_900))
            #expect(world.ended.value.count == 2)
            try await world.prove(3)
            await world.advance(by: .milliseconds(100))
            let result = try await world.end(of: 1)
            #expect(result.outcome == Self.unknown("NoAnswer"))
            #expect(result.mayHaveLeft)
            try await world.apple.wait { $0.cancelled == 1 }
            try await world.prove(4)
            #expect(Set(await world.connectionsSeen()) == [1])
        }
    }

    @Test("the deadline is told to the lane, and kept for each of a thousand streams")
    func deadlines() async throws {
        try await withSender { world in
            #expect(await world.requestDeadlineSeconds == 10)
            try await world.prove()
            await world.apple.addFault(AppleFault(.stall(accepted: false)))
            await world.send(TestTry.many(1_000))
            try await world.apple.wait { $0.inFlight == 1_000 }
            // Something is heard now and then, so that the connection itself is not in doubt.
            for _ in 0..<4 {
                await world.advance(by: .seconds(2))
                await world.apple.setStreamLimit(1_000)
                await world.loop.settle()
            }
            await world.advance(by: .seconds(2))
            let ends = try await world.ends(1_001)
            #expect(
                ends.values.filter { $0 == Self.unknown("NoAnswer") || $0 == Self.unknown("ConnectionLost") }.count
                    == 1_000)
        }
    }
}
