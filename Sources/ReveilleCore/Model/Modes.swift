/// Whether a notification asks for a visible alert; decided on the server.
package enum Alert: String, CaseIterable, Sendable {
    case visible
    case silent
}

/// How a wake goes over the wire.
package enum WakeMode: String, CaseIterable, Sendable {
    /// A generic visible alert that an extension enriches on the device.
    case privateAlert = "private_alert"
    /// A silent wake that lets the app run for a moment.
    case backgroundWake = "background_wake"
}

/// What remote push a device or a profile wants.
package enum PushMode: String, CaseIterable, Sendable {
    case off
    case inAppOnly = "in_app_only"
    case privatePush = "private_push"

    /// The stricter of a profile's and a device's wish; the profile is a hard gate.
    package func narrowed(by other: PushMode) -> PushMode {
        switch (self, other) {
        case (.off, _), (_, .off): .off
        case (.inAppOnly, _), (_, .inAppOnly): .inAppOnly
        case (.privatePush, .privatePush): .privatePush
        }
    }
}

/// The environment of APNs that a device token belongs to.
package enum APNsEnvironment: String, CaseIterable, Sendable {
    case production
    case sandbox

    /// The environment to try once when a token was never accepted in this one.
    package var other: APNsEnvironment {
        switch self {
        case .production: .sandbox
        case .sandbox: .production
        }
    }
}

/// The push service behind a lane.
package enum ProviderKind: String, CaseIterable, Sendable {
    case apns
    case fcm
    /// The push service of a browser (RFC 8030).
    case webPush = "webpush"
    /// The push server of a UnifiedPush distributor, which speaks Web Push as well.
    case unifiedPush = "unifiedpush"

    /// For so long after a registration a "gone" is not believed, in milliseconds: push services answer 404 to a subscription
    /// that has not reached all of their machines yet.
    package var newcomerGraceMilliseconds: Int64 {
        switch self {
        case .apns, .fcm: 0
        case .webPush, .unifiedPush: 60_000
        }
    }
}

/// The kind of operating system of a device; it decides the wake mode of some shapes.
package enum DeviceOS: String, CaseIterable, Sendable {
    case iOS = "ios"
    case iPadOS = "ipados"
    case macOS = "macos"
    case tvOS = "tvos"
    case watchOS = "watchos"
    case visionOS = "visionos"
    case android
    /// A phone or desktop that runs Linux, with a UnifiedPush distributor.
    case linux
    /// A browser, whatever it runs on.
    case browser

    /// Those that APNs reaches.
    package static let apple: [DeviceOS] = [.iOS, .iPadOS, .macOS, .tvOS, .watchOS, .visionOS]
    /// Those that a UnifiedPush distributor runs on.
    package static let unifiedPush: [DeviceOS] = [.android, .linux]
}

/// What the wake tells the app to do.
package enum WakeReason: String, CaseIterable, Sendable {
    case changed = "notifications.changed"
    case dismissed = "notifications.dismissed"
    case verify = "device.verify"
}
