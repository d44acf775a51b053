import RawHTTP
import RawSockets
import ReveilleAPNs
import ReveilleCore
import ReveilleEmulator
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSending
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("What a sender counts", .timeLimit(.minutes(5)))
struct SenderFigureTests {
    /// A way for a try to end, with the result and the reason under which it is counted.
    struct End: Sendable, CustomTestStringConvertible {
        let result: SendingMetrics.Result
        let reason: String
        let action: AppleFaultAction

        var testDescription: String { result.rawValue }

        static func answer(_ result: SendingMetrics.Result, _ status: Int, _ reason: String) -> End {
            End(result: result, reason: reason, action: .answer(ScriptedAnswer(status: status, reason: reason)))
        }
    }

    private static let ends = [
        End.answer(.retry, 503, "ServiceUnavailable"), .answer(.renewCredential, 403, "ExpiredProviderToken"),
        .answer(.deviceGone, 410, "Unregistered"), .answer(.wrongEnvironment, 400, "BadDeviceToken"),
        .answer(.misconfigured, 400, "TopicDisallowed"), .answer(.refused, 413, "PayloadTooLarge"),
        End(result: .unknown, reason: "ConnectionLost", action: .dropConnection(.reset, accepted: true)),
    ]

    @Test("each end of a try has a row below, or is acceptance")
    func complete() {
        let rows = Set(Self.ends.map(\.result))
        #expect(rows.union([.accepted]) == Set(SendingMetrics.Result.allCases))
    }

    @Test("a try that was not accepted is counted by its result and its reason, and as nothing else", arguments: ends)
    func notAccepted(end: End) async throws {
        try await withSender { world in
            try await world.prove()
            // Old enough that a token called expired may be renewed.
            await world.advance(by: .seconds(21 * 60))
            await world.apple.addFault(AppleFault(end.action, trigger: FaultTrigger(first: 2)))
            for number in 1...2 {
                await world.send([TestTry(number)])
                _ = try await world.end(of: number)
                // A connection that was lost is noticed before time passes, which ends its pause.
                await world.loop.settle()
                // A second token is renewed only when the first renewal is old.
                await world.advance(by: .seconds(21 * 60))
            }
            try await world.prove(3)
            #expect(Self.counted("tries_total", "result", world) == ["accepted": 2, end.result.rawValue: 2])
            #expect(Self.counted("reasons_total", "reason", world) == [end.reason: 2])
        }
    }

    /// The series of a family that counted something, by their label's values.
    private static func counted(_ family: String, _ label: String, _ world: SenderWorld) -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in world.metrics.prometheusText().split(separator: "\n") {
            let start = "reveille_apns_\(family){\(label)=\""
            guard line.hasPrefix(start), let space = line.lastIndex(of: " ") else { continue }
            let value = line.dropFirst(start.count).prefix { $0 != "\"" }
            if let count = Int(line[space...].dropFirst()), count > 0 { counts[String(value)] = count }
        }
        return counts
    }

    // MARK: Ends of connections

    private static func fates(_ world: SenderWorld) -> [String: Int] {
        counted("connections_ended_total", "fate", world)
    }

    @Test("an open connection that ends is counted by what ended it")
    func ended() async throws {
        try await withSender({ $0.maximumAge = .seconds(3_600) }) { world in
            try await world.prove(1)
            await world.apple.goAway()
            try await world.states.wait { $0.last == .idle }
            #expect(Self.fates(world) == ["server_left": 1])

            try await world.prove(2)
            await world.apple.dropConnections(.reset)
            try await world.states.wait { $0.filter { $0 == .idle }.count == 2 }
            #expect(Self.fates(world) == ["server_left": 1, "lost": 1])

            try await world.prove(3)
            await world.apple.silenceConnections()
            await world.advance(by: .seconds(60))
            await world.advance(by: .seconds(10))
            #expect(Self.fates(world) == ["server_left": 1, "lost": 1, "silent": 1])

            try await world.prove(4)
            await world.advance(by: .seconds(3_660))
            try await world.apple.wait { $0.connectionsOpen == 1 }
            await world.loop.settle()
            #expect(Self.fates(world) == ["server_left": 1, "lost": 1, "silent": 1, "retired": 1])
        }
    }

    @Test(
        "a connection that never carried a request is counted by what kept it from opening",
        arguments: [(false, ["h2"], "not_opened"), (true, [], "no_common_protocol")] as [(Bool, [String], String)])
    func neverOpened(trusts: Bool, offered: [String], fate: String) async throws {
        try await withSender(trustsEmulator: trusts, offering: offered) { world in
            await world.send([TestTry(1)])
            try await world.states.wait { states in
                states.contains { if case .backingOff(_) = $0 { true } else { false } }
            }
            #expect(Self.fates(world) == [fate: 1])
            #expect(world.metrics.prometheusText().contains("reveille_apns_connections_opened_total 0\n"))
        }
    }

    @Test("a server that breaks the protocol is counted as that")
    func violation() async throws {
        try await withEventLoop(name: "apple") { loop in
            // DATA belongs to a stream (RFC 9113 section 6.1).
            let server = try RawHTTP2Server(on: loop) { _ in RawHTTP2.data(0, [0], endsStream: true).bytes }
            let address = server.address
            try await withSender({ configuration in
                configuration.tls = nil
                configuration.address = address
            }) { world in
                await world.send([TestTry(1)])
                _ = try await world.end(of: 1)
                await world.loop.settle()
                #expect(Self.fates(world) == ["protocol_violation": 1])
            }
            await server.stop()
        }
    }
}
