import ReveilleCore
import ReveilleEmulator
import ReveilleHTTP2

/// Requests that get no answer.
extension OutcomeTable {
    /// RST_STREAM: a refused stream was not processed, of all others nobody knows; each goes again at once, the second time by
    /// the schedule, the same request.
    static let resets = (UInt32(0)...14).map(HTTP2ErrorCode.init(rawValue:)).flatMap { code in
        let isRefusal = code == .refusedStream
        let word = isRefusal ? "RefusedStream" : "StreamReset"
        return [
            trouble(
                "RST_STREAM \(code.name)", .reset(code, accepted: false), requests: 2, as: word, .accepted, .never,
                .woken, .working),
            trouble(
                "RST_STREAM \(code.name)", .reset(code, accepted: false), times: 2, as: word, .waiting(2),
                .between(0, 60), .untouched, .working),
        ]
    }

    /// GOAWAY: what it does not cover goes again, what it covers is waited for, and is unknown when the connection ends.
    static let goAways =
        [
            trouble(
                "GOAWAY before the request", .goAway(GoAwayPlan(lastStream: .beforeThis)), requests: 2, as: "GoAway",
                .accepted, .never, .woken, .working),
            trouble(
                "GOAWAY before any request", .goAway(GoAwayPlan(lastStream: .none)), requests: 2, as: "GoAway",
                .accepted,
                .never, .woken, .working),
            trouble(
                "GOAWAY before the request", .goAway(GoAwayPlan(lastStream: .beforeThis)), times: 2, as: "GoAway",
                .waiting(2), .between(0, 60), .untouched, .unreachable),
            trouble(
                "GOAWAY that covers the request, answered", .goAway(GoAwayPlan(lastStream: .this)), as: nil, .accepted,
                .never, .woken, .working),
            trouble(
                "GOAWAY that covers the request, and the end", .goAway(GoAwayPlan(lastStream: .this, ending: .atOnce)),
                requests: 2, as: "ConnectionLost", .accepted, .never, .woken, .working),
            trouble(
                "GOAWAY that covers the request, and the end", .goAway(GoAwayPlan(lastStream: .this, ending: .atOnce)),
                times: 2, as: "ConnectionLost", .waiting(2), .between(0, 60), .untouched, .unreachable),
        ]

    /// The words in its debug data are for the log alone.
    static let goAwayWords = ["BadDeviceToken", "Unregistered", "IdleTimeout", "InvalidProviderToken", "SomethingNew"]
        .map { (word: String) -> OutcomeRow in
            trouble(
                "GOAWAY for \(word)", .goAway(GoAwayPlan(lastStream: .none, code: .enhanceYourCalm, reason: word)),
                requests: 2, as: "GoAway", .accepted, .never, .woken, .working)
        }

    /// The connection is lost after the request left, or no answer comes in time: the outcome is unknown.
    static let losses = [
        trouble(
            "connection reset", .dropConnection(.reset, accepted: false), requests: 2, as: "ConnectionLost", .accepted,
            .never, .woken, .working),
        trouble(
            "connection reset", .dropConnection(.reset, accepted: false), times: 2, as: "ConnectionLost", .waiting(2),
            .between(0, 60), .untouched, .unreachable),
        trouble(
            "connection reset after Apple took it", .dropConnection(.reset, accepted: true), requests: 2,
            as: "ConnectionLost", .accepted, .never, .woken, .working),
        trouble(
            "connection closed", .dropConnection(.close, accepted: false), requests: 2, as: "ConnectionLost", .accepted,
            .never, .woken, .working),
        trouble(
            "connection half closed", .halfClose(accepted: false), requests: 2, as: "ConnectionLost", .accepted, .never,
            .woken, .working),
        trouble(
            "first request of all, connection reset", .dropConnection(.reset, accepted: false), given: .fresh,
            as: "ConnectionLost", .waiting(1), .reconnected(0.25, 0.5), .untouched, .unreachable),
        trouble(
            "no answer before the deadline", .stall(accepted: false), requests: 2, while: .time(seconds: 10),
            as: "NoAnswer", .accepted, .never, .woken, .working),
        trouble(
            "no answer before the deadline", .stall(accepted: false), times: 2, while: .time(seconds: 10),
            as: "NoAnswer", .waiting(2), .between(0, 60), .untouched, .working),
        trouble(
            "nothing at all before the deadline", .silence(accepted: true), requests: 2, while: .time(seconds: 10),
            as: "ConnectionLost", .accepted, .never, .woken, .working),
    ]

    /// No connection can be made: no try is counted, and the wake waits for one.
    static let unreachable = [
        trouble(
            "connection refused", .refuseConnection(.reset), given: .fresh, requests: 0, as: nil, .waiting(0),
            .reconnected(0.25, 0.5), .untouched, .unreachable),
        trouble(
            "connection closed before TLS", .refuseConnection(.close), given: .fresh, requests: 0, as: nil, .waiting(0),
            .reconnected(0.25, 0.5), .untouched, .unreachable),
        trouble(
            "TLS refused", .refuseTLS, given: .fresh, requests: 0, as: nil, .waiting(0), .reconnected(0.25, 0.5),
            .untouched, .unreachable),
        trouble(
            "TLS without a word", .stallTLS, given: .fresh, requests: 0, while: .time(seconds: 5), as: nil, .waiting(0),
            .reconnected(0.25, 0.5), .untouched, .unreachable),
    ]

    /// The device changes while Apple thinks: what is said of the old token means nothing for the new one.
    static let meanwhile = [
        late(410, "Unregistered", while: .rotation, .superseded(by: .accepted), .never, .woken, .working),
        late(400, "BadDeviceToken", while: .rotation, .superseded(by: .accepted), .never, .woken, .working),
        late(503, "ServiceUnavailable", while: .rotation, .superseded(by: .accepted), .never, .woken, .working),
        late(413, "PayloadTooLarge", while: .rotation, .superseded(by: .accepted), .never, .woken, .working),
        late(410, "Unregistered", while: .registration, .waiting(1), .between(0, 60), .untouched, .working),
        late(400, "DeviceTokenNotForTopic", while: .registration, .waiting(1), .between(0, 60), .untouched, .working),
        late(400, "BadDeviceToken", while: .registration, .waiting(1), .between(0, 60), .untouched, .working),
        late(503, "ServiceUnavailable", while: .registration, .waiting(1), .between(0, 60), .untouched, .working),
        late(413, "PayloadTooLarge", while: .registration, .failed, .never, .noted, .working),
        late(410, "Unregistered", while: .removal, .cancelled, .never, .removed, .working),
        late(503, "ServiceUnavailable", while: .removal, .cancelled, .never, .removed, .working),
        late(403, "InvalidProviderToken", while: .removal, .cancelled, .never, .removed, .paused),
    ]

    private static func late(
        _ status: Int, _ reason: String, while meanwhile: OutcomeMeanwhile, _ wake: WakeColumn, _ due: DueColumn,
        _ device: DeviceColumn, _ lane: LaneColumn
    ) -> OutcomeRow {
        let answer = ScriptedAnswer(status: status, reason: reason, delayMilliseconds: 2_000)
        return trouble(
            "\(status) \(reason) after a \(meanwhile)", .answer(answer), requests: meanwhile == .rotation ? 2 : 1,
            while: meanwhile, as: reason, status: status, wake, due, device, lane)
    }
}
