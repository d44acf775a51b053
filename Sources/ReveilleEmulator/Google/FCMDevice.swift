package import ReveilleRuntime

/// A message that FCM took, on its way to the app or there.
package struct FCMDelivery: Sendable, Equatable {
    /// The name that FCM answered with.
    package let name: String
    /// The message.
    package let message: FCMMessage
    /// When FCM took it.
    package let receivedAt: WallInstant
    /// When the app got it; nil while FCM stores it.
    package internal(set) var deliveredAt: WallInstant?

    func isExpired(at now: WallInstant) -> Bool {
        now >= receivedAt.adding(.milliseconds(message.lifetimeMilliseconds))
    }
}

/// One app instance on one device, known by its token or installation id: what FCM stores for it and what the app got.
///
/// Storage follows "About FCM messages": four collapse keys, a hundred messages without, none past its lifetime.
package struct FCMDevice: Sendable {
    /// Whether FCM still takes messages for it.
    package enum State: String, Sendable, CaseIterable {
        /// The app is there.
        case active
        /// The app was removed, or the token ran out: 404 UNREGISTERED.
        case unregistered
        /// FCM does not know the token: 400 INVALID_ARGUMENT.
        case invalid
        /// Too many messages to this device: 429 QUOTA_EXCEEDED with QuotaFailure.
        case throttled
    }

    /// Collapse keys that are stored at once.
    package static let maximumCollapseKeys = 4
    /// Messages without a collapse key that are stored; one more discards all.
    package static let maximumStored = 100
    /// Deliveries that are kept; the oldest leave first.
    package static let maximumDeliveries = 200

    /// What happened to the messages of a device.
    package struct Counters: Sendable, Equatable {
        /// Accepted for this device.
        package internal(set) var accepted = 0
        /// Handed to the app.
        package internal(set) var delivered = 0
        /// Replaced in the store by one with the same collapse key.
        package internal(set) var replaced = 0
        /// Dropped because their time ran out.
        package internal(set) var expired = 0
        /// Dropped because too many were stored.
        package internal(set) var discarded = 0
    }

    /// The token or installation id.
    package let id: String
    /// The project it was made for.
    package var projectID: String
    /// Whether FCM takes messages for it.
    package var state = State.active
    /// Whether the device can be reached.
    package private(set) var isOnline = true
    /// Whether the device sleeps: then only HIGH messages reach it at once.
    package private(set) var isDozing = false
    /// What the app got, oldest first.
    package private(set) var deliveries: [FCMDelivery] = []
    /// What FCM stores, oldest first.
    package private(set) var stored: [FCMDelivery] = []
    /// Whether the app is to be told that messages were discarded.
    package private(set) var hasDeletedMessages = false
    /// How often the app was told so.
    package private(set) var deletedMessagesCount = 0
    /// What happened so far.
    package private(set) var counters = Counters()

    /// A device that is online and awake.
    package init(id: String, projectID: String) {
        self.id = id
        self.projectID = projectID
    }

    /// Takes a message that FCM accepted.
    mutating func receive(_ delivery: FCMDelivery, at now: WallInstant) {
        counters.accepted += 1
        if isReachable(for: delivery.message) { return deliver(delivery, at: now) }
        guard delivery.message.lifetimeMilliseconds > 0 else {
            counters.expired += 1
            return
        }
        store(delivery)
    }

    private func isReachable(for message: FCMMessage) -> Bool {
        guard isOnline else { return false }
        switch message.priority {
        case .high: return true
        case .normal: return !isDozing
        }
    }

    /// Which of too many collapse keys are kept is not defined; here the oldest goes.
    private mutating func store(_ delivery: FCMDelivery) {
        guard let key = delivery.message.collapseKey else {
            if stored.count(where: { $0.message.collapseKey == nil }) >= Self.maximumStored {
                counters.discarded += stored.count + 1
                stored.removeAll()
                hasDeletedMessages = true
                return
            }
            return stored.append(delivery)
        }
        if let twin = stored.firstIndex(where: { $0.message.collapseKey == key }) {
            stored.remove(at: twin)
            counters.replaced += 1
        } else if stored.count(where: { $0.message.collapseKey != nil }) >= Self.maximumCollapseKeys,
            let oldest = stored.firstIndex(where: { $0.message.collapseKey != nil })
        {
            stored.remove(at: oldest)
            counters.discarded += 1
        }
        stored.append(delivery)
    }

    /// Connects the device or disconnects it, wakes it or lets it sleep; it gets what can reach it.
    package mutating func set(online: Bool, dozing: Bool, at now: WallInstant) {
        isOnline = online
        isDozing = dozing
        guard online else { return }
        if hasDeletedMessages {
            hasDeletedMessages = false
            deletedMessagesCount += 1
        }
        let waiting = stored
        stored = []
        for delivery in waiting {
            if delivery.isExpired(at: now) {
                counters.expired += 1
            } else if isReachable(for: delivery.message) {
                deliver(delivery, at: now)
            } else {
                stored.append(delivery)
            }
        }
    }

    private mutating func deliver(_ delivery: FCMDelivery, at now: WallInstant) {
        var delivery = delivery
        delivery.deliveredAt = now
        counters.delivered += 1
        if deliveries.count == Self.maximumDeliveries { deliveries.removeFirst() }
        deliveries.append(delivery)
    }

    /// Forgets what the app got.
    package mutating func clear() { deliveries.removeAll() }
}
