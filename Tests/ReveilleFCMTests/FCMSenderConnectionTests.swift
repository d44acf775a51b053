import LaneTesting
import RawHTTP
import RawSockets
import ReveilleCore
import ReveilleFCM
import ReveilleNetwork
import ReveilleRuntime
import ReveilleSending
import ReveilleTesting
import Testing

@Suite("The connections of a sender to FCM", .timeLimit(.minutes(5)))
struct FCMSenderConnectionTests {
    @Test("many messages travel at once, from the first")
    func concurrent() async throws {
        try await withFCM { world in
            world.google.hold()
            await world.send(ScriptedTry.many(50))
            try await world.google.seen.wait { $0.count == 50 }
            #expect(world.google.connectionsAccepted == 1)
            world.google.release()
            let ends = try await world.ends(50)
            #expect(ends.values.allSatisfy { $0.outcome == .accepted })
        }
    }

    @Test("after a GOAWAY what has begun is answered, and the next message finds the new server")
    func goAway() async throws {
        try await withFCM { world in
            world.google.hold()
            await world.send(ScriptedTry.many(10))
            try await world.google.seen.wait { $0.count == 10 }
            await world.google.stop()
            let ends = try await world.ends(10)
            #expect(ends.values.allSatisfy { $0.outcome == .accepted })
            try await world.states.wait { $0.last == .idle }
            try await world.google.start()
            world.resolver.give([world.google.address])
            await world.send([ScriptedTry(11)])
            #expect(try await world.end(of: 11).outcome == .accepted)
            #expect(world.resolver.count.value == 2)
            #expect(world.count("reveille_fcm_connections_opened_total") == 2)
            // The end of the first connection may be heard later than the answer on the second.
            while world.count("reveille_fcm_connections_ended_total{fate=\"server_left\"}") < 1 {
                await world.loop.settle()
            }
        }
    }

    @Test("a server that only speaks HTTP/1.1 is not FCM")
    func otherProtocol() async throws {
        try await withFCM(offering: ["http/1.1"]) { world in
            await world.send([ScriptedTry(1)])
            try await world.states.wait { states in
                states.contains { if case .backingOff = $0 { true } else { false } }
            }
            #expect(world.google.seen.value.isEmpty)
            #expect(await world.unsent == 1)
        }
    }

    @Test("a server that cannot be reached holds the messages in the lane, and is tried again")
    func unreachable() async throws {
        try await withFCM { world in
            world.resolver.give([.loopback(port: 1)])
            await world.send([ScriptedTry(1)])
            try await world.states.wait { $0.last == .backingOff(reason: ProviderReason("NotConnected")) }
            #expect(await world.unsent == 1)
            world.resolver.give([world.google.address])
            let lookups = world.resolver.count.value
            while world.resolver.count.value == lookups { await world.advance(by: .milliseconds(500)) }
            #expect(try await world.end(of: 1).outcome == .accepted)
        }
    }

    @Test("drain takes no more messages and waits for the answers in flight")
    func drain() async throws {
        try await withFCM { world in
            world.google.hold()
            await world.send(ScriptedTry.many(20))
            try await world.google.seen.wait { $0.count == 20 }
            let drain = await world.startDrain(within: .seconds(10))
            await world.loop.settle()
            await world.send(ScriptedTry.many(5, from: 21))
            world.google.release()
            await drain.value
            #expect(world.ended.value.count == 20)
            #expect(world.ended.value.allSatisfy { $0.outcome == .accepted })
            #expect(await world.unsent == 5)
            #expect(world.states.value.last == .drained)
        }
    }

    @Test("what repeats enters the table of header compression once; the access token never does")
    func compression() async throws {
        let frames = try await withEventLoop(name: "fcm") { loop in
            let server = try RawHTTP2Server(on: loop)
            let address = server.address
            try await withFCM({
                $0.tls = nil
                $0.address = address
            }) { world in
                for number in 1...2 {
                    await world.send([ScriptedTry(number)])
                    // Its 200 names no message: it is not FCM.
                    try await world.ends(number)
                }
            }
            await server.stop()
            return server.frames.value
        }
        let blocks = frames.filter { $0.kind == .headers }.map { FieldForm.forms(in: $0.payload) }
        // `:method`, `:scheme`, `:authority`, `:path`, `content-type`, `x-goog-api-format-version`, `authorization`. The library keeps
        // paths out of the table, also this one that repeats.
        func forms(_ constant: FieldForm) -> [FieldForm] {
            [.indexed, .indexed, constant, .withoutIndexing, constant, constant, .neverIndexed]
        }
        #expect(blocks == [forms(.addedToTable), forms(.indexed)])
    }
}
