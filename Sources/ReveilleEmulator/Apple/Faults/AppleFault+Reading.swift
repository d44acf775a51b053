internal import ReveilleHTTP2
package import ReveilleJSON

/// Reads faults as a script file and the control interface spell them.
///
/// A fault is `{"id": …, "match": {…}, "when": {…}, "action": {"kind": …, …}}`; only `action` must be there.
extension AppleFault {
    /// What `action` may be.
    private enum Kind: String, CaseIterable {
        case answer
        case delay
        case hold
        case holdAnswer = "hold_answer"
        case stall
        case reset
        case dropConnection = "drop_connection"
        case halfClose = "half_close"
        case silence
        case goAway = "goaway"
        case streamLimit = "stream_limit"
        case refuseConnection = "refuse_connection"
        case refuseTLS = "refuse_tls"
        case stallTLS = "stall_tls"
    }

    /// The kinds of faults, as scripts write them.
    package static var kinds: [String] { Kind.allCases.map(\.rawValue) }

    /// One fault.
    package init(_ value: JSONValue, at path: String) throws(JSONFieldError) {
        var fields = try JSONFields(value, at: path)
        id = try fields.optionalString("id", maximumBytes: FaultLimits.maximumNameBytes) ?? ""
        match = try Self.match(in: &fields)
        trigger = try FaultTrigger(in: &fields)
        action = try Self.action(in: &fields)
        try fields.finish()
        guard !action.strikesConnections || match == Match(environment: match.environment) else {
            throw fields.error(
                .invalidValue, "match", "may name only an environment: the action strikes new connections")
        }
    }

    private static func match(in fields: inout JSONFields) throws(JSONFieldError) -> Match {
        guard var given = try fields.optionalObject("match") else { return .everything }
        var match = Match()
        match.token = try given.optionalToken("token")
        match.tokenPrefix = try given.optionalTokenPrefix("token_prefix")
        match.topic = try given.optionalFieldValue("topic", maximumBytes: FaultLimits.maximumTextBytes)
        match.pushType = try given.optionalFieldValue("push_type", maximumBytes: FaultLimits.maximumTextBytes)
        match.collapseID = try given.optionalFieldValue("collapse_id", maximumBytes: FaultLimits.maximumTextBytes)
        match.environment = try given.optionalWord("environment")
        match.connection = try given.optionalInteger("connection", in: 1...FaultLimits.maximumCount).map(Int.init)
        try given.finish()
        return match
    }

    private static func action(in fields: inout JSONFields) throws(JSONFieldError) -> AppleFaultAction {
        var given = try fields.requiredObject("action")
        let kind: Kind = try given.requiredWord("kind")
        let action = try action(kind, in: &given)
        try given.finish()
        return action
    }

    private static func action(
        _ kind: Kind, in given: inout JSONFields
    ) throws(JSONFieldError) -> AppleFaultAction {
        switch kind {
        case .answer: return .answer(try answer(in: &given))
        case .delay:
            let milliseconds = try given.requiredInteger("milliseconds", in: 0...FaultLimits.maximumMilliseconds)
            return .delay(milliseconds: Int(milliseconds))
        case .holdAnswer: return .holdAnswer(try answer(in: &given))
        case .hold: return .hold(accepted: try given.optionalBoolean("accepted") ?? true)
        case .stall: return .stall(accepted: try given.optionalBoolean("accepted") ?? false)
        case .reset:
            let code = try given.optionalErrorCode("code") ?? .refusedStream
            return .reset(code, accepted: try given.optionalBoolean("accepted") ?? false)
        case .dropConnection:
            let manner: DropManner = try given.optionalWord("manner") ?? .reset
            return .dropConnection(manner, accepted: try given.optionalBoolean("accepted") ?? true)
        case .halfClose: return .halfClose(accepted: try given.optionalBoolean("accepted") ?? false)
        case .silence: return .silence(accepted: try given.optionalBoolean("accepted") ?? false)
        case .goAway: return .goAway(try goAwayPlan(in: &given, lastStream: .this))
        case .streamLimit:
            return .streamLimit(Int(try given.requiredInteger("limit", in: 0...Int64(Int32.max))))
        case .refuseConnection: return .refuseConnection(try given.optionalWord("manner") ?? .reset)
        case .refuseTLS: return .refuseTLS
        case .stallTLS: return .stallTLS
        }
    }

