internal import ReveilleHTTP2
package import ReveilleJSON

/// Writes faults as scripts spell them.
extension AppleFault {
    /// The fault as a script would spell it.
    package var json: JSONObject {
        var object: JSONObject = ["id": .string(id)]
        let match = match.json
        if !match.isEmpty { object["match"] = .object(match) }
        let trigger = trigger.json
        if !trigger.isEmpty { object["when"] = .object(trigger) }
        object["action"] = .object(action.json)
        return object
    }
}

extension AppleFault.Match {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["token"] = token.map(JSONValue.string)
        object["token_prefix"] = tokenPrefix.map(JSONValue.string)
        object["topic"] = topic.map(JSONValue.string)
        object["push_type"] = pushType.map(JSONValue.string)
        object["collapse_id"] = collapseID.map(JSONValue.string)
        object["environment"] = environment.map { .string($0.rawValue) }
        object["connection"] = connection.map { .integer(Int64($0)) }
        return object
    }
}

extension AppleFaultAction {
    fileprivate var json: JSONObject {
        switch self {
        case .answer(let answer): answer.json(kind: "answer")
        case .delay(let milliseconds):
            ["kind": "delay", "milliseconds": .integer(Int64(milliseconds))]
        case .holdAnswer(let answer): answer.json(kind: "hold_answer")
        case .hold(let accepted): ["kind": "hold", "accepted": .boolean(accepted)]
        case .stall(let accepted): ["kind": "stall", "accepted": .boolean(accepted)]
        case .reset(let code, let accepted):
            ["kind": "reset", "code": code.json, "accepted": .boolean(accepted)]
        case .dropConnection(let manner, let accepted):
            [
                "kind": "drop_connection", "manner": .string(manner.rawValue),
                "accepted": .boolean(accepted),
            ]
        case .halfClose(let accepted): ["kind": "half_close", "accepted": .boolean(accepted)]
        case .silence(let accepted): ["kind": "silence", "accepted": .boolean(accepted)]
        case .goAway(let plan): plan.json
        case .streamLimit(let limit): ["kind": "stream_limit", "limit": .integer(Int64(limit))]
        case .refuseConnection(let manner):
            ["kind": "refuse_connection", "manner": .string(manner.rawValue)]
        case .refuseTLS: ["kind": "refuse_tls"]
        case .stallTLS: ["kind": "stall_tls"]
        }
    }
}

extension ScriptedAnswer {
    fileprivate func json(kind: String) -> JSONObject {
        var object: JSONObject = ["kind": .string(kind), "status": .integer(Int64(status))]
        object["reason"] = reason.map(JSONValue.string)
        switch timestamp {
        case nil: break
        case .at(let milliseconds)?: object["timestamp"] = .integer(milliseconds)
        case .offset(let milliseconds)?:
            object["timestamp_offset_seconds"] = .integer(milliseconds / 1000)
        }
        object["retry_after"] = retryAfter.map(JSONValue.string)
        object["body"] = body.map(JSONValue.string)
        if delayMilliseconds > 0 {
            object["delay_milliseconds"] = .integer(Int64(delayMilliseconds))
        }
        return object
    }
}

extension GoAwayPlan {
    fileprivate var json: JSONObject {
        [
            "kind": "goaway", "last_stream": lastStream.json, "code": code.json,
            "reason": reason.map(JSONValue.string) ?? .null, "ending": .string(ending.rawValue),
        ]
    }
}
