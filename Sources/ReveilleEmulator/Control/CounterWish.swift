internal import ReveilleJSON

/// Counters that a control interface shows and waits for.
package protocol NamedCounters: Sendable {
    /// Counters of nothing, which have all the names.
    init()

    /// The plain counters under the names of the control interface.
    var named: [(name: String, value: Int)] { get }
}

/// What a request of the control interface waits for: counters within bounds.
///
/// `{"at_least": {"in_flight": 4}, "at_most": {"connections_open": 0}, "timeout_ms": 5000}`; each part may be missing.
struct CounterWish<Counters: NamedCounters>: Sendable {
    /// How long a wish that names no time waits, and at most, in milliseconds.
    static var defaultMilliseconds: Int64 { 10_000 }
    static var maximumMilliseconds: Int64 { 60_000 }

    private let atLeast: [String: Int]
    private let atMost: [String: Int]
    /// How long to wait.
    let patience: Duration

    /// Reads a wish; a counter that does not exist is an error.
    init(_ value: JSONValue) throws(JSONFieldError) {
        var fields = try JSONFields(value)
        atLeast = try Self.bounds("at_least", in: &fields)
        atMost = try Self.bounds("at_most", in: &fields)
        let given = try fields.optionalInteger("timeout_ms", in: 0...Self.maximumMilliseconds)
        try fields.finish()
        for (name, least) in atLeast where least > atMost[name] ?? .max {
            throw JSONFieldError(.invalidValue, at: "at_most.\(name)", "is below what at_least asks for")
        }
        patience = .milliseconds(given ?? Self.defaultMilliseconds)
    }

    private static func bounds(
        _ key: String, in fields: inout JSONFields
    ) throws(JSONFieldError) -> [String: Int] {
        guard var given = try fields.optionalObject(key) else { return [:] }
        var bounds: [String: Int] = [:]
        for (name, _) in Counters().named {
            bounds[name] = try given.optionalInteger(name, in: 0...Int64(Int32.max)).map(Int.init)
        }
        try given.finish()
        return bounds
    }

    /// Whether the counters are within all bounds.
    func isMet(by counters: Counters) -> Bool {
        counters.named.allSatisfy { name, value in
            value >= atLeast[name] ?? .min && value <= atMost[name] ?? .max
        }
    }
}
