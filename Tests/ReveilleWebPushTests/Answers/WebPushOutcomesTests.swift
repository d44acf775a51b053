import ReveilleCore
import ReveilleWebPush
import Testing

@Suite("What push services answer, and what it means")
struct WebPushOutcomesTests {
    /// One answer and what it must mean.
    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        let wns: WebPushReason?
        let expected: WebPushOutcomes.Meaning
        let reason: WebPushReason

        init(
            _ status: Int, _ body: String, wns: WebPushReason? = nil, _ expected: WebPushOutcomes.Meaning,
            _ reason: WebPushReason
        ) {
            (self.status, self.body, self.wns, self.expected, self.reason) = (status, body, wns, expected, reason)
        }

        init(
            _ status: Int, wns: WebPushReason? = nil, _ expected: WebPushOutcomes.Meaning, _ reason: WebPushReason
        ) {
            self.init(status, "", wns: wns, expected, reason)
        }

        var testDescription: String { "\(status) \(body.prefix(40))" }

        var answer: WebPushOutcomes.Answer {
            WebPushOutcomes.Answer(status: status, body: read(body), notificationStatus: wns)
        }
    }

    private static func read(_ text: String) -> WebPushAnswerBody {
        Array(text.utf8).withUnsafeBytes { WebPushAnswerBody($0) }
    }

    private static let page = "\u{FEFF}\n <!DOCTYPE html><html><body>Not here</body></html>"

    /// Statuses without a word (RFC 8030 sections 5 and 7, RFC 8292 section 4.2; UnifiedPush; Microsoft's 406).
    static let statuses: [Case] = [
        Case(200, .accepted, .otherStatus), Case(201, .accepted, .otherStatus), Case(202, .accepted, .otherStatus),
        Case(204, .accepted, .otherStatus), Case(299, .accepted, .otherStatus),
        Case(301, .misconfigured, .redirect), Case(302, .misconfigured, .redirect),
        Case(307, .misconfigured, .redirect), Case(308, .misconfigured, .redirect),
        Case(400, .misconfigured, .malformed), Case(401, .misconfigured, .unauthorized),
        Case(402, .refused, .otherStatus), Case(403, .misconfigured, .forbidden), Case(404, .deviceGone, .notFound),
        Case(405, .misconfigured, .methodNotAllowed), Case(406, .paceDevice, .throttled),
        Case(408, .later, .serverTrouble), Case(410, .deviceGone, .gone), Case(413, .tooLarge, .tooLarge),
        Case(418, .refused, .otherStatus), Case(425, .later, .serverTrouble), Case(429, .paceDevice, .throttled),
        Case(500, .later, .serverTrouble), Case(502, .later, .serverTrouble), Case(503, .later, .serverTrouble),
        Case(504, .later, .serverTrouble), Case(507, .paceLong, .nobodySubscribed), Case(599, .later, .serverTrouble),
        Case(999, .misconfigured, .otherStatus), Case(0, .misconfigured, .otherStatus),
    ]

    /// Mozilla's numbers, as autopush sends them.
    static let mozilla: [Case] = [
        (400, 101, WebPushOutcomes.Meaning.refused, WebPushReason.missingCryptoKeys),
        (404, 102, .deviceGone, .unknownEndpoint), (410, 103, .deviceGone, .unknownUser),
        (413, 104, .tooLarge, .dataTooLarge), (410, 105, .deviceGone, .userDeleted),
        (410, 106, .deviceGone, .subscriptionGone), (400, 108, .deviceGone, .wrongRouter),
        (401, 109, .misconfigured, .vapidFault), (400, 110, .refused, .badEncryption),
        (400, 111, .refused, .missingTTL), (400, 112, .refused, .unreadableTTL), (400, 113, .refused, .badTopic),
        (400, 114, .refused, .negativeTTL), (503, 201, .later, .notStored), (503, 202, .again, .repeatAtOnce),
        (502, 900, .later, .bridgeMisconfigured), (502, 901, .later, .bridgeAuthentication),
        (502, 902, .later, .bridgeUnreachable), (502, 903, .later, .bridgeSilent), (500, 999, .later, .mozillaUnknown),
    ].map { Case($0, #"{"code":\#($0),"errno":\#($1),"error":"x","message":"y"}"#, $2, $3) }

    /// Apple's words.
    static let apple: [Case] = [
        (400, "BadTtl", WebPushOutcomes.Meaning.refused, WebPushReason.badTTL),
        (400, "BadUrgency", .refused, .badUrgency), (400, "BadWebPushRequest", .refused, .badWebPushRequest),
        (400, "BadWebPushTopic", .refused, .badWebPushTopic),
        (400, "VapidPkHashMismatch", .misconfigured, .keyMismatch),
        (400, "IdleTimeout", .again, .idleTimeout), (403, "BadAuthorizationHeader", .misconfigured, .badAuthorization),
        (403, "BadJwtToken", .misconfigured, .badToken), (403, "BadVapidPublicKey", .misconfigured, .badPublicKey),
        (404, "BadPath", .misconfigured, .badPath), (405, "MethodNotAllowed", .misconfigured, .methodNotAllowed),
        (413, "PayloadTooLarge", .tooLarge, .payloadTooLarge), (429, "TooManyRequests", .paceDevice, .tooManyRequests),
        (500, "InternalServerError", .later, .internalServerError),
        (503, "ServiceUnavailable", .later, .serviceUnavailable), (503, "Shutdown", .again, .shutdown),
        // A word that is not known leaves it to the status.
        (410, "Unregistered", .deviceGone, .gone), (410, "ExpiredSubscription", .deviceGone, .gone),
        (403, "SomethingNew", .misconfigured, .forbidden),
    ].map { Case($0, #"{"reason":"\#($1)"}"#, $2, $3) }

    static let others: [Case] = [
        // Microsoft.
        Case(201, wns: .dropped, .later, .dropped), Case(201, wns: .channelThrottled, .paceDevice, .channelThrottled),
        // Google.
        Case(403, "permission denied: invalid JWT provided", .misconfigured, .forbidden),
        Case(410, "push subscription has unsubscribed or expired.\n", .deviceGone, .gone),
        // Pages for people say nothing about a subscription; those of a server in trouble do not either.
        Case(404, page, .misconfigured, .webPage), Case(410, page, .misconfigured, .webPage),
        Case(200, page, .misconfigured, .webPage), Case(400, page, .misconfigured, .webPage),
        Case(403, page, .misconfigured, .webPage), Case(418, page, .misconfigured, .webPage),
        Case(429, page, .paceDevice, .throttled), Case(502, page, .later, .serverTrouble),
        Case(413, page, .tooLarge, .tooLarge),
        // A word out of place cannot prune, nor can 401 and 403.
        Case(503, #"{"errno":103}"#, .later, .serverTrouble),
        Case(401, #"{"errno":106}"#, .misconfigured, .unauthorized),
        Case(403, #"{"errno":102}"#, .misconfigured, .forbidden),
        Case(403, #"{"errno":110}"#, .misconfigured, .badEncryption),
        Case(404, #"{"errno":"103"}"#, .deviceGone, .notFound), Case(404, #"{"errno":103"#, .deviceGone, .notFound),
        Case(404, #"["errno",103]"#, .deviceGone, .notFound),
    ]

    @Test("each answer means what its service says", arguments: statuses + mozilla + apple + others)
    func answers(_ vector: Case) {
        let row = WebPushOutcomes.row(vector.answer)
        #expect(row.meaning == vector.expected)
        #expect(row.reason == vector.reason)
    }

    @Test("every row of the table has a case here")
    func complete() {
        #expect(Set(Self.apple.map(\.reason)).isSuperset(of: WebPushOutcomes.appleRows.keys))
        #expect(Set(Self.mozilla.map(\.reason)) == Set(WebPushOutcomes.mozillaRows.keys))
        #expect(Self.statuses.count == 30)
    }

    @Test("no status and no word but those of 400, 404 and 410 says that a subscription is gone")
    func pruning() {
        let bodies =
            [""] + WebPushOutcomes.appleRows.keys.map { #"{"reason":"\#($0.rawValue)"}"# }
            + WebPushOutcomes.mozillaRows.keys.map { #"{"errno":\#($0.rawValue.dropFirst(5))}"# }
        for status in 100...599 where ![400, 404, 410].contains(status) {
            for body in bodies {
                let row = WebPushOutcomes.row(.init(status: status, body: Self.read(body)))
                #expect(row.meaning != .deviceGone, "\(status) \(body)")
            }
        }
    }

    private static func outcome(
        _ status: Int, retryAfter: Int64? = nil, wasPadded: Bool = true
    ) -> ReveilleCore.Outcome {
        let row = WebPushOutcomes.row(.init(status: status, body: read("")))
        return WebPushOutcomes.outcome(of: row, retryAfterSeconds: retryAfter, wasPadded: wasPadded)
    }

    @Test("a fault of one subscription holds that one only", arguments: [301, 400, 401, 403, 405])
    func scope(_ status: Int) {
        guard case .misconfigured(_, scope: .subscription) = Self.outcome(status) else {
            Issue.record("\(status) is not about one subscription")
            return
        }
    }

    @Test("throttling slows one subscription, for a minute at least and a day at most")
    func pacing() {
        let word = WebPushOutcomes.word(.throttled)
        #expect(Self.outcome(429) == .retry(reason: word, after: .devicePaced(seconds: 60)))
        #expect(Self.outcome(429, retryAfter: 7) == .retry(reason: word, after: .devicePaced(seconds: 60)))
        #expect(Self.outcome(429, retryAfter: 120) == .retry(reason: word, after: .devicePaced(seconds: 120)))
        #expect(Self.outcome(429, retryAfter: 1 << 40) == .retry(reason: word, after: .devicePaced(seconds: 86_400)))
        let nobody = WebPushOutcomes.word(.nobodySubscribed)
        #expect(Self.outcome(507) == .retry(reason: nobody, after: .devicePaced(seconds: 900)))
        let trouble = WebPushOutcomes.word(.serverTrouble)
        #expect(Self.outcome(503, retryAfter: 120) == .retry(reason: trouble, after: .schedule(seconds: 120)))
        #expect(Self.outcome(503, retryAfter: -1) == .retry(reason: trouble, after: .schedule(seconds: 0)))
    }

    @Test("what is too large goes once more without padding, and is refused then")
    func size() {
        let word = WebPushOutcomes.word(.tooLarge)
        #expect(Self.outcome(413) == .retry(reason: word, after: .atOnceThenSchedule))
        #expect(Self.outcome(413, wasPadded: false) == .refused(reason: word))
    }

    @Test("the other meanings are those of the wake and the device")
    func meanings() {
        #expect(Self.outcome(201) == .accepted)
        #expect(Self.outcome(410) == .deviceGone(reason: WebPushOutcomes.word(.gone), sinceMilliseconds: nil))
        #expect(Self.outcome(418) == .refused(reason: WebPushOutcomes.word(.otherStatus)))
    }
}
