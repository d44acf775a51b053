import ReveilleAPNs
import ReveilleCore
import ReveilleHTTP2
import ReveilleSending
import Testing

@Suite("Every answer of APNs has its outcome")
struct OutcomeTableTests {
    @Test("each reason decides", arguments: AnswerRow.all)
    func row(row: AnswerRow) {
        let outcome = APNsOutcomes.outcome(
            status: row.status, reason: row.reason, timestamp: row.timestamp, retryAfterSeconds: row.retryAfter)
        #expect(outcome == row.outcome)
    }

    @Test("the table of the tests names every reason that APNs gives, with its status")
    func complete() {
        let tested = Set(AnswerRow.all.map(\.reason))
        let known = Set(APNsOutcomes.rows.map { Optional($0.reason) })
        #expect(known.subtracting(tested).isEmpty)
        for row in APNsOutcomes.rows {
            #expect(AnswerRow.all.contains { $0.reason == row.reason && $0.status == row.status })
        }
    }

    @Test("the reason counts, not the status that it came with")
    func reasonFirst() {
        #expect(
            APNsOutcomes.outcome(status: 400, reason: .unregistered)
                == .deviceGone(reason: ProviderReason("Unregistered"), sinceMilliseconds: nil))
        #expect(
            APNsOutcomes.outcome(status: 410, reason: .badPriority)
                == .refused(reason: ProviderReason("BadPriority")))
    }

    @Test("an accepted request needs no body, whatever it says")
    func accepted() {
        for reason in [nil, APNsReason.badDeviceToken, .unknown] {
            #expect(APNsOutcomes.outcome(status: 200, reason: reason) == .accepted)
        }
    }

    @Test(
        "without a known reason the status decides",
        arguments: [APNsReason.unknown, nil], [201, 204, 301, 302, 400, 403, 404, 410, 418, 429, 500, 502, 503, 599])
    func fallback(reason: APNsReason?, status: Int) {
        let word = ProviderReason(reason == nil ? "UnreadableAnswer" : "UnknownReason")
        let expected: Outcome =
            switch status {
            case 201, 204, 301, 302: .misconfigured(reason: ProviderReason("NotAPNs"), scope: .lane)
            case 403: .misconfigured(reason: word, scope: .lane)
            case 410: .deviceGone(reason: word, sinceMilliseconds: 7)
            case 429: .retry(reason: word, after: .devicePaced(seconds: 60))
            case 500, 502, 503, 599: .retry(reason: word, after: .schedule(seconds: 0))
            default: .refused(reason: word)
            }
        #expect(APNsOutcomes.outcome(status: status, reason: reason, timestamp: 7) == expected)
    }

    @Test("no answer ever disables a device without being about the device")
    func devices() {
        let aboutDevice: Set<APNsReason> = [
            .badDeviceToken, .invalidToken, .deviceTokenNotForTopic, .unregistered, .expiredToken,
        ]
        for row in APNsOutcomes.rows {
            switch APNsOutcomes.outcome(status: row.status, reason: row.reason) {
            case .deviceGone, .wrongEnvironment: #expect(aboutDevice.contains(row.reason))
            default: #expect(!aboutDevice.contains(row.reason))
            }
        }
    }

    @Test("only answers about the connection itself, or about what Apple asks a new one for, end it")
    func retiring() {
        let reasons = Set(APNsOutcomes.rows.filter(\.retiresConnection).map(\.reason))
        #expect(
            reasons == [
                .idleTimeout, .expiredProviderToken, .unrelatedKeyIDInToken, .shutdown, .badTopic, .missingTopic,
                .topicDisallowed,
            ])
    }

    @Test(
        "a try without an answer is repeated when nothing was processed, otherwise it is unknown",
        arguments: [
            (HTTP2StreamEnd.unprocessed, HTTP2RequestProgress.nothing, false, false, "NotSent", true, false),
            (.unprocessed, .partly, false, false, "NotSent", true, true),
            (.unprocessed, .completely, true, false, "GoAway", true, true),
            (.unprocessed, .completely, false, false, "RefusedStream", true, true),
            (.connectionLost, .completely, false, false, "ConnectionLost", false, true),
            (.connectionLost, .completely, true, true, "Drained", false, true),
            (.cancelled, .completely, false, false, "NoAnswer", false, true),
            (.reset(.internalError), .completely, false, false, "StreamReset", false, true),
            (.answered, .completely, false, false, "StreamReset", false, true),
        ] as [(HTTP2StreamEnd, HTTP2RequestProgress, Bool, Bool, String, Bool, Bool)])
    func transport(
        end: HTTP2StreamEnd, progress: HTTP2RequestProgress, goAway: Bool, drained: Bool, word: String, again: Bool,
        left: Bool
    ) {
        let unanswered = UnansweredEnd(end: end, progress: progress, serverSaidGoAway: goAway, isDrained: drained)
        let reason = APNsReason(unanswered)
        let result = unanswered.result(APNsOutcomes.word(reason), progress: progress)
        let stored = ProviderReason(stored: word)
        #expect(reason.rawValue == word)
        #expect(result.status == 0)
        #expect(result.mayHaveLeft == left)
        #expect(
            result.outcome == (again ? .retry(reason: stored, after: .atOnceThenSchedule) : .unknown(reason: stored)))
    }
}
