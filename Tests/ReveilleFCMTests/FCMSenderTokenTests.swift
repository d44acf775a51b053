import LaneTesting
import ReveilleCore
import ReveilleFCM
import ReveilleNetwork
import ReveilleSending
import ReveilleTesting
import Testing

@Suite("The access token of a sender", .timeLimit(.minutes(5)))
struct FCMSenderTokenTests {
    /// The tokens that requests came with, in order.
    private static func tokens(_ world: FCMWorld) -> [String] {
        world.google.seen.value.compactMap { $0.fields["authorization"] }
    }

    @Test("a thousand messages at once ask for one token, wait for it, and hear that something opens")
    func oneExchange() async throws {
        try await withFCM { world in
            world.oauth.hold()
            await world.send(ScriptedTry.many(500) + ScriptedTry.many(500, from: 501, .unproven))
            try await world.oauth.asked.wait { $0.count == 1 }
            await world.loop.settle()
            #expect(world.states.value == [.opening])
            #expect(world.google.seen.value.isEmpty)
            #expect(await world.unsent == 1_000)
            world.oauth.release()
            let ends = try await world.ends(1_000)
            #expect(ends.values.allSatisfy { $0.outcome == .accepted })
            #expect(world.oauth.asked.value.count == 1)
            #expect(Set(Self.tokens(world)) == ["Bearer token-1"])
            #expect(world.states.value.last == .ready)
            #expect(world.count("reveille_fcm_token_exchanges_total{result=\"issued\"}") == 1)
            // Bad tokens take nothing down at FCM: both kinds share the connection.
            #expect(world.google.connectionsAccepted == 1)
        }
    }

    @Test("the question is the grant of the account, sent to the path of its token URL")
    func question() async throws {
        try await withFCM { world in
            await world.send([ScriptedTry(1)])
            try await world.ends(1)
            let question = try #require(world.oauth.asked.value.first)
            #expect(question.method == "POST" && question.path == "/token")
            #expect(question.fields.contains { $0 == ("content-type", "application/x-www-form-urlencoded") })
            #expect(question.body.starts(with: Array("grant_type=urn%3Aietf%3Aparams%3Aoauth".utf8)))
        }
    }

    @Test("it is renewed before its end, and messages go on with the old one meanwhile")
    func renewal() async throws {
        try await withFCM({ $0.limits.pulse.idle = .seconds(86_400) }) { world in
            await world.send([ScriptedTry(1)])
            try await world.ends(1)
            world.oauth.hold()
            await world.advance(by: .seconds(3_310))
            await world.send([ScriptedTry(2)])
            try await world.ends(2)
            try await world.oauth.asked.wait { $0.count == 2 }
            #expect(Self.tokens(world) == ["Bearer token-1", "Bearer token-1"])
            world.oauth.release()
            while world.count("reveille_fcm_token_exchanges_total{result=\"issued\"}") < 2 { await world.loop.settle() }
            await world.send([ScriptedTry(3)])
            try await world.ends(3)
            #expect(Self.tokens(world).last == "Bearer token-2")
            #expect(world.oauth.asked.value.count == 2)
        }
    }

    @Test("after an end that nobody renewed in time messages wait for the next one")
    func ended() async throws {
        try await withFCM({ $0.limits.pulse.idle = .seconds(86_400) }) { world in
            await world.send([ScriptedTry(1)])
            try await world.ends(1)
            world.oauth.hold()
            await world.advance(by: .seconds(3_601))
            // Who has nothing to send asks for nothing.
            #expect(world.oauth.asked.value.count == 1)
            await world.send([ScriptedTry(2)])
            try await world.oauth.asked.wait { $0.count == 2 }
            await world.loop.settle()
            #expect(await world.unsent == 1)
            #expect(world.states.value.last == .opening)
            world.oauth.release()
            #expect(try await world.end(of: 2).outcome == .accepted)
            #expect(Self.tokens(world) == ["Bearer token-1", "Bearer token-2"])
        }
    }

