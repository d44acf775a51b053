import ReportedCases
import ReveilleBytes
import ReveilleCore
import ReveilleFCM
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import Testing

@Suite("What FCM answers means one thing for wake, device and lane")
struct FCMOutcomesTests {
    private static func body(_ text: String) -> FCMAnswerBody {
        Array(text.utf8).withUnsafeBytes { FCMAnswerBody($0) }
    }

    private static func error(_ status: String, _ details: String = "") -> String {
        #"{"error":{"code":0,"message":"text","status":"\#(status)","details":[\#(details)]}}"#
    }

    private static func fcm(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    private static func violation(_ fields: String...) -> String {
        let list = fields.map { #"{"field":"\#($0)","description":"text"}"# }.joined(separator: ",")
        return #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(list)]}"#
    }

    private static func quota(_ subject: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#(subject)"}]}"#
    }

    private static let html = "<!doctype html><title>Error</title>"

    private static let rows: [(status: Int, body: String, reason: FCMReason, meaning: FCMOutcomes.Meaning)] = [
        (200, #"{"name":"projects/p/messages/0:1"}"#, .unknown, .accepted),
        (200, html, .notFCM, .misconfigured),
        (200, "{}", .notFCM, .misconfigured),
        (400, error("INVALID_ARGUMENT", fcm("UNSPECIFIED_ERROR")), .unspecifiedError, .later),
        (400, error("INVALID_ARGUMENT", fcm("INVALID_ARGUMENT")), .invalidArgument, .refused),
        (
            400, error("INVALID_ARGUMENT", fcm("INVALID_ARGUMENT") + "," + violation("message.token")), .invalidToken,
            .deviceGone
        ),
        (
            400, error("INVALID_ARGUMENT", fcm("INVALID_ARGUMENT") + "," + violation("message.fid")), .invalidToken,
            .deviceGone
        ),
        (
            400,
            error(
                "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT") + "," + violation("message.token", "message.android.ttl")),
            .invalidArgument, .refused
        ),
        (400, error("INVALID_ARGUMENT", violation("message.token")), .invalidArgument, .refused),
        (400, error("INVALID_ARGUMENT", fcm("UNREGISTERED")), .unregistered, .deviceGone),
        (404, error("NOT_FOUND", fcm("UNREGISTERED")), .unregistered, .deviceGone),
        (404, error("NOT_FOUND"), .notFound, .misconfigured),
        (404, html, .notFCM, .misconfigured),
        (404, "", .notFCM, .misconfigured),
        (403, error("PERMISSION_DENIED", fcm("SENDER_ID_MISMATCH")), .senderIDMismatch, .deviceGone),
        (403, error("PERMISSION_DENIED"), .permissionDenied, .misconfigured),
        (403, html, .notFCM, .misconfigured),
        (401, error("UNAUTHENTICATED"), .unauthenticated, .renewToken),
        (401, "", .unauthenticated, .renewToken),
        (401, error("UNAUTHENTICATED", fcm("THIRD_PARTY_AUTH_ERROR")), .thirdPartyAuthError, .misconfiguredDevice),
        (401, error("UNAUTHENTICATED", fcm("APNS_AUTH_ERROR")), .thirdPartyAuthError, .misconfiguredDevice),
        (429, error("RESOURCE_EXHAUSTED", fcm("QUOTA_EXCEEDED")), .quotaExceeded, .paceLane),
        (429, error("RESOURCE_EXHAUSTED", fcm("QUOTA_EXCEEDED") + "," + quota("device:x")), .deviceQuota, .paceDevice),
        (429, error("RESOURCE_EXHAUSTED", fcm("QUOTA_EXCEEDED") + "," + quota("project:x")), .quotaExceeded, .paceLane),
        (429, error("RESOURCE_EXHAUSTED"), .resourceExhausted, .paceLane),
        (429, html, .resourceExhausted, .paceLane),
        (500, error("INTERNAL", fcm("INTERNAL")), .internalError, .later),
        (503, error("UNAVAILABLE", fcm("UNAVAILABLE")), .unavailable, .later),
        (502, html, .unavailable, .later),
        (400, error("INVALID_ARGUMENT", fcm("SOMETHING_NEW")), .unknown, .refused),
        (403, error("PERMISSION_DENIED", fcm("SOMETHING_NEW")), .unknown, .misconfiguredDevice),
        (404, error("NOT_FOUND", fcm("SOMETHING_NEW")), .unknown, .misconfiguredDevice),
        (429, error("RESOURCE_EXHAUSTED", fcm("SOMETHING_NEW")), .resourceExhausted, .paceLane),
        (403, error("SOMETHING_ELSE"), .permissionDenied, .misconfigured),
        (404, error("SOMETHING_ELSE"), .notFound, .misconfigured),
        (500, error("INTERNAL", fcm("SOMETHING_NEW")), .internalError, .later),
        (503, error("SOMETHING_ELSE", fcm("SOMETHING_NEW")), .unavailable, .later),
        (400, error("FAILED_PRECONDITION"), .unknown, .refused),
        (400, html, .notFCM, .misconfigured),
        (302, "", .notFCM, .misconfigured),
    ]

    @Test("row by row", arguments: rows.indices)
    func row(index: Int) {
        let row = Self.rows[index]
        let found = FCMOutcomes.row(status: row.status, body: Self.body(row.body))
        #expect(found.meaning == row.meaning && found.reason == row.reason, "\(row.status) \(row.body)")
    }

    @Test("every error code and every general code has its row")
    func complete() {
        let seen = Set(Self.rows.map(\.reason))
        let words = FCMReason.allCases.filter { $0.rawValue == $0.rawValue.uppercased() }
        #expect(words.allSatisfy(seen.contains), "\(words.filter { !seen.contains($0) })")
    }

    /// The replies of a reported case as outcomes.
    private static func outcomes(_ name: String, now: WallInstant = WallInstant(seconds: 0)) throws -> [Outcome] {
        let file = try JSONReader.parse(ReportedCase.octets(name))
        return try #require(file["input"]?["replies"]?.array).map { reply in
            let body = try #require(reply["body"]).encoded()
            let wait = reply["headers"]?["retry-after"]?.string.flatMap { RetryAfter.seconds($0, now: now) }
            return FCMOutcomes.outcome(
                of: FCMOutcomes.row(
                    status: Int(try #require(reply["status"]?.integer)),
                    body: body.withUnsafeBytes { FCMAnswerBody($0) }),
                retryAfterSeconds: wait)
        }
    }

    @Test("one code with two causes: only a violation that names the token speaks against the device")
    func invalidArgument() throws {
        #expect(
            try Self.outcomes("056-fcm-invalid-argument-two-meanings") == [
                .deviceGone(reason: ProviderReason("InvalidToken"), sinceMilliseconds: nil),
                .refused(reason: ProviderReason("INVALID_ARGUMENT")),
                .refused(reason: ProviderReason("INVALID_ARGUMENT")),
                .deviceGone(reason: ProviderReason("UNREGISTERED"), sinceMilliseconds: nil),
            ])
    }

    @Test("a token of another project is gone, a missing right is the operator's affair")
    func senderMismatch() throws {
        #expect(
            try Self.outcomes("058-fcm-sender-mismatch") == [
                .deviceGone(reason: ProviderReason("SENDER_ID_MISMATCH"), sinceMilliseconds: nil),
                .misconfigured(reason: ProviderReason("PERMISSION_DENIED"), scope: .lane),
                .misconfigured(reason: ProviderReason("THIRD_PARTY_AUTH_ERROR"), scope: .subscription),
            ])
    }

