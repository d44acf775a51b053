import ReveilleInbox

extension HomeAPI {
    /// Answers a request that matched a route.
    func answer(_ route: HomeRoute, _ call: APICall) async throws -> APIAnswer {
        if route.isLater { return try await refuseUntilLater(route, call) }
        switch route {
        case .health: return try health(call)
        case .readiness: return try await readiness(call)
        case .metrics: return try metrics(call)
        case .problem: return try problem(call)
        case .notify: return try await notify(call, try await producer(route, call))
        case .mintToken: return try await mintToken(call, try await producer(route, call))
        case .revokeToken: return try await revokeToken(call, try await producer(route, call))
        case .sync: return try await sync(call, try await reader(route, call))
        case .list: return try await list(call, try await reader(route, call))
        case .delivery: return try await delivery(call, try await reader(route, call))
        case .markRead: return try await markRead(call, try await reader(route, call))
        case .markAllRead: return try await markAllRead(call, try await reader(route, call))
        case .receipt: return try await receipt(call, try await reader(route, call))
        case .capability: return try await capability(call, try await reader(route, call))
        case .registerApple: return try await registerApple(call, try await reader(route, call))
        case .registerAndroid: return try await registerAndroid(call, try await reader(route, call))
        case .registerUnifiedPush: return try await registerUnifiedPush(call, try await reader(route, call))
        case .registerWeb: return try await registerWeb(call, try await reader(route, call))
        case .verifyDevice: return try await verifyDevice(call, try await reader(route, call))
        case .devices: return try await devices(call, try await reader(route, call))
        case .changeDevice: return try await changeDevice(call, try await reader(route, call))
        case .removeDevice: return try await removeDevice(call, try await reader(route, call))
        case .preferences: return try await preferences(call, try await reader(route, call))
        case .changePreferences: return try await changePreferences(call, try await reader(route, call))
        case .adminLanes: return try await adminLanes(call, try await admin(call))
        case .adminProbeLanes: return try await adminProbeLanes(call, try await admin(call))
        case .adminDevices: return try await adminDevices(call, try await admin(call))
        case .adminEnableDevice: return try await adminEnableDevice(call, try await admin(call))
        case .broadcast, .mailEvents, .actions, .realtimeTicket, .realtime, .realtimeEvents, .mailFolders,
            .mailRegister, .mailDeregister, .mailEnvelope, .adminSettings,
            .adminChangeSettings, .adminTestSend, .adminDiagnostics, .adminWakes, .adminFailedWakes,
            .adminRequeueWakes, .adminPurgeWakes, .adminProducers, .adminApps:
            return try await refuseUntilLater(route, call)
        case .unmatched: throw Problem(.notFound)
        }
    }

    /// Answers 501 to those who may call the route, and to nobody else what it would be.
    private func refuseUntilLater(_ route: HomeRoute, _ call: APICall) async throws -> APIAnswer {
        switch route.access {
        case .open: break
        case .producer: _ = try await producer(route, call)
        case .profile, .profileOrDisplay: _ = try await reader(route, call)
        case .admin: _ = try await admin(call)
        }
        throw Problem(.notAvailableYet)
    }

    private func producer(_ route: HomeRoute, _ call: APICall) async throws -> ProducerCaller {
        guard case .producer(let right) = route.access else { throw Problem(.internalError) }
        do {
            return try await inbox.gate.producer(try call.credentials(), having: right)
        } catch {
            var problem = Problem(error)
            problem.scope = right
            throw problem
        }
    }

    private func reader(_ route: HomeRoute, _ call: APICall) async throws -> ReaderCaller {
        try await inbox.gate.reader(
            try call.credentials(), allowingDisplayTokens: route.access == .profileOrDisplay)
    }

    private func admin(_ call: APICall) async throws -> AdminCaller {
        try await inbox.gate.admin(try call.credentials())
    }
}
