internal import ReveilleJSON

/// What an emulated push service has counted; exact whatever the history keeps.
///
/// Every request is in one place: `received` = `answered` + `dropped` + `inFlight`.
package struct PushServiceCounters: NamedCounters, Equatable {
    /// How many different operations and statuses are told apart.
    static let maximumKinds = 256

    /// Complete requests.
    package internal(set) var received = 0
    /// Requests that got a response.
    package internal(set) var answered = 0
    /// Requests whose stream or connection a fault ended.
    package internal(set) var dropped = 0
    /// Pushes that the service took.
    package internal(set) var accepted = 0
    /// Requests that a rule refused.
    package internal(set) var refused = 0
    /// Requests that a fault struck.
    package internal(set) var struck = 0
    /// Access tokens or client connections that the service gave out.
    package internal(set) var granted = 0
    /// Messages that a client acknowledged.
    package internal(set) var acknowledged = 0
    /// Requests by operation.
    package internal(set) var operations: [String: Int] = [:]
    /// Responses by status.
    package internal(set) var statuses: [Int: Int] = [:]
    /// Refusals by the rule that was broken.
    package internal(set) var brokenRules: [String: Int] = [:]

    /// Nothing counted.
    package init() {}

    /// Requests received and not yet answered.
    package var inFlight: Int { received - answered - dropped }

    mutating func countAnswer(status: Int) {
        answered += 1
        statuses[status, default: 0] += 1
    }

    mutating func countRefusal(_ rule: String) {
        refused += 1
        if brokenRules[rule] == nil, brokenRules.count >= Self.maximumKinds { return }
        brokenRules[rule, default: 0] += 1
    }

    /// The plain counters under the names of the control interface.
    package var named: [(name: String, value: Int)] {
        [
            ("received", received), ("in_flight", inFlight), ("answered", answered), ("dropped", dropped),
            ("accepted", accepted), ("refused", refused), ("struck", struck), ("granted", granted),
            ("acknowledged", acknowledged),
        ]
    }

    /// The counters as the control interface shows them.
    var json: JSONObject {
        var object = JSONObject(members: named.map { ($0.name, .integer(Int64($0.value))) })
        func counts(_ counts: [(String, Int)]) -> JSONValue {
            .object(JSONObject(members: counts.sorted { $0.0 < $1.0 }.map { ($0.0, .integer(Int64($0.1))) }))
        }
        object["operations"] = counts(operations.map { ($0.key, $0.value) })
        object["statuses"] = counts(statuses.map { (String($0.key), $0.value) })
        object["broken_rules"] = counts(brokenRules.map { ($0.key, $0.value) })
        return object
    }
}
