/// How the server wakes Apple devices, as its operator chose.
package struct ApplePushSettings: Hashable, Sendable {
    /// The ways to Apple, by the names of the Silo document.
    package enum Provider: String, CaseIterable, Sendable {
        /// No remote push; devices may register and wait.
        case off
        /// Straight to APNs with the operator's own key.
        case customAPNs = "custom_apns"
    }

    /// The way that is switched on.
    package var provider: Provider

    /// Chooses a way.
    package init(provider: Provider) {
        self.provider = provider
    }
}
