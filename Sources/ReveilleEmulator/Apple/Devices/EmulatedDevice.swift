package import ReveilleRuntime

/// One app on one device, known to Apple by its token: what is on the screen, what Apple stores for it, what woke the app.
///
/// Storage follows Apple's text: one push for each app of an offline device, the newest; none that has expired.
package struct EmulatedDevice: Sendable {
    /// How many notifications a screen keeps; the oldest leave first.
    package static let maximumOnScreen = 200
    /// How many deliveries to the app in the background are kept; the oldest leave first.
    package static let maximumWakes = 200

    /// What happened to the pushes of a device.
    package struct Counters: Sendable, Equatable {
        /// Accepted by Apple for this token.
        package internal(set) var accepted = 0
        /// Drawn as a new notification.
        package internal(set) var shown = 0
        /// Drawn in place of one with the same collapse id.
        package internal(set) var replaced = 0
        /// Handed to the app without anything on the screen.
        package internal(set) var wakes = 0
        /// Dropped in Apple's store because a newer one came.
        package internal(set) var overwritten = 0
        /// Dropped because the device was offline and the push may not be stored, or its time ran out in the store.
        package internal(set) var expired = 0
        /// Dropped because the token died while the push was stored.
        package internal(set) var orphaned = 0
    }

    /// The token in lower-case hexadecimal.
    package let token: String
    /// The world that the token belongs to.
    package var environment: AppleEnvironment
    /// The app that the token belongs to.
    package var bundleID: String
    /// Whether the token is alive.
    package var registration: DeviceRegistration = .active {
        didSet { dropStoredOfDeadToken() }
    }
    /// Whether the device can be reached.
    package private(set) var isOnline = true
    /// What is on the screen, oldest first.
    package private(set) var screen: [DevicePush] = []
    /// What Apple stores until the device can be reached.
    package private(set) var stored: DevicePush?
    /// What was handed to the app without anything on the screen, oldest first.
    package private(set) var wakes: [DevicePush] = []
    /// The number on the app's icon.
    package private(set) var badge = 0
    /// What happened so far.
    package private(set) var counters = Counters()

    /// A device that is online with an empty screen.
    package init(token: String, environment: AppleEnvironment, bundleID: String) {
        self.token = token
        self.environment = environment
        self.bundleID = bundleID
    }

    /// Takes a push that Apple accepted.
    mutating func receive(_ push: DevicePush, at now: WallInstant) {
        counters.accepted += 1
        if isOnline {
            deliver(push, at: now)
        } else if push.isStorable(at: now) {
            if stored != nil { counters.overwritten += 1 }
            stored = push
        } else {
            counters.expired += 1
        }
    }

    /// Connects the device, which gets what is stored, or disconnects it.
    package mutating func setOnline(_ online: Bool, at now: WallInstant) {
        isOnline = online
        guard online, let push = stored else { return }
        stored = nil
        if push.isExpired(at: now) {
            counters.expired += 1
        } else {
            deliver(push, at: now)
        }
    }

    /// Clears the screen, as when the user opens the app.
    package mutating func clearScreen() {
        screen.removeAll()
        badge = 0
    }

    private mutating func deliver(_ push: DevicePush, at now: WallInstant) {
        var push = push
        push.deliveredAt = now
        if let number = push.summary.badge { badge = number }
        guard push.summary.showsAlert, push.pushType != .background else {
            counters.wakes += 1
            if wakes.count == Self.maximumWakes { wakes.removeFirst() }
            wakes.append(push)
            return
        }
        let twin = push.collapseID.flatMap { id in screen.firstIndex { $0.collapseID == id } }
        if let twin {
            push.replacedCount = screen.remove(at: twin).replacedCount + 1
            counters.replaced += 1
        } else {
            counters.shown += 1
        }
        if screen.count == Self.maximumOnScreen { screen.removeFirst() }
        screen.append(push)
    }

    private mutating func dropStoredOfDeadToken() {
        guard registration != .active, stored != nil else { return }
        stored = nil
        counters.orphaned += 1
    }
}
