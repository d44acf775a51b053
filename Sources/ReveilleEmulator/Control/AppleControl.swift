internal import ReveilleJSON
internal import ReveilleRuntime

/// The control interface of the emulated Apple, without HTTP: requests in, answers out, on the world's loop.
struct AppleControl {
    let world: AppleWorld

    /// Answers a request.
    func answer(_ request: ControlRequest) -> ControlAnswer {
        do throws(JSONFieldError) {
            return try route(request) ?? notFound(request)
        } catch {
            return .error(error)
        }
    }

    static let paths: Set<String> = [
        "counters", "pushes", "seen", "devices", "faults", "release", "connections", "reset", "wait",
    ]

    private func notFound(_ request: ControlRequest) -> ControlAnswer {
        let isKnown = request.path.first.map(Self.paths.contains) ?? false
        return isKnown ? .error(404, "not_found_here") : .error(404, "unknown_path")
    }

    private func route(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        switch (request.method, request.path) {
        case ("GET", ["pushes"]): return try pushes(request)
        case ("GET", ["seen"]): return try seen(request)
        default: break
        }
        if let first = request.path.first, Self.paths.contains(first) { try request.refuseQuery() }
        return try routeWithoutQuery(request)
    }

    private func routeWithoutQuery(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        switch (request.method, request.path.first, request.path.count) {
        case ("GET", "counters", 1): ControlAnswer(200, world.currentCounters.json)
        case ("GET", "pushes", 2) where request.path[1] == "summary": summary()
        case (_, "devices", _): try devices(request)
        case (_, "faults", _): try world.faults.answer(request)
        case ("POST", "release", 1): try release(request)
        case (_, "connections", _): try connections(request)
        case ("POST", "reset", 1): try reset(request)
        default: nil
        }
    }

    // MARK: Lists

    private func pushes(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        let (after, limit) = try request.page()
        let full = world.records.requests(after: after, limit: limit, where: \.isAccepted)
        let ids = full.isEmpty ? world.records.pushes(after: after, limit: limit) : []
        let list = full.map { JSONValue.object($0.json) } + ids.map { .object($0.json) }
        let next = full.last?.number ?? ids.last?.number ?? after
        return ControlAnswer(
            200,
            [
                "pushes": .array(list), "next": .integer(Int64(clamping: next)),
                "dropped": .integer(Int64(world.records.droppedCount)),
            ])
    }

    private func summary() -> ControlAnswer {
        ControlAnswer(
            200,
            [
                "kept": .integer(Int64(world.records.count)),
                "dropped": .integer(Int64(world.records.droppedCount)),
                "distinct_apns_ids": .integer(Int64(world.records.distinctIDCount())),
            ])
    }

    private func seen(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        let (after, limit) = try request.page()
        let requests = world.records.requests(after: after, limit: limit) { _ in true }
        return ControlAnswer(
            200,
            [
                "requests": .array(requests.map { .object($0.json) }),
                "next": .integer(Int64(clamping: requests.last?.number ?? after)),
                "dropped": .integer(Int64(world.records.droppedCount)),
            ])
    }

    // MARK: Faults

    private func release(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        var fields = try JSONFields(try request.json())
        let token = try fields.optionalToken("token")
        let fault = try fields.optionalString("fault", maximumBytes: 64)
        let limit = try fields.optionalInteger("limit", in: 0...Int64(Int32.max))
        try fields.finish()
        let released = world.releaseHeld(limit: limit.map(Int.init) ?? .max) { entry in
            (token == nil || token == entry.token)
                && (fault == nil || fault == entry.fault)
        }
        return ControlAnswer(200, ["released": .integer(Int64(released))])
    }

    private func reset(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer {
        try JSONFields(try request.json()).finish()
        world.reset()
        return ControlAnswer(200, [:])
    }
}
