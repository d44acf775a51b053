import ReveilleTelemetry

/// The routes of the home server; the raw value is the method and the path's template.
///
/// It is the label of metrics and the name in the access log, so that nothing of a request's path gets
/// there.
package enum HomeRoute: String, MetricLabel {
    // Without credentials.
    case health = "GET /healthz"
    case readiness = "GET /readyz"
    case metrics = "GET /metrics"
    case problem = "GET /api/v1/problems/{code}"

    // Producers.
    case notify = "POST /api/v1/notifications"
    case broadcast = "POST /api/v1/broadcasts"
    case mintToken = "POST /api/v1/profiles/{profile_id}/tokens"
    case revokeToken = "DELETE /api/v1/profiles/{profile_id}/tokens/{token_id}"
    case mailEvents = "POST /api/v1/mail/events"

    // The inbox.
    case sync = "GET /api/v1/notifications/sync"
    case list = "GET /api/v1/notifications"
    case delivery = "GET /api/v1/notifications/{delivery_id}"
    case markRead = "POST /api/v1/notifications/{delivery_id}/read"
    case markAllRead = "POST /api/v1/notifications/read-all"
    case receipt = "POST /api/v1/notifications/{delivery_id}/receipt"
    case actions = "POST /api/v1/notifications/{delivery_id}/actions"
    case capability = "GET /api/v1/notifications/capability"

    // Devices and preferences.
    case registerApple = "POST /api/v1/devices/push/apple"
    case registerAndroid = "POST /api/v1/devices/push/android"
    case registerUnifiedPush = "POST /api/v1/devices/push/unifiedpush"
    case registerWeb = "POST /api/v1/devices/push/web"
    case verifyDevice = "POST /api/v1/devices/push/{id}/verify"
    case devices = "GET /api/v1/devices/push"
    case changeDevice = "PATCH /api/v1/devices/push/{id}"
    case removeDevice = "DELETE /api/v1/devices/push/{id}"
    case preferences = "GET /api/v1/preferences"
    case changePreferences = "PUT /api/v1/preferences"

    // Realtime and mail.
    case realtimeTicket = "POST /api/v1/realtime/ticket"
    case realtime = "GET /api/v1/realtime"
    case realtimeEvents = "GET /api/v1/realtime/events"
    case mailFolders = "GET /api/v1/mail/folders"
    case mailRegister = "POST /push_register"
    case mailDeregister = "POST /push_deregister"
    case mailEnvelope = "POST /push_envelope"

    // Admins.
    case adminLanes = "GET /api/v1/admin/lanes"
    case adminProbeLanes = "POST /api/v1/admin/lanes/probe"
    case adminDevices = "GET /api/v1/admin/devices"
    case adminEnableDevice = "POST /api/v1/admin/devices/{id}/enable"
    case adminSettings = "GET /api/v1/admin/settings"
    case adminChangeSettings = "PATCH /api/v1/admin/settings"
    case adminTestSend = "POST /api/v1/admin/test-send"
    case adminDiagnostics = "GET /api/v1/admin/diagnostics"
    case adminWakes = "GET /api/v1/admin/wakes"
    case adminFailedWakes = "GET /api/v1/admin/failed-wakes"
    case adminRequeueWakes = "POST /api/v1/admin/failed-wakes/requeue"
    case adminPurgeWakes = "POST /api/v1/admin/failed-wakes/purge"
    case adminProducers = "GET /api/v1/admin/producers"
    case adminApps = "GET /api/v1/admin/apps"

    /// A request that no route matches; not a route.
    case unmatched

    /// All routes.
    package static let served = allCases.filter { $0 != .unmatched }

    /// The method.
    package var method: String { String(rawValue.prefix { $0 != " " }) }
    /// The path with its parameters in braces.
    package var template: String { String(rawValue.drop { $0 != " " }.dropFirst()) }
}
