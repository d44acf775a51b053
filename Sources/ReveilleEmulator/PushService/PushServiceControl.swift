internal import ReveilleJSON

/// The control interface of an emulated push service, without HTTP.
struct PushServiceControl<Provider: PushServiceProvider> {
    let world: PushServiceWorld<Provider>

    static var paths: Set<String> { ["counters", "pushes", "seen", "faults", "release", "reset", "wait"] }

    /// Answers a request.
    func answer(_ request: ControlRequest) -> ControlAnswer {
        do throws(JSONFieldError) {
            if let answer = try route(request) { return answer }
        } catch {
            return .error(error)
        }
        let isKnown = request.path.first.map { Self.paths.contains($0) || Provider.controlPaths.contains($0) } ?? false
        return .error(404, isKnown ? "not_found_here" : "unknown_path")
    }

    private func route(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        switch (request.method, request.path) {
        case ("GET", ["pushes"]): return try list(request, as: "pushes") { $0.isAccepted }
        case ("GET", ["seen"]): return try list(request, as: "requests") { _ in true }
        default: break
        }
        guard let first = request.path.first, Self.paths.contains(first) || Provider.controlPaths.contains(first) else {
            return nil
        }
        try request.refuseQuery()
        switch (request.method, first, request.path.count) {
        case ("GET", "counters", 1): return ControlAnswer(200, world.counters.json)
        case (_, "faults", _): return try world.faults.answer(request)
        case ("POST", "release", 1): return try release(request)
        case ("POST", "reset", 1):
            try JSONFields(try request.json()).finish()
            world.reset()
            return ControlAnswer(200, [:])
        default: return try world.provider.answer(request)
        }
    }

    private func list(
        _ request: ControlRequest, as name: String, where isWanted: (SeenExchange) -> Bool
    ) throws(JSONFieldError) -> ControlAnswer {
        let (after, limit) = try request.page()
        let found = world.exchanges(after: after, limit: limit, where: isWanted)
        return ControlAnswer(
            200,
            [
                name: .array(found.map { .object($0.json(world.provider.details(of: $0))) }),
                "next": .integer(Int64(clamping: found.last?.number ?? after)),
                "dropped": .integer(Int64(world.droppedCount)),
            ])
    }

    private func release(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        var fields = try JSONFields(try request.json())
        let target = try fields.optionalString("target", maximumBytes: FaultLimits.maximumTextBytes)
        let fault = try fields.optionalString("fault", maximumBytes: FaultLimits.maximumNameBytes)
        let limit = try fields.optionalInteger("limit", in: 0...Int64(Int32.max))
        try fields.finish()
        let released = world.release(limit: limit.map(Int.init) ?? .max, target: target, fault: fault)
        return ControlAnswer(200, ["released": .integer(Int64(released))])
    }
}
