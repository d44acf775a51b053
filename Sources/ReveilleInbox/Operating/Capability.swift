package import ReveilleCore

/// What this server will really deliver, for the set-up pages of apps.
package struct Capability: Hashable, Sendable {
    /// True when a wake sent now would go out: a provider is switched on, an app is registered, and not
    /// every lane to it is paused.
    package let applePushAvailable: Bool
    package let appleProvider: ApplePushSettings.Provider
    /// The providers that the operator could switch on in this version.
    package let appleAvailableProviders: [ApplePushSettings.Provider]
    /// The push modes that a device may choose.
    package let appleSupportedModes: [PushMode]
    /// The public key that subscriptions are made with, base64url.
    package let vapidPublicKey: String
}

/// Answers what will really deliver.
package struct CapabilityDesk: Sendable {
    private let apple: ApplePushSettings
    private let apps: AppRegistry
    private let services: PushServices
    private let lanes: LaneReports

    /// Judges by the settings and the state of the lanes.
    package init(apple: ApplePushSettings, apps: AppRegistry, services: PushServices, lanes: LaneReports) {
        self.services = services
        self.apple = apple
        self.apps = apps
        self.lanes = lanes
    }

    /// The present capability; with the provider off it answers too.
    package func capability() async throws(InboxError) -> Capability {
        Capability(
            applePushAvailable: try await isApplePushAvailable(), appleProvider: apple.provider,
            appleAvailableProviders: ApplePushSettings.Provider.allCases.filter { $0 != .off },
            appleSupportedModes: [.privatePush, .inAppOnly], vapidPublicKey: services.keys.first?.publicKey ?? "")
    }

    private func isApplePushAvailable() async throws(InboxError) -> Bool {
        switch apple.provider {
        case .off: return false
        case .customAPNs:
            guard !apps.apps.isEmpty else { return false }
            let reports = try await lanes.recent()
            return reports.isEmpty || reports.contains { $0.state != .paused }
        }
    }
}
