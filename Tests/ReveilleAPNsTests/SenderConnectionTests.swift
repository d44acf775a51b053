import ReveilleAPNs
import ReveilleBytes
import ReveilleCore
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSending
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("Connections to APNs come and go, and no try is lost or answered twice", .timeLimit(.minutes(5)))
struct SenderConnectionTests {
    private static func again(_ word: String) -> Outcome {
        .retry(reason: ProviderReason(stored: word), after: .atOnceThenSchedule)
    }

    private static func unknown(_ word: String) -> Outcome { .unknown(reason: ProviderReason(stored: word)) }

    @Test("a request whose lease ended before it left is not sent; the next goes on another connection")
    func tooLate() async throws {
        try await withSender { world in
            try await world.prove()
            var late = TestTry(1)
            let now: MonotonicInstant = world.clock.now()
            late.leaseUntilMilliseconds = now.nanoseconds / 1_000_000
            await world.send([late])
            #expect(try await world.end(of: 1).outcome == Self.unknown("ConnectionLost"))
            await world.send([TestTry(2)])
            _ = try await world.end(of: 2)
            #expect(await world.connectionsSeen() == [1, 2])
        }
    }

    // MARK: GOAWAY

    @Test("after GOAWAY on an idle connection the next tries go on a new one, and nobody sees an error")
    func goAwayIdle() async throws {
        try await withSender { world in
            try await world.prove(1)
            await world.apple.goAway()
            try await world.apple.wait { $0.connectionsOpen == 0 }
            await world.send([TestTry(2), TestTry(3)])
            let ends = try await world.ends(3)
            #expect(ends.values.allSatisfy { $0 == .accepted })
            #expect(await world.connectionsSeen() == [1, 2, 2])
            #expect(world.metrics.prometheusText().contains("reveille_apns_connections_opened_total 2"))
        }
    }

