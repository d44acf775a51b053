internal import ReveilleJSON

/// Faults in the control interface.
extension FaultSet {
    /// Answers a request below `/faults`; nil when there is nothing there.
    mutating func answer(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        switch (request.method, request.path.count) {
        case ("GET", 1): return ControlAnswer(200, ["faults": .array(entries.map { .object($0.json) })])
        case ("POST", 1): return try add(request)
        case ("DELETE", 1):
            removeAll()
            return ControlAnswer(200, [:])
        case ("DELETE", 2): return remove(request.path[1]) ? ControlAnswer(200, [:]) : .error(404, "unknown_fault")
        default: return nil
        }
    }

    private mutating func add(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        let value = try request.json()
        let faults = value["faults"] == nil ? [try Fault(value)] : try Fault.script(value)
        var ids: [JSONValue] = []
        for fault in faults {
            guard let id = add(fault) else { return .error(409, "too_many_faults") }
            ids.append(.string(id))
        }
        return ControlAnswer(201, ["ids": .array(ids)])
    }
}

extension FaultSet.Entry {
    /// The fault as the control interface shows it.
    var json: JSONObject {
        var object = fault.json
        object["matched"] = .integer(Int64(count.matched))
        object["struck"] = .integer(Int64(count.struck))
        return object
    }
}
