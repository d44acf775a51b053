import ReveilleCore
import ReveilleEmulator

/// The specification: what each answer of APNs, and each way of getting none, does to wake, next try, device and lane.
enum OutcomeTable {
    static let rows = aboutDevices + aboutTheLane + foreignAnswers + withoutAnswer

    static let aboutDevices = accepted + refused + gone + wrongEnvironment + meanwhile
    static let aboutTheLane = misconfigured + renewed + again + later + paced
    static let foreignAnswers = unknownReasons + foreignStatuses + unreadable
    static let withoutAnswer = resets + goAways + goAwayWords + losses + unreachable

    // MARK: Making rows

    /// A row of an answer; its word is the reason unless another one is recorded.
    static func answer(
        _ status: Int, _ reason: String?, body: String? = nil, at timestamp: Int64? = nil,
        retryAfter: String? = nil, given: OutcomeSituation = .proved, times: Int = 1, requests: Int? = nil,
        as word: String? = nil, _ wake: WakeColumn, _ due: DueColumn, _ device: DeviceColumn, _ lane: LaneColumn
    ) -> OutcomeRow {
        let answer = ScriptedAnswer(
            status: status, reason: reason, timestamp: timestamp.map { .at($0) }, retryAfter: retryAfter, body: body)
        var title = "\(status) \(reason ?? body ?? "without a body")"
        if let timestamp { title += " since \(timestamp)" }
        if let retryAfter { title += ", Retry-After: \(retryAfter)" }
        return OutcomeRow(
            title: times == 1 ? title : "\(title), \(times) times", given: given, action: .answer(answer), times: times,
            requests: requests ?? times, word: word ?? reason, status: status, wake: wake, due: due, device: device,
            lane: lane)
    }

    /// A row of something that is not an answer.
    static func trouble(
        _ title: String, _ action: AppleFaultAction, given: OutcomeSituation = .proved, times: Int = 1,
        requests: Int? = nil, while meanwhile: OutcomeMeanwhile = .nothing, as word: String?, status: Int = 0,
        _ wake: WakeColumn, _ due: DueColumn, _ device: DeviceColumn, _ lane: LaneColumn
    ) -> OutcomeRow {
        OutcomeRow(
            title: times == 1 ? title : "\(title), \(times) times", given: given, action: action, times: times,
            requests: requests ?? times, meanwhile: meanwhile, word: word, status: status, wake: wake, due: due,
            device: device, lane: lane)
    }
}

// MARK: Answers

extension OutcomeTable {
    /// When every phone of a row is registered, in milliseconds since 1970: no time has passed before.
    static let registered: Int64 = 1_800_000_000_000

    static let accepted = [
        answer(200, nil, .accepted, .never, .woken, .working),
        answer(200, nil, given: .fresh, .accepted, .never, .woken, .working),
        answer(200, nil, body: "{\"reason\":\"BadDeviceToken\"}", .accepted, .never, .woken, .working),
    ]

    /// A fault of the request: it fails for good, and only a third day in a row speaks against the device.
    static let refused = [
        answer(400, "BadCollapseId", .failed, .never, .noted, .working),
        answer(400, "BadExpirationDate", .failed, .never, .noted, .working),
        answer(400, "BadMessageId", .failed, .never, .noted, .working),
        answer(400, "BadPriority", .failed, .never, .noted, .working),
        answer(400, "DuplicateHeaders", .failed, .never, .noted, .working),
        answer(400, "InvalidPushType", .failed, .never, .noted, .working),
        answer(400, "MissingDeviceToken", .failed, .never, .noted, .working),
        answer(400, "PayloadEmpty", .failed, .never, .noted, .working),
        answer(403, "MissingProviderToken", .failed, .never, .noted, .working),
        answer(404, "BadPath", .failed, .never, .noted, .working),
        answer(405, "MethodNotAllowed", .failed, .never, .noted, .working),
        answer(413, "PayloadTooLarge", .failed, .never, .noted, .working),
        answer(413, "PayloadTooLarge", given: .fresh, .failed, .never, .noted, .working),
        answer(413, "PayloadTooLarge", given: .thirdDay, .failed, .nextVisible, .quarantined, .working),
    ]

