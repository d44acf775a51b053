internal import ReveilleJSON

/// Connections in the control interface.
extension AppleControl {
    func connections(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        switch (request.method, request.path.count) {
        case ("GET", 1):
            let open = world.connections.values.sorted { $0.number < $1.number }
            return ControlAnswer(200, ["connections": .array(open.map { .object($0.json) })])
        case ("POST", 2):
            switch request.path[1] {
            case "goaway": return try goAway(request)
            case "stream-limit": return try streamLimit(request)
            case "drop": return try drop(request)
            default: return nil
            }
        default: return nil
        }
    }

    private func goAway(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        var fields = try JSONFields(try request.json())
        let number = try connectionNumber(&fields)
        let plan = try AppleFault.goAwayPlan(in: &fields, lastStream: .newest)
        try fields.finish()
        return answer(world.goAway(plan, connection: number))
    }

    private func streamLimit(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        var fields = try JSONFields(try request.json())
        let number = try connectionNumber(&fields)
        let limit = Int(try fields.requiredInteger("limit", in: 0...Int64(Int32.max)))
        try fields.finish()
        return answer(world.setStreamLimit(limit, connection: number))
    }

    private func drop(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        var fields = try JSONFields(try request.json())
        let number = try connectionNumber(&fields)
        let manner: DropManner = try fields.optionalWord("manner") ?? .reset
        try fields.finish()
        return answer(world.dropConnections(manner, connection: number))
    }

    private func connectionNumber(_ fields: inout JSONFields) throws(JSONFieldError) -> Int? {
        try fields.optionalInteger("connection", in: 1...Int64(Int32.max)).map(Int.init)
    }

    private func answer(_ count: Int) -> ControlAnswer {
        ControlAnswer(200, ["connections": .integer(Int64(count))])
    }
}
