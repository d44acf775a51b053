import ReveilleEmulator
import ReveilleRuntime
import Testing

@Suite("The emulated Apple remembers what it saw", .timeLimit(.minutes(5)))
struct HistoryTests {
    /// Sends so many pushes one after the other; the id of each ends in its number.
    private func send(_ count: Int, _ bench: Workbench) async throws {
        let client = try await bench.connect()
        for number in 0..<count {
            let push = bench.push.with {
                $0.id = id(number)
                $0.collapseID = number % 2 == 0 ? "c\(number)" : nil
            }
            #expect(try await client.send(push).status == 200)
        }
    }

    private func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    @Test("refused requests are on record as well, accepted ones apart")
    func refusedToo() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            _ = try await client.send(bench.push)
            _ = try await client.send(bench.push.with { $0.topic = nil })
            _ = try await client.send(TestPush(nil))
            #expect(await bench.apple.seen().map(\.number) == [1, 2, 3])
            #expect(await bench.apple.pushes().map(\.number) == [1])
            #expect(
                await bench.apple.seen().map(\.answer) == [
                    .response(status: 200, reason: nil),
                    .response(status: 400, reason: "MissingTopic"),
                    .response(status: 403, reason: "MissingProviderToken"),
                ])
        }
    }

    @Test("the newest requests are kept, and the counters stay exact")
    func ring() async throws {
        try await withApple { configuration, _ in
            configuration.keeping = .everything(maximumRequests: 100)
        } _: { bench in
            try await send(250, bench)
            let seen = await bench.apple.seen()
            #expect(seen.map(\.number) == Array(151...250))
            #expect(seen.map(\.apnsID) == (150..<250).map(id))
            #expect(await bench.apple.counters().accepted == 250)
            #expect(await bench.apple.seen(after: 200, limit: 3).map(\.number) == [201, 202, 203])
            #expect(await bench.apple.seen(after: 249).map(\.number) == [250])
            #expect(await bench.apple.seen(after: 250).isEmpty)
            #expect(await bench.apple.seen(after: .max).isEmpty)
            let summary = await bench.apple.control(ControlRequest(method: "GET", path: "/pushes/summary"))
            #expect(
                String(decoding: summary.body, as: UTF8.self) == #"{"kept":100,"dropped":150,"distinct_apns_ids":100}"#)
        }
    }

    @Test("ids alone are kept in compact form, byte for byte the same")
    func idsOnly() async throws {
        try await withApple { configuration, _ in
            configuration.keeping = .idsOnly(maximumBytes: 8 * 1024 * 1024)
        } _: { bench in
            try await send(20, bench)
            let client = try await bench.connect()
            _ = try await client.send(bench.push.with { $0.priority = "7" })
            let long = String(repeating: "0f", count: 256)
            _ = try await client.send(bench.push.to(long).with { $0.id = TestPush.id.uppercased() })
            #expect(await bench.apple.seen().isEmpty)
            let pushes = await bench.apple.pushIDs()
            #expect(pushes.map(\.number) == Array(1...20) + [22])
            #expect(pushes.dropLast().map(\.apnsID) == (0..<20).map(id))
            #expect(pushes.dropLast().allSatisfy { $0.token == TestPush.token })
            #expect(pushes.prefix(3).map(\.collapseID) == ["c0", nil, "c2"])
            #expect(pushes.last?.token == long)
            #expect(pushes.last?.apnsID == TestPush.id)
            #expect(await bench.apple.pushIDs(after: 3, limit: 2).map(\.number) == [4, 5])
            #expect(await bench.apple.distinctIDCount() == 21)
            _ = try await client.send(bench.push.with { $0.id = TestPush.id })
            #expect(await bench.apple.distinctIDCount() == 21)
            #expect(await bench.apple.counters().accepted == 22)
            #expect(await bench.apple.device(TestPush.token) == nil)
        }
    }

    @Test("the compact form drops its oldest block when it is full")
    func compactIsBounded() async throws {
        try await withApple { configuration, _ in
            configuration.keeping = .idsOnly(maximumBytes: 1024 * 1024)
            configuration.unknownTokens = .accept
        } _: { bench in
            let client = try await bench.connectAuthenticated()
            let push = bench.push.to(String(repeating: "ab", count: 250)).with {
                $0.collapseID = String(repeating: "c", count: 64)
            }
            // About 340 bytes each: the block of a mebibyte is full at about three thousand.
            var replies: [OneShot<Reply>] = []
            for _ in 0..<4000 { replies.append(await client.start(push)) }
            for reply in replies { #expect(try await reply.wait().status == 200) }
            let pushes = await bench.apple.pushIDs()
            #expect(pushes.count < 4001)
            #expect(pushes.last?.number == 4001)
            #expect(pushes.map(\.number) == Array((4002 - UInt64(pushes.count))...4001))
            #expect(await bench.apple.counters().accepted == 4001)
        }
    }

    @Test("the same numbers are asked for in either way of keeping")
    func pushIDsOfEverything() async throws {
        try await withApple { bench in
            try await send(3, bench)
            let pushes = await bench.apple.pushIDs(after: 1)
            #expect(pushes.map(\.apnsID) == [id(1), id(2)])
            #expect(pushes.map(\.collapseID) == [nil, "c2"])
        }
    }

    @Test("a reset forgets everything but connections and running numbers")
    func reset() async throws {
        try await withApple { bench in
            let client = try await bench.connectAuthenticated()
            await bench.apple.addFault(AppleFault(.hold(accepted: true), match: .init(token: "0101")))
            let held = await client.start(bench.push.to("0101"))
            try await bench.apple.wait { $0.inFlight == 1 }
            await bench.apple.reset()
            #expect(try await held.wait().status == 200)
            let counters = await bench.apple.counters()
            #expect(counters.received == 0)
            #expect(counters.accepted == 0)
            #expect(counters.inFlight == 0)
            #expect(counters.connectionsOpen == 1)
            #expect(await bench.apple.seen().isEmpty)
            #expect(await bench.apple.device("0101") == nil)
            #expect(try await client.send(bench.push.to("0101")).status == 200)
            #expect(await bench.apple.seen().map(\.number) == [3])
        }
    }
}