    /// The device is gone: believed with an accepted send in the hour before it, or on the third day; never over the brake, and
    /// not when the app registered since.
    static let gone = [
        answer(410, "Unregistered", .failed, .never, .needsRegistration, .working),
        answer(410, "ExpiredToken", .failed, .never, .needsRegistration, .working),
        answer(400, "DeviceTokenNotForTopic", .failed, .never, .needsRegistration, .working),
        answer(410, "Unregistered", at: registered, .failed, .never, .needsRegistration, .working),
        answer(410, "Unregistered", at: registered + 60_000, .failed, .never, .needsRegistration, .working),
        answer(410, "ExpiredToken", at: registered + 60_000, .failed, .never, .needsRegistration, .working),
        answer(410, "Unregistered", at: registered - 1, .waiting(1), .between(0, 60), .untouched, .working),
        answer(410, "ExpiredToken", at: registered - 1, .waiting(1), .between(0, 60), .untouched, .working),
        answer(410, "Unregistered", at: registered / 1_000, .waiting(1), .between(0, 60), .untouched, .working),
        answer(410, "Unregistered", given: .neighbourProved, .failed, .never, .needsRegistration, .working),
        answer(410, "Unregistered", given: .fresh, .held(.deviceQuarantined), .nextAccepted, .quarantined, .working),
        answer(
            410, "Unregistered", given: .provedLongAgo, .held(.deviceQuarantined), .nextAccepted, .quarantined,
            .working),
        answer(410, "ExpiredToken", given: .fresh, .held(.deviceQuarantined), .nextAccepted, .quarantined, .working),
        answer(
            400, "DeviceTokenNotForTopic", given: .fresh, .held(.deviceQuarantined), .nextAccepted, .quarantined,
            .working),
        answer(
            410, "Unregistered", given: .brakeSpent, .held(.deviceQuarantined), .nextVisible, .quarantined,
            .working),
        answer(
            400, "DeviceTokenNotForTopic", given: .brakeSpent, .held(.deviceQuarantined), .nextVisible,
            .quarantined,
            .working),
        answer(410, "Unregistered", given: .thirdDay, .failed, .never, .needsRegistration, .working),
        answer(400, "DeviceTokenNotForTopic", given: .thirdDay, .failed, .never, .needsRegistration, .working),
    ]

    /// A token that was never accepted where it was sent is tried once in the other environment; one that was is gone.
    static let wrongEnvironment = ["BadDeviceToken", "InvalidToken"].flatMap { word in
        [
            answer(
                400, word, given: .fresh, requests: 2, .superseded(by: .inSandbox(.accepted)), .never, .wokenInSandbox,
                .working),
            answer(
                400, word, given: .neighbourProved, requests: 2, .superseded(by: .inSandbox(.accepted)), .never,
                .wokenInSandbox, .working),
            answer(
                400, word, given: .fresh, times: 2, .superseded(by: .inSandbox(.held(.deviceQuarantined))),
                .nextAccepted, .quarantined, .working),
            answer(400, word, .failed, .never, .needsRegistration, .working),
            answer(400, word, given: .provedLongAgo, .held(.deviceQuarantined), .nextAccepted, .quarantined, .working),
            answer(
                400, word, given: .brakeSpent, .held(.deviceQuarantined), .nextVisible, .quarantined,
                .working),
        ]
    }

    /// An operator must act: nothing is lost, no device is touched, a probe goes out after a minute.
    static let misconfigured = [
        answer(400, "BadTopic", .held(.laneMisconfigured), .probe(60), .untouched, .topicPaused),
        answer(400, "MissingTopic", .held(.laneMisconfigured), .probe(60), .untouched, .topicPaused),
        answer(400, "TopicDisallowed", .held(.laneMisconfigured), .probe(60), .untouched, .topicPaused),
        answer(403, "BadCertificate", .held(.laneMisconfigured), .probe(60), .untouched, .paused),
        answer(403, "BadCertificateEnvironment", .held(.laneMisconfigured), .probe(60), .untouched, .paused),
        answer(403, "Forbidden", .held(.laneMisconfigured), .probe(60), .untouched, .paused),
        answer(403, "InvalidProviderToken", .held(.laneMisconfigured), .probe(60), .untouched, .paused),
        answer(403, "InvalidProviderToken", given: .fresh, .held(.laneMisconfigured), .probe(60), .untouched, .paused),
        answer(403, "BadEnvironmentKeyIdInToken", .held(.laneMisconfigured), .probe(60), .untouched, .paused),
        answer(403, "BadEnvironmentKeyInToken", .held(.laneMisconfigured), .probe(60), .untouched, .paused),
        answer(403, "InvalidSigningKey", .held(.laneMisconfigured), .probe(60), .untouched, .paused),
    ]

    /// A new provider token once, if the old one is over 20 minutes old; then an operator must act.
    static let renewed = [
        answer(403, "ExpiredProviderToken", requests: 2, .accepted, .never, .woken, .working),
        answer(403, "ExpiredProviderToken", times: 2, .held(.laneMisconfigured), .probe(60), .untouched, .paused),
        answer(
            403, "ExpiredProviderToken", given: .justProved, .held(.laneMisconfigured), .probe(60), .untouched, .paused),
    ]

    /// Only the connection is used up: once at once on a new one, then by the schedule.
    static let again = [(400, "IdleTimeout"), (403, "UnrelatedKeyIdInToken"), (503, "Shutdown")].flatMap {
        [
            answer($0, $1, requests: 2, .accepted, .never, .woken, .working),
            answer($0, $1, given: .fresh, requests: 2, .accepted, .never, .woken, .working),
            answer($0, $1, times: 2, .waiting(2), .between(0, 60), .untouched, .working),
            answer($0, $1, retryAfter: "0", requests: 2, .accepted, .never, .woken, .working),
            answer($0, $1, retryAfter: "120", .waiting(1), .between(120, 150), .untouched, .working),
        ]
    }

