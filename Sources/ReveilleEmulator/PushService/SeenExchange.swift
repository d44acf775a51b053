internal import ReveilleBytes
internal import ReveilleHTTP2
internal import ReveilleJSON
package import ReveilleNetwork
package import ReveilleRuntime

/// A request exactly as an emulated push service saw it, and what became of it.
package struct SeenExchange: Sendable, HistoricRequest {
    /// What the sender got.
    package enum Answer: Sendable, Equatable {
        /// Nothing yet.
        case none
        /// A response.
        case response(status: Int)
        /// Nothing: a fault ended the stream or the connection.
        case dropped
    }

    /// The running number of the request, from 1.
    package let number: UInt64
    /// When the request was complete.
    package let receivedAt: WallInstant
    /// What the request wanted, by the service's own word.
    package let operation: String
    /// The token or subscription that the request was for.
    package let target: String?
    /// The request: method, target, fields and body.
    package let request: HTTPRequest
    /// Whether the service took the push.
    package internal(set) var isAccepted = false
    /// The name that the service gave the push.
    package internal(set) var messageID: String?
    /// The rule that the request broke.
    package internal(set) var brokenRule: String?
    /// The fault that struck the request.
    package internal(set) var fault: String?
    /// What the sender got.
    package internal(set) var answer = Answer.none

    var cost: Int { request.fields.list.listSize + request.target.utf8.count + request.body.count + 256 }

    /// The request as the control interface shows it, with what the service reads from it.
    func json(_ details: JSONObject) -> JSONObject {
        var object: JSONObject = [
            "number": .integer(Int64(clamping: number)), "received_at_ms": .integer(receivedAt.milliseconds),
            "operation": .string(operation),
        ]
        object["target"] = target.map(JSONValue.string)
        object["accepted"] = .boolean(isAccepted)
        object["message_id"] = messageID.map(JSONValue.string)
        object["broken_rule"] = brokenRule.map(JSONValue.string)
        object["fault"] = fault.map(JSONValue.string)
        switch answer {
        case .none: object["answer"] = ["kind": "none"]
        case .response(let status): object["answer"] = ["kind": "response", "status": .integer(Int64(status))]
        case .dropped: object["answer"] = ["kind": "dropped"]
        }
        object["version"] = request.version == .http2 ? "2" : "1.1"
        object["method"] = .string(request.method)
        object["path"] = .string(request.target)
        object["headers"] = .array(request.fields.pairs.map { [.string($0.name), .string($0.value)] })
        object["body_base64"] = .string(Base64.encode(request.body))
        if let text = String(validating: request.body, as: UTF8.self) { object["body"] = .string(text) }
        for (key, value) in details.members { object[key] = value }
        return object
    }
}