    /// What the token endpoint may say to an account that it does not take.
    private static let refusals: [(status: Int, body: String, reason: String)] = [
        (400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#, "InvalidGrant"),
        (400, #"{"error":"invalid_grant","error_description":"Invalid grant: account not found"}"#, "InvalidGrant"),
        (401, #"{"error":"invalid_scope"}"#, "InvalidScope"),
        (400, #"{"error":"invalid_request"}"#, "RefusedGrant"),
        (404, "<html>", "NotGoogle"),
        (302, "", "NotGoogle"),
    ]

    @Test(
        "an account that is refused is for the operator: one message tells the lane, the others stay",
        arguments: refusals.indices)
    func refused(index: Int) async throws {
        let row = Self.refusals[index]
        try await withFCM { world in
            world.oauth.answer { _ in ScriptedExchange.response(row.status, row.body) }
            await world.send(ScriptedTry.many(5))
            try await world.ends(1)
            let end = try #require(world.ended.value.first)
            #expect(end.outcome == .misconfigured(reason: ProviderReason(stored: row.reason), scope: .lane))
            #expect(end.result.status == 0 && !end.result.mayHaveLeft)
            await world.loop.settle()
            #expect(world.ended.value.count == 1)
            #expect(await world.unsent == 4)
            #expect(world.google.connectionsAccepted == 0)
            // A probe asks again once the pause is over, and finds what was mended.
            world.oauth.answer { ScriptedExchange.token("token-\($0)") }
            await world.advance(by: .seconds(60))
            await world.probe()
            let ends = try await world.ends(5)
            #expect(ends.values.filter { $0.outcome == .accepted }.count == 4)
            #expect(world.oauth.asked.value.count == 2)
        }
    }

    @Test(
        "a token endpoint that is busy or out of reach is waited for, and no message hears of it",
        arguments: ["TokenEndpointBusy", "TokenEndpointUnreachable", "TokenEndpointNotFound"])
    func later(reason: String) async throws {
        try await withFCM { world in
            world.oauth.answer { number throws(ClientError) in
                if number > 2 { return ScriptedExchange.token("token-\(number)") }
                switch reason {
                case "TokenEndpointUnreachable": throw ClientError(.timedOut, mayHaveLeft: true)
                case "TokenEndpointNotFound": throw ClientError(.nameNotFound, mayHaveLeft: false)
                default: return ScriptedExchange.response(503, "")
                }
            }
            await world.send(ScriptedTry.many(5))
            let state = SenderState.backingOff(reason: ProviderReason(stored: reason))
            try await world.states.wait { $0.last == state }
            #expect(world.ended.value.isEmpty)
            #expect(world.count("reveille_fcm_token_exchanges_total{result=\"later\"}") == 1)
            // Nobody has to tell the sender: it asks again by itself.
            for question in 2...3 {
                while world.oauth.asked.value.count < question { await world.advance(by: .milliseconds(500)) }
                // Answered before time passes again: connections have little of it.
                while world.count("reveille_fcm_token_exchanges_total{result=\"later\"}") < 2 {
                    await world.loop.settle()
                }
            }
            let ends = try await world.ends(5)
            #expect(ends.values.allSatisfy { $0.outcome == .accepted })
            #expect(world.oauth.asked.value.count == 3)
            #expect(world.states.value.last == .ready)
        }
    }

    @Test("a token that FCM does not take is renewed once; when its successor is not taken either the account is wrong")
    func rejected() async throws {
        try await withFCM { world in
            world.google.answer { _ in googleError(401, "UNAUTHENTICATED") }
            await world.send(ScriptedTry.many(40))
            let first = try await world.ends(40)
            let word = ProviderReason("UNAUTHENTICATED")
            #expect(first.values.allSatisfy { $0.outcome == .renewCredential(reason: word) })
            await world.send(ScriptedTry.many(40, from: 41))
            let second = try await world.ends(80)
            for tag in 41...80 {
                #expect(second[UInt64(tag)]?.outcome == .misconfigured(reason: word, scope: .lane))
            }
            #expect(world.oauth.asked.value.count == 2)
            // The probe comes with a token of its own.
            world.google.answer { _ in acceptedMessage }
            await world.send([ScriptedTry(81)])
            #expect(try await world.end(of: 81).outcome == .accepted)
            #expect(Self.tokens(world).last == "Bearer token-3")
        }
    }

    @Test("a successor that was taken may be renewed in its turn")
    func rejectedAgain() async throws {
        try await withFCM { world in
            let renewal = ReveilleCore.Outcome.renewCredential(reason: ProviderReason("UNAUTHENTICATED"))
            for (number, isTaken) in [(1, false), (2, true), (3, false), (4, true)] {
                world.google.answer { _ in isTaken ? acceptedMessage : googleError(401, "UNAUTHENTICATED") }
                await world.send([ScriptedTry(number)])
                let end = try await world.end(of: number)
                #expect(end.outcome == (isTaken ? .accepted : renewal))
            }
            #expect(Self.tokens(world) == [1, 2, 2, 3].map { "Bearer token-\($0)" })
        }
    }

    @Test("a drain does not wait for the token endpoint")
    func drain() async throws {
        try await withFCM { world in
            world.oauth.hold()
            await world.send(ScriptedTry.many(3))
            try await world.oauth.asked.wait { $0.count == 1 }
            await world.startDrain(within: .seconds(10)).value
            #expect(world.states.value.last == .drained)
            #expect(await world.unsent == 3)
            world.oauth.release()
            await world.loop.settle()
            #expect(world.ended.value.isEmpty)
        }
    }
}
