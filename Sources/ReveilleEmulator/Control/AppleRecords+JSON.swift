internal import ReveilleBytes
internal import ReveilleHTTP2
internal import ReveilleJSON
internal import ReveilleRuntime

extension SeenRequest {
    /// The request as the control interface shows it.
    var json: JSONObject {
        var object: JSONObject = [
            "number": .integer(Int64(clamping: number)),
            "environment": .string(environment.rawValue),
            "connection": .integer(Int64(connection)), "stream": .integer(Int64(stream)),
            "received_at_ms": .integer(receivedAt.milliseconds), "apns_id": .string(apnsID),
        ]
        object["token"] = token.map(JSONValue.string)
        object["collapse_id"] = push?.collapseID.map(JSONValue.string)
        object["accepted"] = .boolean(isAccepted)
        object["broken_rule"] = refusal.map { .string($0.detail.rawValue) }
        object["fault"] = fault.map(JSONValue.string)
        object["answer"] = .object(answer.json)
        object["headers"] = .array(headers.map { [.string($0.name), .string($0.value)] })
        object["body_base64"] = .string(Base64.encode(body))
        if let text = String(validating: body, as: UTF8.self) { object["body"] = .string(text) }
        return object
    }
}

extension SeenRequest.Answer {
    fileprivate var json: JSONObject {
        switch self {
        case .none: return ["kind": "none"]
        case .response(let status, let reason):
            var object: JSONObject = ["kind": "response", "status": .integer(Int64(status))]
            object["reason"] = reason.map(JSONValue.string)
            return object
        case .reset(let code): return ["kind": "reset", "code": code.json]
        case .uncovered: return ["kind": "uncovered"]
        case .cancelled: return ["kind": "cancelled"]
        case .connectionLost: return ["kind": "connection_lost"]
        }
    }
}

extension CompactPush {
    /// The push as the control interface shows it.
    var json: JSONObject {
        var object: JSONObject = [
            "number": .integer(Int64(clamping: number)), "apns_id": .string(apnsID),
            "token": .string(token),
        ]
        object["collapse_id"] = collapseID.map(JSONValue.string)
        return object
    }
}

extension AppleCounters: NamedCounters {
    /// The plain counters under the names of the control interface.
    package var named: [(name: String, value: Int)] {
        [
            ("connections_accepted", connectionsAccepted), ("connections_open", connectionsOpen),
            ("connections_refused", connectionsRefused), ("handshakes_failed", handshakesFailed),
            ("protocol_errors", protocolErrors), ("received", received), ("in_flight", inFlight),
            ("answered", answered), ("reset", reset), ("uncovered", uncovered),
            ("cancelled", cancelled), ("lost", lost), ("incomplete", incomplete),
            ("accepted", accepted), ("refused", refused), ("struck", struck),
            ("goaways", goAways), ("provider_tokens", providerTokens),
        ]
    }

    /// The counters as the control interface shows them.
    var json: JSONObject {
        var object = JSONObject(members: named.map { ($0.name, .integer(Int64($0.value))) })
        let kinds = answers.sorted { ($0.key.status, $0.key.reason ?? "") < ($1.key.status, $1.key.reason ?? "") }
        object["answers"] = .array(
            kinds.map { kind, count in
                var answer: JSONObject = ["status": .integer(Int64(kind.status))]
                answer["reason"] = kind.reason.map(JSONValue.string)
                answer["count"] = .integer(Int64(count))
                return .object(answer)
            })
        let rules = refusals.sorted { $0.key.rawValue < $1.key.rawValue }
        object["broken_rules"] = .object(
            JSONObject(members: rules.map { ($0.key.rawValue, .integer(Int64($0.value))) }))
        return object
    }
}

extension AppleConnection {
    /// The connection as the control interface shows it.
    var json: JSONObject {
        [
            "connection": .integer(Int64(number)), "environment": .string(environment.rawValue),
            "stream_limit": .integer(Int64(announcedLimit)),
            "provider_tokens": .integer(Int64(credential.tokenCount)),
            "unanswered": .integer(Int64(unanswered.count)),
        ]
    }
}
