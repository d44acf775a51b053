internal import ReveilleHTTP2
package import ReveilleJSON

/// Faults as a script file and the control interface spell them.
///
/// A fault is `{"id": …, "match": {…}, "when": {…}, "action": {"kind": …, …}}`; only `action` must be there.
extension PushServiceFault: ScriptedFault {
    /// What `action` may be.
    private enum Kind: String, CaseIterable {
        case answer
        case delay
        case hold
        case holdAnswer = "hold_answer"
        case stall
        case reset
        case dropConnection = "drop_connection"
        case goAway = "goaway"
    }

    /// The kinds of faults, as scripts write them.
    package static var kinds: [String] { Kind.allCases.map(\.rawValue) }

    /// One fault.
    package init(_ value: JSONValue, at path: String) throws(JSONFieldError) {
        var fields = try JSONFields(value, at: path)
        let id = try fields.optionalString("id", maximumBytes: FaultLimits.maximumNameBytes) ?? ""
        let match = try Self.match(in: &fields)
        let trigger = try FaultTrigger(in: &fields)
        var given = try fields.requiredObject("action")
        let action = try Self.action(in: &given)
        try given.finish()
        try fields.finish()
        self.init(action, match: match, trigger: trigger, id: id)
    }

    private static func match(in fields: inout JSONFields) throws(JSONFieldError) -> Match {
        guard var given = try fields.optionalObject("match") else { return .everything }
        let match = Match(
            operation: try given.optionalString("operation", maximumBytes: FaultLimits.maximumNameBytes),
            target: try given.optionalString("target", maximumBytes: FaultLimits.maximumTextBytes),
            targetPrefix: try given.optionalString("target_prefix", maximumBytes: FaultLimits.maximumTextBytes))
        try given.finish()
        return match
    }

    private static func action(in given: inout JSONFields) throws(JSONFieldError) -> Action {
        let kind: Kind = try given.requiredWord("kind")
        switch kind {
        case .answer: return .answer(try PushServiceScript(in: &given))
        case .holdAnswer: return .holdAnswer(try PushServiceScript(in: &given))
        case .delay:
            return .delay(
                milliseconds: Int(try given.requiredInteger("milliseconds", in: 0...FaultLimits.maximumMilliseconds)))
        case .hold: return .hold(accepted: try given.optionalBoolean("accepted") ?? true)
        case .stall: return .stall(accepted: try given.optionalBoolean("accepted") ?? false)
        case .reset:
            let code = try given.optionalErrorCode("code") ?? .refusedStream
            return .reset(code, accepted: try given.optionalBoolean("accepted") ?? false)
        case .dropConnection:
            let manner: DropManner = try given.optionalWord("manner") ?? .reset
            return .dropConnection(manner, accepted: try given.optionalBoolean("accepted") ?? true)
        case .goAway: return .goAway
        }
    }

    /// The fault as a script would spell it.
    package var json: JSONObject {
        var object: JSONObject = ["id": .string(id)]
        var wanted = JSONObject()
        wanted["operation"] = match.operation.map(JSONValue.string)
        wanted["target"] = match.target.map(JSONValue.string)
        wanted["target_prefix"] = match.targetPrefix.map(JSONValue.string)
        if !wanted.isEmpty { object["match"] = .object(wanted) }
        let trigger = trigger.json
        if !trigger.isEmpty { object["when"] = .object(trigger) }
        object["action"] = .object(action.json)
        return object
    }
}

extension PushServiceFault.Action {
    fileprivate var json: JSONObject {
        switch self {
        case .answer(let script): script.json(kind: "answer")
        case .holdAnswer(let script): script.json(kind: "hold_answer")
        case .delay(let milliseconds): ["kind": "delay", "milliseconds": .integer(Int64(milliseconds))]
        case .hold(let accepted): ["kind": "hold", "accepted": .boolean(accepted)]
        case .stall(let accepted): ["kind": "stall", "accepted": .boolean(accepted)]
        case .reset(let code, let accepted):
            ["kind": "reset", "code": code.json, "accepted": .boolean(accepted)]
        case .dropConnection(let manner, let accepted):
            ["kind": "drop_connection", "manner": .string(manner.rawValue), "accepted": .boolean(accepted)]
        case .goAway: ["kind": "goaway"]
        }
    }
}

extension PushServiceScript {
    fileprivate init(in given: inout JSONFields) throws(JSONFieldError) {
        self.init()
        status = try given.optionalInteger("status", in: 200...599).map(Int.init)
        reason = try given.optionalString("reason", maximumBytes: FaultLimits.maximumNameBytes)
        guard status != nil || reason != nil else {
            throw given.error(.missingField, "status", "or `reason` is required")
        }
        retryAfter = try given.optionalRetryAfter("retry_after")
        body = try given.optionalString("body", maximumBytes: FaultLimits.maximumTextBytes)
        delayMilliseconds = Int(
            try given.optionalInteger("delay_milliseconds", in: 0...FaultLimits.maximumMilliseconds) ?? 0)
        guard let object = given.optionalValue("fields")?.object else { return }
        var named = try JSONFields(.object(object), at: given.path(of: "fields"))
        for name in object.keys {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameOctet) else {
                throw named.error(.invalidValue, name, "is no name of a field in lower case")
            }
            fields[name] = try named.optionalFieldValue(name, maximumBytes: FaultLimits.maximumTextBytes)
        }
        try named.finish()
    }

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet) || octet == 0x2D
    }

    fileprivate func json(kind: String) -> JSONObject {
        var object: JSONObject = ["kind": .string(kind)]
        object["status"] = status.map { .integer(Int64($0)) }
        object["reason"] = reason.map(JSONValue.string)
        object["retry_after"] = retryAfter.map(JSONValue.string)
        if !fields.isEmpty {
            let pairs = fields.sorted { $0.key < $1.key }
            object["fields"] = .object(JSONObject(members: pairs.map { ($0.key, .string($0.value)) }))
        }
        object["body"] = body.map(JSONValue.string)
        if delayMilliseconds > 0 { object["delay_milliseconds"] = .integer(Int64(delayMilliseconds)) }
        return object
    }
}
