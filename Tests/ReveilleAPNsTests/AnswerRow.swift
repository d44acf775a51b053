import ReveilleAPNs
import ReveilleCore
import Testing

/// One answer of APNs with the outcome it must have, written down apart from the table of the program.
struct AnswerRow: Sendable, CustomTestStringConvertible {
    let status: Int
    let word: String
    let outcome: Outcome
    var timestamp: Int64?
    var retryAfter: Int64?

    var reason: APNsReason? { APNsReason(rawValue: word) }
    /// Whether it says that APNs does not take the key.
    var refusesKey: Bool { if case .misconfigured(_, .lane) = outcome { status == 403 } else { false } }
    var testDescription: String { "\(status) \(word)" }

    init(_ status: Int, _ word: String, timestamp: Int64? = nil, retryAfter: Int64? = nil, _ outcome: Outcome) {
        self.status = status
        self.word = word
        self.timestamp = timestamp
        self.retryAfter = retryAfter
        self.outcome = outcome
    }

    private static func stored(_ word: String) -> ProviderReason { ProviderReason(stored: word) }

    private static func refused(_ status: Int, _ word: String) -> AnswerRow {
        AnswerRow(status, word, .refused(reason: stored(word)))
    }

    private static func misconfigured(_ status: Int, _ word: String, _ scope: MisconfigurationScope) -> AnswerRow {
        AnswerRow(status, word, .misconfigured(reason: stored(word), scope: scope))
    }

    private static func retry(
        _ status: Int, _ word: String, retryAfter: Int64? = nil, _ floor: RetryFloor
    ) -> AnswerRow {
        AnswerRow(status, word, retryAfter: retryAfter, .retry(reason: stored(word), after: floor))
    }

    private static func gone(_ status: Int, _ word: String, _ timestamp: Int64?) -> AnswerRow {
        AnswerRow(
            status, word, timestamp: timestamp, .deviceGone(reason: stored(word), sinceMilliseconds: timestamp))
    }

    static let all: [AnswerRow] = [
        refused(400, "BadCollapseId"),
        AnswerRow(400, "BadDeviceToken", .wrongEnvironment(reason: stored("BadDeviceToken"))),
        refused(400, "BadExpirationDate"),
        refused(400, "BadMessageId"),
        refused(400, "BadPriority"),
        misconfigured(400, "BadTopic", .topic),
        gone(400, "DeviceTokenNotForTopic", nil),
        refused(400, "DuplicateHeaders"),
        retry(400, "IdleTimeout", .atOnceThenSchedule),
        refused(400, "InvalidPushType"),
        refused(400, "MissingDeviceToken"),
        misconfigured(400, "MissingTopic", .topic),
        refused(400, "PayloadEmpty"),
        misconfigured(400, "TopicDisallowed", .topic),
        misconfigured(403, "BadCertificate", .lane),
        misconfigured(403, "BadCertificateEnvironment", .lane),
        AnswerRow(403, "ExpiredProviderToken", .renewCredential(reason: stored("ExpiredProviderToken"))),
        misconfigured(403, "Forbidden", .lane),
        misconfigured(403, "InvalidProviderToken", .lane),
        refused(403, "MissingProviderToken"),
        retry(403, "UnrelatedKeyIdInToken", .atOnceThenSchedule),
        misconfigured(403, "BadEnvironmentKeyIdInToken", .lane),
        misconfigured(403, "BadEnvironmentKeyInToken", .lane),
        refused(404, "BadPath"),
        refused(405, "MethodNotAllowed"),
        gone(410, "ExpiredToken", 1_767_225_601_000),
        gone(410, "Unregistered", 1_767_225_601_000),
        gone(410, "Unregistered", nil),
        refused(413, "PayloadTooLarge"),
        retry(429, "TooManyProviderTokenUpdates", .lanePaced(seconds: 1_200)),
        retry(429, "TooManyProviderTokenUpdates", retryAfter: 7_200, .lanePaced(seconds: 7_200)),
        retry(429, "TooManyProviderTokenUpdates", retryAfter: 21_601, .lanePaced(seconds: 21_600)),
        retry(429, "TooManyProviderTokenUpdates", retryAfter: 99_999_999, .lanePaced(seconds: 21_600)),
        retry(429, "TooManyProviderTokenUpdates", retryAfter: .max, .lanePaced(seconds: 21_600)),
        retry(429, "TooManyRequests", retryAfter: .max, .devicePaced(seconds: 86_400)),
        retry(429, "TooManyRequests", .devicePaced(seconds: 60)),
        retry(429, "TooManyRequests", retryAfter: 30, .devicePaced(seconds: 60)),
        retry(429, "TooManyRequests", retryAfter: 300, .devicePaced(seconds: 300)),
        retry(500, "InternalServerError", .schedule(seconds: 0)),
        retry(500, "InternalServerError", retryAfter: 45, .schedule(seconds: 45)),
        retry(503, "ServiceUnavailable", .schedule(seconds: 0)),
        retry(503, "ServiceUnavailable", retryAfter: 120, .schedule(seconds: 120)),
        retry(503, "Shutdown", .atOnceThenSchedule),
        retry(503, "Shutdown", retryAfter: 120, .schedule(seconds: 120)),
        retry(400, "IdleTimeout", retryAfter: 5, .schedule(seconds: 5)),
        retry(403, "UnrelatedKeyIdInToken", retryAfter: 60, .schedule(seconds: 60)),
        AnswerRow(400, "InvalidToken", .wrongEnvironment(reason: stored("InvalidToken"))),
        misconfigured(403, "InvalidSigningKey", .lane),
    ]
}
