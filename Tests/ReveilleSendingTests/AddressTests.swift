import LaneTesting
import ReveilleCore
import ReveilleNetwork
import ReveilleSending
import ReveilleTesting
import Testing

@Suite("A connection goes where its name leads, and stays only as long as it leads there", .timeLimit(.minutes(5)))
struct AddressTests {
    @Sendable private static func rechecks(_ configuration: inout SendingConfiguration) {
        configuration.recheckInterval = .seconds(60)
        configuration.connections = 1
    }

    @Test("a connection whose address is still given carries on, and is asked about once a minute")
    func stays() async throws {
        try await withSet(Self.rechecks) { world in
            for (number, asked) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
                await world.send([ScriptedTry(number)])
                let end = try await world.end(of: number)
                #expect(end.outcome == .accepted)
                #expect(world.resolver.count.value == asked)
                await world.advance(by: .seconds(31))
            }
            #expect(world.server.connectionsAccepted == 1)
        }
    }

    @Test("nothing is asked while nothing is sent")
    func idle() async throws {
        try await withSet(Self.rechecks) { world in
            await world.send([ScriptedTry(1)])
            let first = try await world.end(of: 1)
            #expect(first.outcome == .accepted)
            for _ in 0..<5 { await world.advance(by: .seconds(120)) }
            #expect(world.resolver.count.value == 1)
        }
    }

    @Test("one whose address is no longer given carries nothing more")
    func leaves() async throws {
        try await withSet(Self.rechecks) { world in
            await world.send([ScriptedTry(1)])
            let first = try await world.end(of: 1)
            #expect(first.outcome == .accepted)
            world.resolver.give([])
            await world.advance(by: .seconds(61))
            await world.send([ScriptedTry(2)])
            try await world.states.wait { $0.last == .backingOff(reason: ProviderReason("NotConnected")) }
            #expect(world.server.seen.value.count == 1)
            #expect(await world.unsent == 1)
            // Once the name leads somewhere again, a new connection goes there.
            world.resolver.give([world.server.address])
            let lookups = world.resolver.count.value
            while world.resolver.count.value == lookups { await world.advance(by: .milliseconds(500)) }
            let second = try await world.end(of: 2)
            #expect(second.outcome == .accepted)
            #expect(world.server.connectionsAccepted == 2)
        }
    }

    @Test("without a limit of its age an answer of the resolver is as good as the connection")
    func unlimited() async throws {
        try await withSet { world in
            await world.send([ScriptedTry(1)])
            let first = try await world.end(of: 1)
            #expect(first.outcome == .accepted)
            world.resolver.give([])
            await world.advance(by: .seconds(3_600))
            await world.send([ScriptedTry(2)])
            let second = try await world.end(of: 2)
            #expect(second.outcome == .accepted)
            #expect(world.resolver.count.value == 1)
        }
    }
}
