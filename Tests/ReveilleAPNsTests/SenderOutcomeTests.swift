import ReveilleAPNs
import ReveilleBytes
import ReveilleCore
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleRuntime
import Testing

@Suite("Every answer of the table, over a socket", .timeLimit(.minutes(5)))
struct SenderOutcomeTests {
    @Test("the answer becomes its outcome, and the connection lives or ends as the row says", arguments: AnswerRow.all)
    func row(row: AnswerRow) async throws {
        try await withSender { world in
            try await world.prove()
            // Old enough that a token called expired may be renewed.
            await world.advance(by: .seconds(21 * 60))
            await world.apple.addFault(
                AppleFault(
                    .answer(
                        ScriptedAnswer(
                            status: row.status, reason: row.word, timestamp: row.timestamp.map { .at($0) },
                            retryAfter: row.retryAfter.map { String($0) })),
                    trigger: .once))
            await world.send([TestTry(1)])
            let result = try await world.end(of: 1)
            #expect(result.outcome == row.outcome)
            #expect(result.status == row.status)
            #expect(result.mayHaveLeft)
            try await world.prove(2)
            let connections = await world.connectionsSeen()
            let retires = [
                "IdleTimeout", "ExpiredProviderToken", "UnrelatedKeyIdInToken", "Shutdown", "BadTopic", "MissingTopic",
                "TopicDisallowed",
            ]
            let leaves = retires.contains(row.word) || row.refusesKey
            #expect((connections[2] != connections[1]) == leaves)
            #expect(world.tokens.signedCount == (row.word == "ExpiredProviderToken" ? 2 : 1))
        }
    }

    @Test(
        "answers that are not Apple's are judged by their status",
        arguments: [
            (
                502, "<html>Bad Gateway</html>",
                Outcome.retry(reason: ProviderReason("UnreadableAnswer"), after: .schedule(seconds: 0))
            ),
            (403, "<html>Forbidden</html>", .misconfigured(reason: ProviderReason("UnreadableAnswer"), scope: .lane)),
            (410, "", .deviceGone(reason: ProviderReason("UnreadableAnswer"), sinceMilliseconds: nil)),
            (
                410, "{\"reason\":\"New\",\"timestamp\":5}",
                .deviceGone(reason: ProviderReason("UnknownReason"), sinceMilliseconds: 5)
            ),
            (400, "{\"reason\":\"SomethingNew\"}", .refused(reason: ProviderReason("UnknownReason"))),
            (302, "", .misconfigured(reason: ProviderReason("NotAPNs"), scope: .lane)),
        ] as [(Int, String, Outcome)])
    func foreign(status: Int, body: String, outcome: Outcome) async throws {
        try await withSender { world in
            await world.apple.addFault(AppleFault(.answer(ScriptedAnswer(status: status, body: body))))
            await world.send([TestTry(1)])
            let result = try await world.end(of: 1)
            #expect(result.outcome == outcome)
        }
    }

