internal import ReveilleHTTP2
package import ReveilleJSON

/// Reads faults as a script file and the control interface spell them.
///
/// A fault is `{"id": …, "match": {…}, "when": {…}, "action": {"kind": …, …}}`; only `action` must be there.
extension AppleFault {
    /// The longest text in a fault, in bytes.
    private static let maximumTextBytes = 8 * 1024
    /// The longest name of a fault, in bytes.
    private static let maximumNameBytes = 64
    /// The longest wait, in milliseconds: ten minutes, above every deadline of a sender.
    private static let maximumMilliseconds: Int64 = 600_000
    /// The largest count in a trigger.
    private static let maximumCount: Int64 = 1_000_000_000

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

    /// The faults of a whole script: `{"faults": [ … ]}`.
    package static func script(_ value: JSONValue) throws(JSONFieldError) -> [AppleFault] {
        var fields = try JSONFields(value)
        var faults: [AppleFault] = []
        let list = try fields.requiredArray("faults", maximumCount: AppleFaultSet.maximumFaults)
        for (value, path) in list { faults.append(try AppleFault(value, at: path)) }
        try fields.finish()
        return faults
    }

    /// One fault.
    package init(_ value: JSONValue, at path: String = "") throws(JSONFieldError) {
        var fields = try JSONFields(value, at: path)
        id = try fields.optionalString("id", maximumBytes: Self.maximumNameBytes) ?? ""
        match = try Self.match(in: &fields)
        trigger = try Self.trigger(in: &fields)
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
        match.topic = try given.optionalFieldValue("topic", maximumBytes: maximumTextBytes)
        match.pushType = try given.optionalFieldValue("push_type", maximumBytes: maximumTextBytes)
        match.collapseID = try given.optionalFieldValue("collapse_id", maximumBytes: maximumTextBytes)
        match.environment = try given.optionalWord("environment")
        match.connection = try given.optionalInteger("connection", in: 1...maximumCount).map(Int.init)
        try given.finish()
        return match
    }

    private static func trigger(in fields: inout JSONFields) throws(JSONFieldError) -> FaultTrigger {
        guard var given = try fields.optionalObject("when") else { return .always }
        var trigger = FaultTrigger()
        trigger.skip = Int(try given.optionalInteger("skip", in: 0...maximumCount) ?? 0)
        trigger.first = try given.optionalInteger("first", in: 0...maximumCount).map(Int.init)
        trigger.every = Int(try given.optionalInteger("every", in: 1...maximumCount) ?? 1)
        if let value = given.optionalValue("probability") {
            guard let probability = value.double, (0...1).contains(probability) else {
                throw given.error(.outOfRange, "probability", "must be a number from 0 to 1")
            }
            trigger.probability = probability
        }
        trigger.seed = UInt64(try given.optionalInteger("seed", in: 0...Int64.max) ?? 0)
        try given.finish()
        return trigger
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
            let milliseconds = try given.requiredInteger("milliseconds", in: 0...maximumMilliseconds)
            return .delay(milliseconds: Int(milliseconds))
        case .holdAnswer: return .holdAnswer(try answer(in: &given))
        case .hold: return .hold(accepted: try given.optionalBoolean("accepted") ?? true)
        case .stall: return .stall(accepted: try given.optionalBoolean("accepted") ?? false)
        case .reset:
            let code = try errorCode("code", in: &given) ?? .refusedStream
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
        let reason = try given.optionalString("reason", maximumBytes: maximumTextBytes)
        let known = reason.flatMap(AppleReason.init(rawValue:))?.status
        let status = try given.optionalInteger("status", in: 200...599).map(Int.init) ?? known
        guard let status else { throw given.error(.missingField, "status", "is required") }
        var answer = ScriptedAnswer(status: status, reason: reason)
        if let milliseconds = try given.optionalInteger("timestamp", in: 0...Int64.max) {
            answer.timestamp = .at(milliseconds)
        } else if let seconds = try given.optionalInteger(
            "timestamp_offset_seconds", in: -maximumCount...maximumCount)
        {
            answer.timestamp = .offset(seconds * 1000)
        }
        switch given.presence(of: "retry_after") {
        case .absent, .null: break
        case .given(.integer(let seconds)):
            guard seconds >= 0 else { throw given.error(.outOfRange, "retry_after", "must not be negative") }
            answer.retryAfter = String(seconds)
        case .given(.string):
            answer.retryAfter = try given.optionalFieldValue("retry_after", maximumBytes: maximumNameBytes)
        case .given:
            throw given.error(.wrongType, "retry_after", "must be seconds or a date")
        }
        answer.body = try given.optionalString("body", maximumBytes: maximumTextBytes)
        answer.delayMilliseconds = Int(
            try given.optionalInteger("delay_milliseconds", in: 0...maximumMilliseconds) ?? 0)
        return answer
    }

    private static func errorCode(
        _ key: String, in given: inout JSONFields
    ) throws(JSONFieldError) -> HTTP2ErrorCode? {
        switch given.presence(of: key) {
        case .absent, .null: return nil
        case .given(.integer(let number)):
            guard let number = UInt32(exactly: number) else {
                throw given.error(.outOfRange, key, "must fit 32 bits")
            }
            return HTTP2ErrorCode(rawValue: number)
        case .given(.string(let name)):
            let codes = (UInt32(0)...0xd).map(HTTP2ErrorCode.init(rawValue:))
            guard let code = codes.first(where: { $0.name == name }) else {
                throw given.error(
                    .invalidValue, key, "must be a code of RFC 9113 section 7 by its name, such as `CANCEL`, or number")
            }
            return code
        case .given: throw given.error(.wrongType, key, "must be the name or number of a code")
        }
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
        plan.code = try errorCode("code", in: &given) ?? plan.code
        if case .null = given.presence(of: "reason") {
            plan.reason = nil
        } else {
            let reason = try given.optionalString("reason", maximumBytes: maximumTextBytes)
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
