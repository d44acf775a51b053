package import ReveilleInbox

/// Who may call a route.
package enum RouteAccess: Hashable, Sendable {
    /// Anybody, without a credential.
    case open
    /// A producer whose token has the right.
    case producer(ProducerRight)
    /// A profile's token.
    case profile
    /// A profile's token, or the display token of one of its devices.
    case profileOrDisplay
    /// An admin's token.
    case admin
}

extension HomeRoute {
    /// Who may call it.
    package var access: RouteAccess {
        switch self {
        case .health, .readiness, .metrics, .problem, .unmatched: .open
        case .notify, .broadcast: .producer(.notify)
        case .mintToken, .revokeToken: .producer(.mintProfiles)
        case .mailEvents: .producer(.mailEvents)
        case .sync, .list, .delivery, .receipt, .verifyDevice: .profileOrDisplay
        case .markRead, .markAllRead, .actions, .capability, .registerApple, .registerAndroid, .registerUnifiedPush,
            .registerWeb, .devices, .changeDevice, .removeDevice, .preferences, .changePreferences, .realtimeTicket,
            .realtime, .realtimeEvents, .mailFolders, .mailRegister, .mailDeregister, .mailEnvelope:
            .profile
        case .adminLanes, .adminProbeLanes, .adminDevices, .adminEnableDevice, .adminSettings, .adminChangeSettings,
            .adminTestSend, .adminDiagnostics, .adminWakes, .adminFailedWakes, .adminRequeueWakes, .adminPurgeWakes,
            .adminProducers, .adminApps:
            .admin
        }
    }

    /// True for a route whose work a later version does; it answers 501 to those who may call it.
    package var isLater: Bool {
        switch self {
        case .broadcast, .mailEvents, .actions, .realtimeTicket, .realtime, .realtimeEvents, .mailFolders,
            .mailRegister, .mailDeregister, .mailEnvelope, .adminSettings,
            .adminChangeSettings, .adminTestSend, .adminDiagnostics, .adminWakes, .adminFailedWakes,
            .adminRequeueWakes, .adminPurgeWakes, .adminProducers, .adminApps:
            true
        case .health, .readiness, .metrics, .problem, .notify, .mintToken, .revokeToken, .sync, .list, .delivery,
            .markRead,
            .markAllRead, .receipt, .capability, .registerApple, .registerAndroid, .registerUnifiedPush, .registerWeb,
            .verifyDevice, .devices, .changeDevice, .removeDevice, .preferences, .changePreferences, .adminLanes,
            .adminProbeLanes, .adminDevices, .adminEnableDevice,
            .unmatched:
            false
        }
    }
}
