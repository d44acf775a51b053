import LaneTesting
import ReveilleBytes
import ReveilleCore
import ReveilleCrypto
import ReveilleEndpoints
import ReveilleNetwork
import ReveilleTelemetry
import ReveilleTesting
import ReveilleWebPush
import Testing

@Suite("Wakes reach push services", .timeLimit(.minutes(5)))
struct PushSenderTests {
    @Test(
        "a request is that of RFC 8030, whatever version of HTTP the server chose, and the receiver can read it",
        arguments: EndpointKind.allCases, [["h2"], ["http/1.1"], []])
    func request(_ kind: EndpointKind, _ protocols: [String]) async throws {
        try await withPushServer(kind, offering: protocols) { world, server, lane in
            let path = "/w/a%2Fb;c?token=BQ%3d%3d&x=a+b//.."
            await lane.send([world.attempt(1, server.address, path: path)])
            let result = try await lane.end(of: 1)
            #expect(result.outcome == .accepted && result.status == 201)
            let request = try #require(server.seen.value.first)
            #expect(request.method == "POST" && request.target == path)
            #expect(request.version == (protocols == ["h2"] ? .http2 : .http11))
            let expected = [
                "ttl": "3600", "urgency": "high", "content-encoding": "aes128gcm",
                "content-type": "application/octet-stream", "content-length": "615",
            ]
            for (name, value) in expected { #expect(request.fields[name] == value) }
            for name in ["topic", "x-wns-cache-policy", "prefer"] { #expect(request.fields[name] == nil) }
            let opened = try world.receiver.open(request.body)
            #expect(opened.text == #"{"v":1,"wake":"notifications.changed"}"#)
            #expect(opened.text.utf8.count + opened.padding == 512)
            let token = world.tokens.current(for: "https://push.example.org:\(server.address.port)")
            #expect(request.fields["authorization"] == String(decoding: token.authorization, as: UTF8.self))
        }
    }

    @Test("a quiet wake is of normal urgency, one of a series has a topic, one that is over lives no longer")
    func variants() async throws {
        try await withPushServer(.unifiedPush) { world, server, lane in
            var attempt = world.attempt(1, server.address)
            attempt.mode = .backgroundWake
            attempt.topic = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            attempt.expirationSeconds = 5
            await lane.send([attempt])
            try await lane.expect(.accepted, of: 1)
            let fields = try #require(server.seen.value.first?.fields)
            #expect(fields["urgency"] == "normal" && fields["topic"] == attempt.topic && fields["ttl"] == "0")
        }
    }

    @Test("Microsoft is told whether to keep the message", arguments: [(Int64(5), "no-cache"), (1 << 40, "cache")])
    func microsoft(expiration: Int64, policy: String) async throws {
        let host = "wns2-par02p.notify.windows.com"
        try await withPushServer(.webPush, host: host) { world, server, lane in
            var attempt = world.attempt(1, server.address, host)
            attempt.expirationSeconds = expiration
            await lane.send([attempt])
            try await lane.expect(.accepted, of: 1)
            #expect(server.seen.value.first?.fields["x-wns-cache-policy"] == policy)
        }
    }

    @Test("a hundred wakes have a key each, one token and one connection")
    func many() async throws {
        try await withPushServer(.webPush) { world, server, lane in
            await lane.send((1...100).map { world.attempt($0, server.address, path: "/wpush/v2/\($0)") })
            let ends = try await lane.ended.wait { $0.count == 100 }
            #expect(ends.allSatisfy { $0.outcome == .accepted })
            let seen = server.seen.value
            #expect(Set(seen.map { Array($0.body[..<16]) }).count == 100)
            #expect(Set(seen.map { Array($0.body[21..<86]) }).count == 100)
            #expect(Set(seen.map(\.target)).count == 100)
            #expect(world.tokens.signedCount == 1)
            #expect(server.connectionsAccepted == 1)
        }
    }

    @Test("answers are read as the table says", arguments: ["h2", "http/1.1"])
    func answers(_ version: String) async throws {
        try await withPushServer(.unifiedPush, offering: [version]) { world, server, lane in
            let word = WebPushOutcomes.word
            let cases: [(ScriptedReply, ReveilleCore.Outcome)] = [
                (ScriptedReply(200, #"{"id":"x"}"#), .accepted), (ScriptedReply(204), .accepted),
                (ScriptedReply(410), .deviceGone(reason: word(.gone), sinceMilliseconds: nil)),
                (ScriptedReply(404, "<html>"), .misconfigured(reason: word(.webPage), scope: .subscription)),
                (ScriptedReply(200, "<html>"), .misconfigured(reason: word(.webPage), scope: .subscription)),
                (ScriptedReply(403), .misconfigured(reason: word(.forbidden), scope: .subscription)),
                (
                    ScriptedReply(401, #"{"errno":109}"#),
                    .misconfigured(reason: word(.vapidFault), scope: .subscription)
                ),
                (
                    ScriptedReply(429, fields: [("Retry-After", "120")]),
                    .retry(reason: word(.throttled), after: .devicePaced(seconds: 120))
                ),
                (
                    ScriptedReply(503, fields: [("Retry-After", "120")]),
                    .retry(reason: word(.serverTrouble), after: .schedule(seconds: 120))
                ),
                (ScriptedReply(507), .retry(reason: word(.nobodySubscribed), after: .devicePaced(seconds: 900))),
                (
                    ScriptedReply(201, fields: [("X-WNS-STATUS", "dropped")]),
                    .retry(reason: word(.dropped), after: .schedule(seconds: 0))
                ),
                (
                    ScriptedReply(201, fields: [("X-WNS-STATUS", "channelthrottled")]),
                    .retry(reason: word(.channelThrottled), after: .devicePaced(seconds: 60))
                ), (ScriptedReply(201, fields: [("X-WNS-STATUS", "received")]), .accepted),
            ]
            for (index, (reply, outcome)) in cases.enumerated() {
                server.answer { _ in reply }
                await lane.send([world.attempt(UInt64(index), server.address)])
                let result = try await lane.end(of: UInt64(index))
                #expect(result.outcome == outcome && result.status == reply.status, "\(reply)")
            }
            #expect(lane.registry.prometheusText().contains(#"reveille_unifiedpush_reasons_total{reason="Gone"} 1"#))
        }
    }

    @Test("what is too large goes once more without padding, other wakes with it, and is refused then")
    func tooLarge() async throws {
        try await withPushServer(.unifiedPush) { world, server, lane in
            server.answer { _ in ScriptedReply(413) }
            await lane.send([world.attempt(1, server.address)])
            let word = WebPushOutcomes.word(.tooLarge)
            try await lane.expect(.retry(reason: word, after: .atOnceThenSchedule), of: 1)
            await lane.send([world.attempt(1, server.address)])
            try await lane.expect(.refused(reason: word), of: 1, after: 1)
            await lane.send([world.attempt(2, server.address)])
            _ = try await lane.end(of: 2)
            let opened = try server.seen.value.map { try world.receiver.open($0.body) }
            #expect(Set(opened.map(\.text)).count == 1)
            #expect(opened.map { $0.padding > 0 } == [true, false, true])
        }
    }

    @Test("a token is renewed on a connection that is kept")
    func renewal() async throws {
        try await withPushServer(.unifiedPush) { world, server, lane in
            await lane.send([world.attempt(1, server.address)])
            _ = try await lane.end(of: 1)
            world.clock.jumpWall(by: .seconds(13 * 3_600))
            await lane.send([world.attempt(2, server.address)])
            _ = try await lane.end(of: 2)
            #expect(Set(server.seen.value.map { $0.fields["authorization"] }).count == 2)
            #expect(server.connectionsAccepted == 1)
        }
    }

    @Test("what must not be sent is not, and holds its subscription only")
    func unsent() async throws {
        try await withPushServer(.unifiedPush) { world, server, lane in
            let (address, receiver) = (server.address, world.receiver)
            let good = world.attempt(1, address)
            let cases: [(String, WebPushReason)] = [
                ("https://push.example.org:\(address.port == 8_443 ? 8_444 : 8_443)/up", .otherOrigin),
                ("https://other.example.org/up", .otherOrigin),
                ("https://localhost:\(address.port)/up", .endpointRefused),
                ("https://push.example.org:\(address.port)/", .endpointRefused),
                ("https://push.example.org:\(address.port)/up\r\nX-A: b", .endpointRefused),
                ("http://push.example.org:\(address.port)/up", .endpointRefused),
                ("https://10.0.0.1/up", .endpointRefused),
                ("https://push.example.org@evil.example.org/up", .endpointRefused),
            ]
            var tries = cases.enumerated().map { index, vector in
                var attempt = good
                attempt.tag = UInt64(100 + index)
                attempt.address = receiver.subscription(vector.0)
                return attempt
            }
            var keyless = good
            keyless.tag = 200
            keyless.address[40] ^= 1
            var wordless = good
            wordless.tag = 201
            wordless.payload = ""
            tries += [keyless, wordless, good]
            await lane.send(tries)
            try await lane.expect(.accepted, of: 1)
            for (index, (text, reason)) in cases.enumerated() {
                let result = try await lane.end(of: UInt64(100 + index))
                let word = WebPushOutcomes.word(reason)
                #expect(result.outcome == .misconfigured(reason: word, scope: .subscription), "\(text)")
                #expect(!result.mayHaveLeft && result.status == 0)
            }
            let word = WebPushOutcomes.word(.unusableKeys)
            try await lane.expect(.misconfigured(reason: word, scope: .subscription), of: 200)
            try await lane.expect(.refused(reason: WebPushOutcomes.word(.invalidRequest)), of: 201)
            #expect(server.seen.value.count == 1)
        }
    }

    @Test("a longer topic than services take is not sent")
    func longTopic() async throws {
        try await withPushServer(.unifiedPush) { world, server, lane in
            var attempt = world.attempt(1, server.address)
            attempt.topic = String(repeating: "A", count: 33)
            await lane.send([attempt])
            try await lane.expect(.refused(reason: WebPushOutcomes.word(.invalidRequest)), of: 1)
            #expect(server.seen.value.isEmpty)
        }
    }

    @Test("an origin that is no URL of its kind has no sender")
    func origins() throws {
        let tls = try ScriptedTLS.context()
        for (origin, fault) in [
            ("http://a.example.org", EndpointFault.scheme), ("https://a..b", .syntax), ("", .syntax),
        ] {
            #expect(throws: fault) {
                try PushSenderConfiguration(origin: origin, kind: .webPush, policy: EndpointPolicy(), tls: tls)
            }
        }
    }
}
