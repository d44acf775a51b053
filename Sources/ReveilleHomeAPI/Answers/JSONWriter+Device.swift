import ReveilleCore
import ReveilleInbox
import ReveilleJSON

extension JSONWriter {
    /// Writes a device; never its token.
    mutating func device(_ device: DeviceAnswer, forOperator: Bool) {
        beginObject()
        deviceMembers(device, forOperator: forOperator)
        endObject()
    }

    /// Writes the members of a device.
    ///
    /// Quarantine is the operator's affair: its owner sees an active device and cannot help it.
    mutating func deviceMembers(_ device: DeviceAnswer, forOperator: Bool) {
        member("id", device.id)
        member("server_device_id", device.serverDeviceID)
        if !forOperator {
            member("device_id", device.installID)
            member("name", device.name)
        }
        member("platform", Self.platform(of: device.provider))
        member("os", device.os.rawValue)
        member("app_version", device.appVersion)
        member("locale", device.locale)
        switch device.provider {
        case .apns:
            member("apns_environment", device.environment?.rawValue)
            member("apns_topic", device.topic)
        case .fcm, .webPush, .unifiedPush: member("app", device.topic)
        }
        member("push_mode", device.pushMode.rawValue)
        if !forOperator { member("categories", device.categories) }
        member("enabled", device.isEnabled)
        member("state", device.state.word)
        if forOperator { member("quarantined", device.state == .quarantined) }
        member("registered_at", milliseconds: device.registeredAtMilliseconds)
        member("last_success_at", milliseconds: device.lastSuccessMilliseconds)
        member("last_failure_at", milliseconds: device.lastFailureMilliseconds)
        member("last_failure", device.lastFailure)
    }

    /// The last word of the route that registers such devices.
    private static func platform(of provider: ProviderKind) -> String {
        switch provider {
        case .apns: "apple"
        case .fcm: "android"
        case .webPush: "web"
        case .unifiedPush: "unifiedpush"
        }
    }
}