    @Test("Retry-After is honoured as a date too")
    func retryAfterDate() async throws {
        try await withSender { world in
            // The clock stands at 15 January 2027, 08:00:00.
            await world.apple.addFault(
                AppleFault(
                    .answer(
                        ScriptedAnswer(
                            status: 503, reason: "ServiceUnavailable", retryAfter: "Fri, 15 Jan 2027 08:05:00 GMT"))))
            await world.send([TestTry(1)])
            let result = try await world.end(of: 1)
            #expect(
                result.outcome
                    == .retry(reason: ProviderReason("ServiceUnavailable"), after: .schedule(seconds: 300)))
        }
    }

    @Test("one bad try does not stop the others")
    func oneBad() async throws {
        try await withSender { world in
            var tries = TestTry.many(5)
            tries[3].token = "xyz"
            await world.apple.addFault(
                AppleFault(.answer(ScriptedAnswer(.unregistered)), match: .init(token: tries[1].token)))
            await world.send(tries)
            let ends = try await world.ends(5)
            #expect(ends[1] == .accepted && ends[3] == .accepted && ends[5] == .accepted)
            #expect(ends[2] == .deviceGone(reason: ProviderReason("Unregistered"), sinceMilliseconds: nil))
            #expect(ends[4] == .refused(reason: ProviderReason("InvalidRequest")))
        }
    }

    @Test(
        "what is wrong in itself is not sent",
        arguments: [
            ("../../x", "token"), ("ab/cd", "token"), ("ab?apns=1", "token"), ("ab%2fcd", "token"), ("ab#c", "token"),
            ("ab\r\nx: y", "token"), ("", "token"), ("abc", "token"), ("AB", "token"),
            ("", "payload"), (String(repeating: "x", count: 4_097), "payload"),
            (String(repeating: "c", count: 65), "collapse"), ("a\r\nb", "collapse"), (" a", "collapse"),
            ("00000000-0000-4000-8000-00000000000Z", "id"), ("00000000 0000 4000 8000 000000000001", "id"),
            ("org.example.mail\r\nx: y", "topic"), ("", "topic"),
        ])
    func faults(text: String, part: String) async throws {
        try await withSender { world in
            var bad = TestTry(1)
            switch part {
            case "token": bad.token = text
            case "payload": bad.payload = Array(text.utf8)
            case "collapse": bad.collapseID = text
            case "id": bad.requestID = text
            default: bad.topic = Topic(text)
            }
            await world.send([bad, TestTry(2)])
            let result = try await world.end(of: 1)
            #expect(!result.mayHaveLeft)
            #expect(result.status == 0)
            switch result.outcome {
            case .refused: #expect(part != "topic")
            case .misconfigured(_, let scope): #expect(part == "topic" && scope == .topic)
            default: Issue.record("neither refused nor misconfigured")
            }
            let second = try await world.end(of: 2)
            #expect(second.outcome == .accepted)
            #expect(await world.apple.counters().received == 1)
        }
    }

    @Test("payloads of 4096 octets pass")
    func largest() async throws {
        try await withSender { world in
            var large = TestTry(1)
            let frame = "{\"aps\":{\"alert\":\"\"}}"
            large.payload = Array(
                "{\"aps\":{\"alert\":\"\(String(repeating: "x", count: 4_096 - frame.utf8.count))\"}}".utf8)
            #expect(large.payload.count == 4_096)
            await world.send([large])
            let result = try await world.end(of: 1)
            #expect(result.outcome == .accepted)
        }
    }

    @Test("Apple sees exactly these headers", arguments: [WakeMode.privateAlert, .backgroundWake])
    func headers(mode: WakeMode) async throws {
        try await withSender { world in
            var one = TestTry(1)
            one.mode = mode
            if mode == .backgroundWake { one.payload = Array("{\"aps\":{\"content-available\":1}}".utf8) }
            one.expirationSeconds = 1_800_003_600
            var bare = one
            bare.tag = 2
            bare.collapseID = ""
            await world.send([one, bare])
            let ends = try await world.ends(2)
            #expect(ends == [1: .accepted, 2: .accepted])
            let seen = await world.apple.seen()
            let authorization = String(decoding: world.tokens.current().authorization, as: UTF8.self)
            let expected: [(String, String)] = [
                (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                (":path", "/3/device/\(one.token)"), ("apns-topic", "org.example.mail"),
                ("apns-push-type", mode == .privateAlert ? "alert" : "background"),
                ("apns-priority", mode == .privateAlert ? "10" : "5"), ("apns-expiration", "1800003600"),
                ("authorization", authorization), ("apns-id", one.requestID), ("apns-collapse-id", one.collapseID),
            ]
            #expect(seen[0].headers.map { "\($0.name): \($0.value)" } == expected.map { "\($0.0): \($0.1)" })
            #expect(
                seen[1].headers.map { "\($0.name): \($0.value)" } == expected.dropLast().map { "\($0.0): \($0.1)" })
            #expect(seen[0].body == one.payload)
        }
    }

    @Test("an expiration before 1970 is sent as 0, which means once and never stored")
    func expiration() async throws {
        try await withSender { world in
            var past = TestTry(1)
            past.expirationSeconds = -5
            await world.send([past])
            _ = try await world.end(of: 1)
            #expect(await world.apple.seen().first?.head.fields["apns-expiration"] == "0")
        }
    }
}