    private static func answer(in given: inout JSONFields) throws(JSONFieldError) -> ScriptedAnswer {
        let reason = try given.optionalString("reason", maximumBytes: FaultLimits.maximumTextBytes)
        let known = reason.flatMap(AppleReason.init(rawValue:))?.status
        let status = try given.optionalInteger("status", in: 200...599).map(Int.init) ?? known
        guard let status else { throw given.error(.missingField, "status", "is required") }
        var answer = ScriptedAnswer(status: status, reason: reason)
        if let milliseconds = try given.optionalInteger("timestamp", in: 0...Int64.max) {
            answer.timestamp = .at(milliseconds)
        } else if let seconds = try given.optionalInteger(
            "timestamp_offset_seconds", in: -FaultLimits.maximumCount...FaultLimits.maximumCount)
        {
            answer.timestamp = .offset(seconds * 1000)
        }
        answer.retryAfter = try given.optionalRetryAfter("retry_after")
        answer.body = try given.optionalString("body", maximumBytes: FaultLimits.maximumTextBytes)
        answer.delayMilliseconds = Int(
            try given.optionalInteger("delay_milliseconds", in: 0...FaultLimits.maximumMilliseconds) ?? 0)
        return answer
    }

    /// The members of a GOAWAY, in a fault's action or in a request of the control interface.
    static func goAwayPlan(
        in given: inout JSONFields, lastStream: GoAwayPlan.LastStream
    ) throws(JSONFieldError) -> GoAwayPlan {
        var plan = GoAwayPlan(lastStream: lastStream)
        switch given.presence(of: "last_stream") {
        case .absent, .null: break
        case .given(.integer(let number)):
            // Only streams that a client opens can be named: odd ones, or none.
            guard let number = Int32(exactly: number), number == 0 || (number > 0 && number % 2 == 1) else {
                throw given.error(.outOfRange, "last_stream", "must be 0 or a client's stream")
            }
            plan.lastStream = .number(number)
        case .given(.string(let word)):
            guard let word = GoAwayPlan.LastStream.Word(rawValue: word) else {
                throw given.error(.invalidValue, "last_stream", GoAwayPlan.LastStream.choices)
            }
            plan.lastStream = word.lastStream
        case .given: throw given.error(.wrongType, "last_stream", GoAwayPlan.LastStream.choices)
        }
        plan.code = try given.optionalErrorCode("code") ?? plan.code
        if case .null = given.presence(of: "reason") {
            plan.reason = nil
        } else {
            let reason = try given.optionalString("reason", maximumBytes: FaultLimits.maximumTextBytes)
            plan.reason = reason ?? plan.reason
        }
        plan.ending = try given.optionalWord("ending") ?? plan.ending
        return plan
    }
}

extension GoAwayPlan.LastStream {
    /// The words of scripts.
    enum Word: String, CaseIterable {
        case this
        case beforeThis = "before_this"
        case newest
        case answered
        case none
        case all

        /// What the word stands for.
        var lastStream: GoAwayPlan.LastStream {
            switch self {
            case .this: .this
            case .beforeThis: .beforeThis
            case .newest: .newest
            case .answered: .answered
            case .none: .none
            case .all: .all
            }
        }
    }

    /// What a script may write.
    static let choices = FieldExplanation(oneOf: Word.self, or: "the number of a client's stream")

    /// As scripts write it.
    var json: JSONValue {
        if case .number(let number) = self { return .integer(Int64(number)) }
        return Word.allCases.first { $0.lastStream == self }.map { .string($0.rawValue) } ?? .null
    }
}