    @Test("requests in flight that GOAWAY covers get their own answers; nothing is repeated")
    func goAwayCovers() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(
                AppleFault(
                    .answer(ScriptedAnswer(.unregistered, timestamp: .at(1_767_225_601_000))),
                    match: .init(token: TestTry(1).token)))
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(3))
            try await world.apple.wait { $0.received == 4 }
            await world.apple.goAway(GoAwayPlan(lastStream: .newest, reason: nil))
            await world.apple.releaseHeld()
            let ends = try await world.ends(4)
            #expect(
                ends[1]
                    == .deviceGone(reason: ProviderReason("Unregistered"), sinceMilliseconds: 1_767_225_601_000))
            #expect(ends[2] == .accepted && ends[3] == .accepted)
        }
    }

    @Test("requests above the last stream id were not processed; those below without an answer are unknown")
    func goAwaySplits() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.stall(accepted: true)))
            await world.send(TestTry.many(4))
            try await world.apple.wait { $0.inFlight == 4 }
            await world.apple.goAway(GoAwayPlan(lastStream: .number(5), reason: "Shutdown", ending: .atOnce))
            let ends = try await world.ends(5)
            #expect(ends[1] == Self.unknown("ConnectionLost") && ends[2] == Self.unknown("ConnectionLost"))
            #expect(ends[3] == Self.again("GoAway") && ends[4] == Self.again("GoAway"))
        }
    }

    @Test("a GOAWAY with an error and a reason ends the connection as any other", arguments: [UInt32(0), 2, 11])
    func goAwayCodes(code: UInt32) async throws {
        try await withSender { world in
            try await world.prove(1)
            await world.apple.goAway(
                GoAwayPlan(code: HTTP2ErrorCode(rawValue: code), reason: "TooManyRequests", ending: .atOnce))
            try await world.apple.wait { $0.connectionsOpen == 0 }
            try await world.prove(2)
            #expect(await world.connectionsSeen() == [1, 2])
        }
    }

    // MARK: Loss

    @Test("a connection reset after the request left is unknown; the repeat has the same ids")
    func resetMidFlight() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.dropConnection(.reset, accepted: true), trigger: .once))
            await world.send([TestTry(9)])
            let result = try await world.end(of: 9)
            #expect(result.outcome == Self.unknown("ConnectionLost"))
            #expect(result.mayHaveLeft)
            var repeated = TestTry(9)
            repeated.tag = 10
            await world.send([repeated])
            let second = try await world.end(of: 10)
            #expect(second.outcome == .accepted)
            let seen = await world.apple.seen().suffix(2)
            #expect(Set(seen.map { $0.head.fields["apns-id"] }).count == 1)
            #expect(Set(seen.map { $0.head.fields["apns-collapse-id"] }).count == 1)
            #expect(Set(seen.map(\.connection)).count == 2)
        }
    }

    @Test("when a connection dies each request in flight ends once", arguments: DropManner.allCases)
    func diesOnce(manner: DropManner) async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(50))
            try await world.apple.wait { $0.inFlight == 50 }
            await world.apple.dropConnections(manner)
            let ends = try await world.ends(51)
            #expect(ends.values.filter { $0 == Self.unknown("ConnectionLost") }.count == 50)
            await world.apple.removeFaults()
            try await world.prove(51)
            #expect(world.ended.value.count == 52)
        }
    }

    @Test("the server's half-close ends the connection, and what waits for answers is unknown")
    func halfClosed() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.halfClose(accepted: true), trigger: .once))
            await world.send([TestTry(1)])
            let result = try await world.end(of: 1)
            #expect(result.outcome == Self.unknown("ConnectionLost"))
            try await world.prove(2)
        }
    }

    // MARK: Silence

    @Test("an idle connection that fell silent is found by PING and replaced before anybody needs it")
    func silentIdle() async throws {
        try await withSender { world in
            try await world.prove(1)
            await world.apple.silenceConnections()
            await world.advance(by: .seconds(60))
            await world.advance(by: .seconds(10))
            try await world.prove(2)
            #expect(await world.connectionsSeen() == [1, 2])
            #expect(world.ended.value.allSatisfy { $0.outcome == .accepted })
        }
    }

    @Test("a connection that was idle is asked before it is used; one that stays silent costs less than a deadline")
    func askedBeforeUse() async throws {
        try await withSender { world in
            try await world.prove(1)
            await world.apple.silenceConnections()
            await world.advance(by: .seconds(61))
            await world.send([TestTry(2)])
            await world.loop.settle()
            #expect(await world.unsent == 1)
            await world.advance(by: .seconds(5))
            let result = try await world.end(of: 2)
            #expect(result.outcome == .accepted)
            #expect(await world.connectionsSeen() == [1, 2])
        }
    }

    @Test("an idle connection that answers is used again")
    func idleButThere() async throws {
        try await withSender { world in
            try await world.prove(1)
            await world.advance(by: .seconds(900))
            try await world.prove(2)
            #expect(await world.connectionsSeen() == [1, 1])
        }
    }

    @Test("silence with requests under way is asked about, and ends the connection at the first deadline")
    func silentBusy() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.silence(accepted: true), trigger: .once))
            await world.send(TestTry.many(3))
            try await world.apple.wait { $0.received >= 2 }
            await world.advance(by: .seconds(5))
            #expect(world.ended.value.count == 1)
            await world.advance(by: .seconds(5))
            let ends = try await world.ends(4)
            #expect(ends.values.filter { $0 == Self.unknown("ConnectionLost") }.count == 3)
            try await world.prove(4)
        }
    }

    // MARK: Connecting

    @Test("while nobody answers tries stay with the lane, and go once somebody does")
    func refusedConnections() async throws {
        try await withSender { world in
            try await world.apple.setListening(false)
            await world.send(TestTry.many(3))
            let backingOff = SenderState.backingOff(reason: ProviderReason("NotConnected"))
            try await world.states.wait { $0.contains(backingOff) }
            for _ in 0..<5 { await world.advance(by: .seconds(30)) }
            #expect(await world.unsent == 3)
            #expect(world.ended.value.isEmpty)
            try await world.apple.setListening(true)
            // A refusal from before may still be on its way, so that there is another wait after it.
            while world.ended.value.count < 3 {
                if world.states.value.last == backingOff {
                    await world.advance(by: .seconds(1))
                } else {
                    await world.loop.settle()
                }
            }
            let ends = try await world.ends(3)
            #expect(ends.values.allSatisfy { $0 == .accepted })
        }
    }

    @Test("a server with a certificate of somebody else gets nothing")
    func foreignCertificate() async throws {
        try await withSender(trustsEmulator: false) { world in
            await world.send([TestTry(1)])
            let backingOff = SenderState.backingOff(reason: ProviderReason("NotConnected"))
            try await world.states.wait { $0.contains(backingOff) }
            #expect(await world.unsent == 1)
            #expect(await world.apple.counters().received == 0)
        }
    }

    @Test("states are told once each, in order")
    func states() async throws {
        try await withSender { world in
            try await world.prove(1)
            #expect(world.states.value == [.opening, .ready])
            await world.apple.goAway()
            try await world.states.wait { $0.last == .idle }
        }
    }

    // MARK: The set

    @Test("another connection is opened only when every one is saturated, up to the limit, each looked up anew")
    func growth() async throws {
        try await withSender({ $0.connections = 2 }, streamLimit: 2) { world in
            try await world.prove()
            for number in 1...5 { try await world.prove(number) }
            for _ in 0..<10 { await world.advance(by: .milliseconds(100)) }
            #expect(await world.apple.counters().connectionsAccepted == 1)
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(20, from: 10))
            try await world.apple.wait { $0.inFlight == 2 }
            await world.advance(by: .milliseconds(100), steps: 2)
            // The second connection proves its token with one request.
            try await world.apple.wait { $0.inFlight == 3 && $0.connectionsAccepted == 2 }
            await world.advance(by: .milliseconds(100), steps: 10)
            #expect(await world.apple.counters().connectionsAccepted == 2)
            #expect(world.resolver.count.value == 2)
            await world.apple.removeFaults()
            await world.apple.releaseHeld()
            let ends = try await world.ends(26)
            #expect(ends.values.allSatisfy { $0 == .accepted })
        }
    }

    @Test("a connection that nobody needs any more is closed, the last one is kept")
    func surplus() async throws {
        try await withSender(
            {
                $0.connections = 2
                // Time passes faster here than answers to PING can come.
                $0.limits.pulse.idle = .seconds(86_400)
            }, streamLimit: 1
        ) { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.hold(accepted: true)))
            await world.send(TestTry.many(4))
            try await world.apple.wait { $0.inFlight == 1 }
            await world.advance(by: .milliseconds(100), steps: 2)
            try await world.apple.wait { $0.inFlight == 2 }
            await world.apple.removeFaults()
            await world.apple.releaseHeld()
            _ = try await world.ends(5)
            for _ in 0..<12 {
                await world.advance(by: .seconds(60))
                await world.loop.settle()
            }
            try await world.apple.wait { $0.connectionsOpen == 1 }
            try await world.prove(9)
            #expect(await world.apple.counters().connectionsAccepted == 2)
        }
    }

    @Test("an old connection is replaced without an error")
    func age() async throws {
        try await withSender({ $0.maximumAge = .seconds(3_600) }) { world in
            try await world.prove(1)
            await world.advance(by: .seconds(3_000))
            try await world.prove(2)
            await world.advance(by: .seconds(660))
            try await world.apple.wait { $0.connectionsOpen == 0 }
            try await world.prove(3)
            #expect(await world.connectionsSeen() == [1, 1, 2])
        }
    }

    // MARK: Provider tokens

    @Test("a token called expired is renewed once, on a new connection, for everybody in flight")
    func expired() async throws {
        try await withSender { world in
            try await world.prove()
            await world.advance(by: .seconds(30 * 60))
            await world.apple.addFault(
                AppleFault(.answer(ScriptedAnswer(.expiredProviderToken)), trigger: FaultTrigger(first: 3)))
            await world.send(TestTry.many(3))
            let ends = try await world.ends(4)
            let renew = Outcome.renewCredential(reason: ProviderReason("ExpiredProviderToken"))
            #expect(ends[1] == renew && ends[2] == renew && ends[3] == renew)
            #expect(world.tokens.signedCount == 2)
            try await world.prove(4)
            let seen = await world.apple.seen()
            #expect(Set(seen.map { $0.head.fields["authorization"] }).count == 2)
            #expect(seen.last?.connection != seen.first?.connection)
        }
    }

    @Test("a young token called expired is not renewed: the lane is misconfigured, the clock is to be looked at")
    func expiredYoung() async throws {
        try await withSender { world in
            try await world.prove()
            await world.apple.addFault(AppleFault(.answer(ScriptedAnswer(.expiredProviderToken)), trigger: .once))
            await world.send([TestTry(1)])
            let result = try await world.end(of: 1)
            #expect(
                result.outcome
                    == .misconfigured(reason: ProviderReason("ExpiredProviderToken"), scope: .lane))
            #expect(world.tokens.signedCount == 1)
        }
    }

    @Test("a token is renewed at 45 minutes on the connection that is there")
    func renewedInPlace() async throws {
        try await withSender { world in
            try await world.prove(1)
            await world.advance(by: .seconds(45 * 60))
            try await world.prove(2)
            #expect(world.tokens.signedCount == 2)
            #expect(await world.connectionsSeen() == [1, 1])
        }
    }

    // MARK: The end
}
