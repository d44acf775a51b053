import ReveilleEmulator
import ReveilleHTTP2
import ReveilleRuntime
import Testing

@Suite("GOAWAY says what was processed", .timeLimit(.minutes(5)))
struct GoAwayTests {
    private static let reason = Array(#"{"reason":"Shutdown"}"#.utf8)

    @Test("on an idle connection it ends the connection")
    func idle() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            #expect(await bench.apple.goAway() == 1)
            let goAway = try await client.waitForGoAway()
            #expect(goAway?.lastStreamID == 1)
            #expect(goAway?.code == .noError)
            #expect(goAway?.debugData == Self.reason)
            _ = try await client.closed.wait()
            try await bench.apple.wait { $0.connectionsOpen == 0 }
            #expect(await bench.apple.counters().goAways == 1)
        }
    }

    @Test("with requests in flight it covers all of them, and they are answered")
    func coversAll() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(AppleFault(.hold(accepted: true)))
            let replies = [await client.start(bench.push), await client.start(bench.push)]
            try await bench.apple.wait { $0.inFlight == 2 }
            await bench.apple.goAway()
            #expect(try await client.waitForGoAway()?.lastStreamID == 5)
            #expect(replies.allSatisfy { $0.value == nil })
            await bench.apple.releaseHeld()
            for reply in replies { #expect(try await reply.wait().status == 200) }
            _ = try await client.closed.wait()
        }
    }

    @Test("streams above the last one were not processed, those below are answered")
    func leavesSomeUnprocessed() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(AppleFault(.hold(accepted: false)))
            var replies: [OneShot<Reply>] = []
            for _ in 0..<3 { replies.append(await client.start(bench.push)) }
            try await bench.apple.wait { $0.inFlight == 3 }
            await bench.apple.goAway(GoAwayPlan(lastStream: .number(3), reason: "Shutdown"))
            #expect(try await replies[1].wait() == .ended(.unprocessed))
            #expect(try await replies[2].wait() == .ended(.unprocessed))
            try await bench.apple.wait { $0.uncovered == 2 && $0.inFlight == 1 }
            await bench.apple.releaseHeld()
            #expect(try await replies[0].wait().status == 200)
            _ = try await client.closed.wait()
            #expect(await bench.apple.pushes().count == 2)
            #expect(
                await bench.apple.seen().map(\.answer) == [
                    .response(status: 200, reason: nil), .response(status: 200, reason: nil),
                    .uncovered, .uncovered,
                ])
        }
    }

    @Test("at once, what is in flight gets no answer")
    func atOnce() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(AppleFault(.stall(accepted: true)))
            let reply = await client.start(bench.push)
            try await bench.apple.wait { $0.inFlight == 1 }
            await bench.apple.goAway(GoAwayPlan(ending: .atOnce))
            #expect(try await reply.wait() == .ended(.connectionLost))
            try await bench.apple.wait { $0.lost == 1 }
        }
    }

    @Test("a fault can send it with the answer to a request", arguments: [true, false])
    func struck(covered: Bool) async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            let plan = GoAwayPlan(lastStream: covered ? .this : .beforeThis, code: .enhanceYourCalm, reason: nil)
            await bench.apple.addFault(AppleFault(.goAway(plan)))
            let reply = try await client.send(bench.push).withoutIDs
            #expect(reply == (covered ? .answer(200) : .ended(.unprocessed)))
            let goAway = try await client.waitForGoAway()
            #expect(goAway?.lastStreamID == (covered ? 3 : 1))
            #expect(goAway?.code == .enhanceYourCalm)
            #expect(goAway?.debugData == [])
            try await bench.apple.wait { $0.connectionsOpen == 0 && $0.inFlight == 0 }
            #expect(await bench.apple.screen(of: TestPush.token).count == (covered ? 1 : 0))
            #expect(await bench.apple.counters().uncovered == (covered ? 0 : 1))
        }
    }

    @Test(
        "the last stream may be chosen freely",
        arguments: [
            (GoAwayPlan.LastStream.none, Int32(0)), (.answered, 3), (.newest, 5), (.number(1), 1),
            (.this, 5), (.beforeThis, 3),
        ])
    func chosen(lastStream: GoAwayPlan.LastStream, number: Int32) async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            #expect(try await client.send(bench.push).status == 200)
            await bench.apple.addFault(AppleFault(.stall(accepted: false)))
            _ = await client.start(bench.push)
            try await bench.apple.wait { $0.inFlight == 1 }
            await bench.apple.goAway(GoAwayPlan(lastStream: lastStream, ending: .never))
            #expect(try await client.waitForGoAway()?.lastStreamID == number)
        }
    }

    @Test("a warning comes first, the real one later, and requests on their way are still served")
    func warning() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(AppleFault(.hold(accepted: true)))
            let reply = await client.start(bench.push)
            try await bench.apple.wait { $0.inFlight == 1 }
            await bench.apple.goAway(GoAwayPlan(lastStream: .all, ending: .never))
            #expect(try await client.waitForGoAway()?.lastStreamID == .max)
            #expect(await bench.apple.goAway() == 1)
            await bench.apple.releaseHeld()
            #expect(try await reply.wait().status == 200)
            _ = try await client.closed.wait()
            #expect(await bench.apple.counters().goAways == 2)
        }
    }

    @Test("it goes to one connection or to all")
    func oneOrAll() async throws {
        try await withApple { bench in
            let first = try await bench.connectAuthenticated()
            let second = try await bench.connectAuthenticated()
            #expect(await bench.apple.goAway(connection: 1) == 1)
            _ = try await first.closed.wait()
            try await bench.apple.wait { $0.connectionsOpen == 1 }
            #expect(try await second.send(bench.push).status == 200)
            #expect(await bench.apple.goAway(connection: 1) == 0)
            #expect(await bench.apple.goAway() == 1)
            _ = try await second.closed.wait()
        }
    }
}
