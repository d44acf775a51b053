import ReveilleEmulator
import ReveilleNetwork
import Testing

@Suite("A fault strikes whom its conditions name", .timeLimit(.minutes(5)))
struct TriggerTests {
    /// Which of `count` equal requests a trigger strikes, counted from 1.
    private func struck(_ trigger: FaultTrigger, of count: Int) async throws -> [Int] {
        try await withApple { bench in
            let client = try await bench.connect()
            let fault = AppleFault(.answer(ScriptedAnswer(.internalServerError)), trigger: trigger)
            let id = try #require(await bench.apple.addFault(fault))
            let push = bench.push
            var struck: [Int] = []
            for number in 1...count where try await client.send(push).status == 500 {
                struck.append(number)
            }
            let strikes = await bench.apple.strikes(of: id)
            #expect(strikes?.matched == count)
            #expect(strikes?.struck == struck.count)
            return struck
        }
    }

    @Test("the first n")
    func first() async throws {
        #expect(try await struck(FaultTrigger(first: 2), of: 5) == [1, 2])
        #expect(try await struck(.once, of: 3) == [1])
        #expect(try await struck(FaultTrigger(first: 0), of: 3) == [])
    }

    @Test("every n-th, after some, up to a number")
    func every() async throws {
        #expect(try await struck(FaultTrigger(every: 3), of: 9) == [3, 6, 9])
        #expect(try await struck(FaultTrigger(skip: 2), of: 4) == [3, 4])
        #expect(try await struck(FaultTrigger(skip: 1, first: 2, every: 2), of: 9) == [3, 5])
    }

    @Test("a probability with a seed strikes the same ones again")
    func probability() async throws {
        let half = FaultTrigger(probability: 0.5, seed: 7)
        let once = try await struck(half, of: 40)
        #expect(try await struck(half, of: 40) == once)
        #expect((8...32).contains(once.count))
        let other = FaultTrigger(probability: 0.5, seed: 8)
        #expect(try await struck(other, of: 40) != once)
        #expect(try await struck(FaultTrigger(probability: 0, seed: 7), of: 10) == [])
    }

    /// A condition, and a request that does not meet it.
    struct Condition: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let match: AppleFault.Match
        let misses: @Sendable (inout TestPush) -> Void

        init(
            _ name: String, _ match: AppleFault.Match,
            missedBy misses: @escaping @Sendable (inout TestPush) -> Void
        ) {
            testDescription = name
            self.match = match
            self.misses = misses
        }
    }

    static let conditions: [Condition] = [
        Condition("token", .init(token: TestPush.token)) { $0.path = "/3/device/abab" },
        Condition("token prefix", .init(tokenPrefix: "aba")) { $0.path = "/3/device/acab" },
        Condition("topic", .init(topic: TestPush.bundleID)) {
            $0.pushType = "voip"
            $0.topic = TestPush.bundleID + ".voip"
        },
        Condition("push type", .init(pushType: "alert")) { $0.pushType = nil },
        Condition("collapse id", .init(collapseID: "c")) { $0.collapseID = "d" },
        Condition("all at once", .init(token: TestPush.token, collapseID: "c")) { $0.collapseID = nil },
    ]

    @Test("a condition that is not met spares the request", arguments: conditions)
    func spares(_ condition: Condition) async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            await bench.apple.addFault(
                AppleFault(.answer(ScriptedAnswer(.shutdown)), match: condition.match))
            let push = bench.push.with { $0.collapseID = "c" }
            #expect(try await client.send(push).status == 503)
            #expect(try await client.send(push.with(condition.misses)).status == 200)
        }
    }

    @Test("environment and connection are conditions too")
    func places() async throws {
        try await withApple { bench in
            let first = try await bench.connect(.production)
            let push = bench.push
            #expect(try await first.send(push).status == 200)
            let second = try await bench.connect(.production)
            let sandbox = try await bench.connect(.sandbox)
            let answer = AppleFaultAction.answer(ScriptedAnswer(.shutdown))
            await bench.apple.addFault(AppleFault(answer, match: .init(connection: 1), id: "a"))
            #expect(try await first.send(push).status == 503)
            #expect(try await second.send(push).status == 200)
            await bench.apple.removeFault("a")
            await bench.apple.addFault(AppleFault(answer, match: .init(environment: .sandbox)))
            #expect(try await first.send(push).status == 200)
            #expect(try await sandbox.send(push.to("cd")).status == 503)
        }
    }

    @Test("the first fault that strikes wins, and each can be taken away")
    func order() async throws {
        try await withApple { configuration, _ in
            configuration.faults = [
                AppleFault(.answer(ScriptedAnswer(.shutdown)), trigger: FaultTrigger(first: 1), id: "one"),
                AppleFault(.answer(ScriptedAnswer(.internalServerError)), id: "two"),
            ]
        } _: { bench in
            let client = try await bench.connect()
            #expect(try await client.send(bench.push).status == 503)
            #expect(try await client.send(bench.push).status == 500)
            #expect(await bench.apple.removeFault("two"))
            #expect(!(await bench.apple.removeFault("two")))
            #expect(try await client.send(bench.push).status == 200)
            await bench.apple.addFault(AppleFault(.answer(ScriptedAnswer(.forbidden)), id: "one"))
            #expect(try await client.send(bench.push).status == 403)
            await bench.apple.removeFaults()
            #expect(try await client.send(bench.push).status == 200)
            #expect(await bench.apple.strikes(of: "one") == nil)
        }
    }
}