    @Test("Retry-After is kept in both forms; without it a 429 stands for a minute")
    func retryAfter() throws {
        #expect(
            try Self.outcomes("059-fcm-429-retry-after", now: WallInstant(seconds: 1_767_225_600)) == [
                .retry(reason: ProviderReason("QUOTA_EXCEEDED"), after: .lanePaced(seconds: 30)),
                .retry(reason: ProviderReason("UNAVAILABLE"), after: .schedule(seconds: 120)),
                .retry(reason: ProviderReason("QUOTA_EXCEEDED"), after: .lanePaced(seconds: 60)),
            ])
    }

    @Test("nothing is repeated within ten seconds, and no header silences the lane for longer than six hours")
    func floors() {
        func after(_ meaning: String, _ details: String, _ seconds: Int64?) -> Outcome {
            FCMOutcomes.outcome(
                of: FCMOutcomes.row(status: 503, body: Self.body(Self.error(meaning, details))),
                retryAfterSeconds: seconds)
        }
        let word = ProviderReason("UNAVAILABLE")
        #expect(after("UNAVAILABLE", "", nil) == .retry(reason: word, after: .schedule(seconds: 10)))
        #expect(after("UNAVAILABLE", "", 1) == .retry(reason: word, after: .schedule(seconds: 10)))
        #expect(after("UNAVAILABLE", "", -5) == .retry(reason: word, after: .schedule(seconds: 10)))
        let quota = ProviderReason("RESOURCE_EXHAUSTED")
        #expect(after("RESOURCE_EXHAUSTED", "", 1) == .retry(reason: quota, after: .lanePaced(seconds: 10)))
        #expect(after("RESOURCE_EXHAUSTED", "", 86_400) == .retry(reason: quota, after: .lanePaced(seconds: 21_600)))
        #expect(
            after("RESOURCE_EXHAUSTED", Self.fcm("QUOTA_EXCEEDED") + "," + Self.quota("device:x"), 999_999)
                == .retry(reason: ProviderReason("DeviceQuota"), after: .devicePaced(seconds: 86_400)))
    }

    @Test(
        "hostile bodies say nothing",
        arguments: [
            "", "null", "[]", "{\"error\":[]}", "{\"error\":{\"details\":{}}}",
            "{\"error\":{\"details\":[1,null,{\"@type\":3}]}}",
            String(repeating: "[", count: 10_000),
        ])
    func hostile(text: String) {
        let body = Self.body(text)
        #expect(body.errorCode == nil && body.status == nil && !body.blamesToken && !body.hasName)
    }
}
