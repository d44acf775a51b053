import LaneTesting
import ReveilleCore
import ReveilleFCM
import ReveilleNetwork
import ReveilleTelemetry
import ReveilleTesting
import Testing

@Suite("What FCM answers reaches the lane as one outcome", .timeLimit(.minutes(5)))
struct FCMSenderOutcomeTests {
    /// An answer, and what it is for the lane.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let reply: ScriptedReply
        let outcome: ReveilleCore.Outcome

        var testDescription: String { name }

        init(_ name: String, _ reply: ScriptedReply, _ outcome: ReveilleCore.Outcome) {
            self.name = name
            self.reply = reply
            self.outcome = outcome
        }
    }

    private static func word(_ word: String) -> ProviderReason { ProviderReason(stored: word) }

    private static func later(_ reason: String, _ seconds: Int64 = 10) -> ReveilleCore.Outcome {
        .retry(reason: word(reason), after: .schedule(seconds: seconds))
    }

    private static func gone(_ reason: String) -> ReveilleCore.Outcome {
        .deviceGone(reason: word(reason), sinceMilliseconds: nil)
    }

    private static func misconfigured(_ reason: String, _ scope: MisconfigurationScope = .lane) -> ReveilleCore.Outcome
    {
        .misconfigured(reason: word(reason), scope: scope)
    }

    private static func paced(_ reason: String, _ seconds: Int64) -> ReveilleCore.Outcome {
        .retry(reason: word(reason), after: .lanePaced(seconds: seconds))
    }

    private static let deviceQuota =
        fcmError("QUOTA_EXCEEDED")
        + #",{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"device:1"}]}"#

    private static let rows = [
        Row("accepted", acceptedMessage, .accepted),
        Row("accepted, in one line", ScriptedReply(200, #"{"name":"projects/p/messages/1"}"#), .accepted),
        Row("another member first", ScriptedReply(200, #"{"a":1,"name":"projects/p/messages/1"}"#), .accepted),
        Row("200 of a stranger", ScriptedReply(200, "<html>"), misconfigured("NotFCM")),
        Row("200 without a body", ScriptedReply(200), misconfigured("NotFCM")),
        Row(
            "no detail", googleError(400, "INVALID_ARGUMENT", details: fcmError("UNSPECIFIED_ERROR")),
            later("UNSPECIFIED_ERROR")),
        Row(
            "a token that is none",
            googleError(
                400, "INVALID_ARGUMENT", details: fcmError("INVALID_ARGUMENT") + "," + violation("message.token")),
            gone("InvalidToken")),
        Row(
            "a message that is wrong",
            googleError(
                400, "INVALID_ARGUMENT", details: fcmError("INVALID_ARGUMENT") + "," + violation("message.android.ttl")),
            .refused(reason: word("INVALID_ARGUMENT"))),
        Row("gone", googleError(404, "NOT_FOUND", details: fcmError("UNREGISTERED")), gone("UNREGISTERED")),
        Row(
            "another project's token", googleError(403, "PERMISSION_DENIED", details: fcmError("SENDER_ID_MISMATCH")),
            gone("SENDER_ID_MISMATCH")),
        Row(
            "the project's quota", googleError(429, "RESOURCE_EXHAUSTED", details: fcmError("QUOTA_EXCEEDED")),
            paced("QUOTA_EXCEEDED", 60)),
        Row(
            "the front end's quota, with a wait",
            googleError(429, "RESOURCE_EXHAUSTED", fields: [("retry-after", "17")]), paced("RESOURCE_EXHAUSTED", 17)),
        Row(
            "a device's quota", googleError(429, "RESOURCE_EXHAUSTED", details: deviceQuota),
            .retry(reason: word("DeviceQuota"), after: .devicePaced(seconds: 60))),
        Row(
            "overloaded",
            googleError(503, "UNAVAILABLE", details: fcmError("UNAVAILABLE"), fields: [("retry-after", "120")]),
            later("UNAVAILABLE", 120)),
        Row("broken", googleError(500, "INTERNAL", details: fcmError("INTERNAL")), later("INTERNAL")),
        Row("a gateway's page", ScriptedReply(502, "<html>"), later("UNAVAILABLE")),
        Row(
            "the key for Apple is bad",
            googleError(401, "UNAUTHENTICATED", details: fcmError("THIRD_PARTY_AUTH_ERROR")),
            misconfigured("THIRD_PARTY_AUTH_ERROR", .subscription)),
        Row("a right is missing", googleError(403, "PERMISSION_DENIED"), misconfigured("PERMISSION_DENIED")),
        Row("the project is missing", googleError(404, "NOT_FOUND"), misconfigured("NOT_FOUND")),
        Row("a stranger's 404", ScriptedReply(404, "<html>"), misconfigured("NotFCM")),
        Row("elsewhere", ScriptedReply(301, fields: [("location", "https://example.org/")]), misconfigured("NotFCM")),
        Row("elsewhere for now", ScriptedReply(307, fields: [("location", "/other")]), misconfigured("NotFCM")),
        Row(
            "a new word about this message", googleError(403, "PERMISSION_DENIED", details: fcmError("NEW_WORD")),
            misconfigured("UnknownReason", .subscription)),
        Row("the token", googleError(401, "UNAUTHENTICATED"), .renewCredential(reason: word("UNAUTHENTICATED"))),
    ]

    @Test("row by row, over a connection", arguments: rows)
    func row(row: Row) async throws {
        try await withFCM { world in
            world.google.answer { _ in row.reply }
            await world.send([ScriptedTry(1)])
            let end = try await world.end(of: 1)
            #expect(end.outcome == row.outcome)
            #expect(end.status == row.reply.status)
            #expect(end.mayHaveLeft)
            // A redirect is an answer, and nothing is asked elsewhere.
            #expect(world.google.seen.value.count == 1)
            if row.outcome != .accepted {
                #expect(
                    world.metrics.prometheusText().contains(
                        "reveille_fcm_reasons_total{reason=\"\(Self.reason(row.outcome))\"} 1\n"))
            }
            #expect(world.count("reveille_fcm_tries_total{result=\"accepted\"}") == (row.outcome == .accepted ? 1 : 0))
        }
    }

    private static func reason(_ outcome: ReveilleCore.Outcome) -> String {
        switch outcome {
        case .accepted: ""
        case .retry(let reason, _), .unknown(let reason), .renewCredential(let reason), .deviceGone(let reason, _),
            .wrongEnvironment(let reason), .misconfigured(let reason, _), .refused(let reason):
            reason.word
        }
    }

    @Test("the request is a message of the project with the account's token, and its body is the lane's")
    func request() async throws {
        try await withFCM { world in
            await world.send([ScriptedTry(1, payload: #"{"message":{"token":"abc"}}"#)])
            try await world.ends(1)
            let request = try #require(world.google.seen.value.first)
            let account = try ServiceAccounts.account()
            #expect(request.method == "POST")
            #expect(request.target == "/v1/projects/\(account.project)/messages:send")
            #expect(request.fields["authorization"] == "Bearer token-1")
            #expect(request.fields["content-type"] == "application/json; charset=utf-8")
            #expect(request.version == .http2)
            #expect(String(decoding: request.body, as: UTF8.self) == #"{"message":{"token":"abc"}}"#)
            #expect(await world.requestDeadlineSeconds >= 10)
        }
    }

    @Test("a message that is empty or far too long is not sent, and takes no other with it", arguments: [0, 16_385])
    func unsendable(octets: Int) async throws {
        try await withFCM { world in
            let text = String(repeating: "x", count: octets)
            await world.send([ScriptedTry(1, payload: text), ScriptedTry(2)])
            let ends = try await world.ends(2)
            #expect(ends[1]?.outcome == .refused(reason: ProviderReason("InvalidRequest")))
            #expect(ends[1]?.mayHaveLeft == false)
            #expect(ends[2]?.outcome == .accepted)
            #expect(world.google.seen.value.count == 1)
        }
    }

    @Test("no answer within the deadline is unknown")
    func silence() async throws {
        try await withFCM { world in
            world.google.hold()
            await world.send([ScriptedTry(1)])
            try await world.google.seen.wait { $0.count == 1 }
            // Questions whether the server lives are answered meanwhile.
            for _ in 0..<20 where world.ended.value.isEmpty { await world.advance(by: .seconds(1)) }
            let end = try await world.end(of: 1)
            guard case .unknown = end.outcome else {
                Issue.record("\(end.outcome)")
                return
            }
        }
    }
}