    /// Apple's own trouble: by the schedule, and not before what Retry-After asks for.
    static let later = [(500, "InternalServerError"), (503, "ServiceUnavailable")].flatMap {
        [
            answer($0, $1, .waiting(1), .between(0, 60), .untouched, .working),
            answer($0, $1, given: .fresh, .waiting(1), .between(0, 60), .untouched, .working),
            answer($0, $1, retryAfter: "45", .waiting(1), .between(45, 60), .untouched, .working),
            answer($0, $1, retryAfter: "120", .waiting(1), .between(120, 150), .untouched, .working),
            answer(
                $0, $1, retryAfter: "Fri, 15 Jan 2027 08:26:00 GMT", .waiting(1), .between(300, 375), .untouched,
                .working),
            answer($0, $1, retryAfter: "soon", .waiting(1), .between(0, 60), .untouched, .working),
            answer($0, $1, retryAfter: "90000", .expired, .never, .untouched, .working),
        ]
    }

    /// Too much, for a device or for the key.
    static let paced = [
        answer(429, "TooManyRequests", .waiting(1), .between(60, 75), .untouched, .working),
        answer(429, "TooManyRequests", retryAfter: "30", .waiting(1), .between(60, 75), .untouched, .working),
        answer(429, "TooManyRequests", retryAfter: "300", .waiting(1), .between(300, 375), .untouched, .working),
        answer(429, "TooManyRequests", retryAfter: "90000", .expired, .never, .untouched, .working),
        answer(429, "TooManyProviderTokenUpdates", .waiting(1), .between(1_200, 1_500), .untouched, .paced),
        answer(
            429, "TooManyProviderTokenUpdates", retryAfter: "3000", .waiting(1), .between(3_000, 3_750), .untouched,
            .paced),
        answer(
            429, "TooManyProviderTokenUpdates", retryAfter: "99999999", .waiting(1), .between(21_600, 27_000),
            .untouched, .paced),
    ]

    // MARK: What is not on Apple's page

    /// A reason that nobody knows is judged by its status.
    static let unknownReasons =
        foreign(as: "UnknownReason") { answer($0, "SomethingNew", as: $1, $2, $3, $4, $5) }

    /// So is a body that cannot be read, or none.
    static let unreadable =
        foreign(as: "UnreadableAnswer") { answer($0, nil, body: "<html>\($0)</html>", as: $1, $2, $3, $4, $5) }
        + foreign(as: "UnreadableAnswer") { answer($0, nil, as: $1, $2, $3, $4, $5) }
        + [
            answer(
                410, nil, body: "{\"timestamp\":\(registered - 1)}", as: "UnreadableAnswer", .waiting(1),
                .between(0, 60),
                .untouched, .working),
            answer(
                410, nil, body: "{\"reason\":\"SomethingNew\",\"timestamp\":\(registered + 1)}", as: "UnknownReason",
                .failed,
                .never, .needsRegistration, .working),
            answer(
                400, nil, body: "{\"reason\":\"Unregistered\",\"reason\":\"BadTopic\"}", as: "UnreadableAnswer",
                .failed,
                .never, .noted, .working),
            answer(410, nil, body: "{}", as: "UnreadableAnswer", .failed, .never, .needsRegistration, .working),
            answer(
                410, nil, body: "{}", given: .fresh, as: "UnreadableAnswer", .held(.deviceQuarantined), .nextAccepted,
                .quarantined, .working),
            answer(400, nil, body: "{\"reason\":7}", as: "UnreadableAnswer", .failed, .never, .noted, .working),
            answer(400, nil, body: "[\"BadTopic\"]", as: "UnreadableAnswer", .failed, .never, .noted, .working),
        ]

    /// What the status alone says, from 400 on.
    private static func foreign(
        as word: String,
        _ row: (Int, String, WakeColumn, DueColumn, DeviceColumn, LaneColumn) -> OutcomeRow
    ) -> [OutcomeRow] {
        [
            row(400, word, .failed, .never, .noted, .working),
            row(403, word, .held(.laneMisconfigured), .probe(60), .untouched, .paused),
            row(404, word, .failed, .never, .noted, .working),
            row(410, word, .failed, .never, .needsRegistration, .working),
            row(418, word, .failed, .never, .noted, .working),
            row(429, word, .waiting(1), .between(60, 75), .untouched, .working),
            row(500, word, .waiting(1), .between(0, 60), .untouched, .working),
            row(502, word, .waiting(1), .between(0, 60), .untouched, .working),
            row(599, word, .waiting(1), .between(0, 60), .untouched, .working),
        ]
    }

    /// Something else stands at Apple's address.
    static let foreignStatuses = [201, 204, 206, 300, 301, 302, 304, 308].map {
        answer($0, nil, as: "NotAPNs", .held(.laneMisconfigured), .probe(60), .untouched, .paused)
    }
}
