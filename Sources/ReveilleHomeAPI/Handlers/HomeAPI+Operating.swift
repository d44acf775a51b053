import ReveilleCore
import ReveilleInbox
import ReveilleJSON
import ReveilleRuntime
import ReveilleTelemetry

extension HomeAPI {
    /// The process runs and answers.
    func health(_ call: APICall) throws -> APIAnswer {
        try call.refuseBody()
        return .json { $0.member("status", "ok") }
    }

    /// The store takes writes; lanes are details and do not decide.
    func readiness(_ call: APICall) async throws -> APIAnswer {
        try call.refuseBody()
        let lanes: [LaneAnswer]
        do {
            lanes = try await inbox.readiness.check()
        } catch {
            let cause = Problem(error)
            throw Problem(
                .notReady, retryAfterSeconds: cause.retryAfterSeconds ?? Self.notReadySeconds, cause: cause.code)
        }
        return .json { json in
            json.member("status", "ready")
            json.member("store", "writable")
            json.member("listener", "open")
            json.key("lanes")
            json.beginArray()
            for lane in lanes where !lane.isChosenByClient {
                json.beginObject()
                json.member("provider", lane.provider.rawValue)
                json.member("place", lane.place)
                json.member("state", lane.state.rawValue)
                json.member("condition", lane.condition?.rawValue)
                json.endObject()
            }
            json.endArray()
        }
    }

    /// When to look again whether a store is repaired that does not repair itself.
    private static let notReadySeconds: Int64 = 30

    /// All metrics of the process.
    func metrics(_ call: APICall) throws -> APIAnswer {
        try call.refuseBody()
        return APIAnswer(
            status: 200, mediaType: MetricsRegistry.contentType, body: metricsPage.bytes(of: registry, at: clock.now()))
    }

    /// What the error catalogue says of a code, for whoever follows the `type` of a problem.
    func problem(_ call: APICall) throws -> APIAnswer {
        try call.refuseBody()
        guard let code = ProblemCode(rawValue: try call.parameter(0)) else { throw Problem(.notFound) }
        return .json { json in
            json.member("code", code.rawValue)
            json.key("status")
            json.integer(code.status)
            json.member("title", code.title.description)
            json.member("remedy", code.remedy.description)
        }
    }

    /// The lanes with their figures.
    func adminLanes(_ call: APICall, _ caller: AdminCaller) async throws -> APIAnswer {
        try call.refuseBody()
        try call.refuseQuery()
        let lanes = try await inbox.operation.lanes()
        return .json { json in
            json.key("lanes")
            json.beginArray()
            for lane in lanes { json.lane(lane) }
            json.endArray()
        }
    }

    /// Makes paused lanes probe at once.
    func adminProbeLanes(_ call: APICall, _ caller: AdminCaller) async throws -> APIAnswer {
        try call.refuseFields()
        await inbox.operation.probeLanes()
        return APIAnswer(status: 202)
    }

    /// All devices in pages.
    func adminDevices(_ call: APICall, _ caller: AdminCaller) async throws -> APIAnswer {
        try call.refuseBody()
        var query = try call.query()
        let after = try query.text("after", maximumOctets: 64)
        let limit = try query.limit(default: PageSize.devices, maximum: PageSize.maximum)
        try query.finish()
        let page = try await inbox.operation.devices(after: after, limit: limit)
        return .json { json in
            json.key("devices")
            json.beginArray()
            for device in page.devices { json.device(device, forOperator: true) }
            json.endArray()
            json.member("next", page.next)
        }
    }

    /// Enables a device again.
    func adminEnableDevice(_ call: APICall, _ caller: AdminCaller) async throws -> APIAnswer {
        try call.refuseFields()
        try await inbox.operation.enable(try call.parameter(0))
        return .noContent
    }
}

extension JSONWriter {
    /// Writes a lane as an operator sees it.
    fileprivate mutating func lane(_ lane: LaneAnswer) {
        beginObject()
        member("provider", lane.provider.rawValue)
        member("place", lane.place)
        member("credential", lane.credential)
        member("state", lane.state.rawValue)
        member("condition", lane.condition?.rawValue)
        key("pauses")
        beginArray()
        for pause in lane.pauses {
            beginObject()
            member("topic", pause.topic)
            member("reason", pause.reason)
            endObject()
        }
        endArray()
        member("waiting", lane.waiting)
        member("leased", lane.leased)
        member("held", lane.held)
        member("devices", lane.devices)
        member("quarantined", lane.quarantined)
        member("last_accepted_at", milliseconds: lane.lastAcceptedMilliseconds)
        member("last_failure_at", milliseconds: lane.lastFailureMilliseconds)
        member("last_failure", lane.lastFailure)
        endObject()
    }
}
