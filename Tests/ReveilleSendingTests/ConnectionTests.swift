import LaneTesting
import ReveilleCore
import ReveilleHTTP2
import ReveilleNetwork
import ReveilleSending
import ReveilleTesting
import Testing

@Suite("A set keeps as many connections as are of use", .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("a server of HTTP/1.1 gets one request at a time on each of several connections, where that is allowed")
    func http1() async throws {
        try await withSet(
            {
                $0.limits.speaksHTTP1 = true
                $0.connections = 3
            }, offering: ["http/1.1"]
        ) { world in
            world.server.hold()
            await world.send(ScriptedTry.many(4) + ScriptedTry.many(4, from: 5, .unproven))
            try await world.server.seen.wait { $0.count == 1 }
            for wanted in 2...3 {
                while world.server.seen.value.count < wanted { await world.advance(by: .milliseconds(100)) }
            }
            for _ in 0..<10 { await world.advance(by: .milliseconds(100)) }
            #expect(world.server.seen.value.count == 3)
            #expect(world.server.connectionsAccepted == 3)
            #expect(await world.unsent == 5)
            world.server.release()
            let ends = try await world.ended.wait { $0.count == 8 }
            #expect(ends.allSatisfy { $0.outcome == .accepted })
            #expect(world.server.seen.value.allSatisfy { $0.version == .http11 })
            #expect(world.server.connectionsAccepted == 3)
        }
    }

    @Test("where it is not allowed such a server is none")
    func onlyHTTP2() async throws {
        try await withSet(offering: ["http/1.1"]) { world in
            await world.send([ScriptedTry(1)])
            try await world.states.wait { $0.last == .backingOff(reason: ProviderReason("WrongProtocol")) }
            #expect(world.server.seen.value.isEmpty)
        }
    }

    @Test("the last connection is closed too when nobody used it for as long as the configuration says")
    func lastIdle() async throws {
        try await withSet({
            $0.lastIdle = .seconds(90)
            $0.upkeepInterval = .seconds(30)
        }) { world in
            await world.send([ScriptedTry(1)])
            let first = try await world.end(of: 1)
            #expect(first.outcome == .accepted)
            await world.advance(by: .seconds(60))
            #expect(world.states.value.last == .ready)
            await world.advance(by: .seconds(40))
            try await world.states.wait { $0.last == .idle }
            await world.send([ScriptedTry(2)])
            let second = try await world.end(of: 2)
            #expect(second.outcome == .accepted)
            #expect(world.server.connectionsAccepted == 2)
            #expect(world.resolver.count.value == 2)
        }
    }

    @Test("a status that came before the stream was reset reaches the provider's form")
    func longBody() async throws {
        try await withSet({ $0.limits.http2.maximumBodyBytes = 4_096 }) { world in
            world.server.answer { _ in ScriptedReply(400, String(repeating: "x", count: 100_000)) }
            await world.send([ScriptedTry(1)])
            let first = try await world.end(of: 1)
            #expect(first.outcome == .refused(reason: ProviderReason("Refused")))
            #expect(world.ended.value.first?.result.status == 400)
        }
    }
}
