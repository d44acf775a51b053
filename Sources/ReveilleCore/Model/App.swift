import ReveilleBytes

/// A client application that devices register for.
package struct App: Hashable, Sendable {
    /// The bundle id that devices name.
    package let identifier: String
    /// The topics that its devices may register, the bundle id first.
    package let topics: [String]
    /// The payload layout that its devices understand.
    package let shape: Shape
    /// How Macs are woken for visible notifications.
    package let macWakeMode: WakeMode
    /// Whether several profiles may share one proven installation (several accounts on one Mac).
    package let sharesInstalls: Bool
    /// Whether a subscription is woken only after its device returned the code of a verification wake; old clients know none.
    package let provesSubscriptions: Bool

    /// Describes an app; `macWakeMode` is the operator's choice, where the shape leaves one.
    package init(
        identifier: String, topics: [String], shape: Shape, macWakeMode: WakeMode? = nil,
        sharesInstalls: Bool = false, provesSubscriptions: Bool = true
    ) {
        self.identifier = identifier
        self.topics = topics
        self.shape = shape
        self.macWakeMode = shape.macWakeMode(chosen: macWakeMode)
        self.sharesInstalls = sharesInstalls
        self.provesSubscriptions = provesSubscriptions
    }

    /// How a notification wakes a device of this app: visible alerts to systems that can enrich them; nil when it does not.
    ///
    /// A browser shows something at every wake, or takes the permission away, so silent ones do not reach it.
    package func wakeMode(alert: Alert, os: DeviceOS) -> WakeMode? {
        switch (alert, os) {
        case (.silent, .browser): nil
        case (.silent, _): .backgroundWake
        case (.visible, .tvOS): .backgroundWake
        case (.visible, .macOS): macWakeMode
        case (.visible, .iOS), (.visible, .iPadOS), (.visible, .watchOS), (.visible, .visionOS), (.visible, .android),
            (.visible, .linux), (.visible, .browser):
            .privateAlert
        }
    }
}

/// The apps that an operator has allowed.
package struct AppRegistry: Sendable {
    /// All apps, in the operator's order.
    package let apps: [App]
    private let byTopic: [ExactText: App]

    /// Lists `apps`; a topic belongs to the first app that names it.
    package init(_ apps: [App]) {
        self.apps = apps
        var byTopic: [ExactText: App] = [:]
        for app in apps {
            for topic in app.topics where byTopic[ExactText(topic)] == nil { byTopic[ExactText(topic)] = app }
        }
        self.byTopic = byTopic
    }

    /// The app that may be woken under `topic`.
    package func app(topic: String) -> App? { byTopic[ExactText(topic)] }
    /// The app named `identifier`.
    package func app(identifier: String) -> App? { apps.first { ExactText.equal($0.identifier, identifier) } }
}
