package import ReveilleRuntime

/// A push that a service took, on its way to the user agent or there.
package struct StoredPush: Sendable, Equatable {
    /// The last part of its `Location`.
    package let id: String
    /// What its fields ask for.
    package let instructions: PushInstructions
    /// The body, still encrypted.
    package let body: [UInt8]
    /// The content encoding as sent; nil without a body.
    package let encoding: String?
    /// When the service took it.
    package let receivedAt: WallInstant
    /// When the user agent got it; nil while it is stored.
    package internal(set) var deliveredAt: WallInstant?

    func isExpired(at now: WallInstant) -> Bool { now >= receivedAt.adding(.seconds(instructions.ttl)) }
}

/// A subscription of a browser or an app: its endpoint's secret part, its keys, what is stored for it and what it got.
package struct EmulatedSubscription: Sendable {
    /// Whether pushes are taken.
    package enum State: String, Sendable, CaseIterable {
        /// The subscription is there.
        case active
        /// It was removed: 410.
        case gone
        /// The service does not know it: 404.
        case unknown
        /// Nobody is subscribed at present: 507 where the service says so, else as `active`.
        case unattended
    }

    /// What happened to its pushes.
    package struct Counters: Sendable, Equatable {
        /// Taken by the service.
        package internal(set) var accepted = 0
        /// Handed to the user agent.
        package internal(set) var delivered = 0
        /// Replaced in the store by one with the same topic.
        package internal(set) var replaced = 0
        /// Dropped because their time ran out, or at once with TTL 0 while the user agent was away.
        package internal(set) var expired = 0
        /// Dropped because too many were stored.
        package internal(set) var discarded = 0
    }

    /// Pushes that are stored; the oldest leave first.
    package static let maximumStored = 100
    /// Deliveries that are kept; the oldest leave first.
    package static let maximumDeliveries = 200

    /// The secret part of the endpoint.
    package let id: String
    /// The key that senders must show, 65 octets; nil for a subscription without one.
    package let vapidKey: [UInt8]?
    /// The user agent's point, 65 octets; empty when the service never saw it, as with a real browser.
    package let publicKey: [UInt8]
    /// The authentication secret, 16 octets; empty likewise.
    package let secret: [UInt8]
    /// The keys, when the emulator is the user agent.
    package let keys: SubscriptionKeys?
    /// Whether pushes are taken.
    package var state = State.active
    /// Whether the user agent is there.
    package private(set) var isOnline = true
    /// What is stored, oldest first.
    package private(set) var stored: [StoredPush] = []
    /// What the user agent got, oldest first.
    package private(set) var deliveries: [StoredPush] = []
    /// What happened so far.
    package private(set) var counters = Counters()

    /// A subscription whose user agent is there.
    package init(id: String, vapidKey: [UInt8]?, publicKey: [UInt8], secret: [UInt8], keys: SubscriptionKeys?) {
        self.id = id
        self.vapidKey = vapidKey
        self.publicKey = publicKey
        self.secret = secret
        self.keys = keys
    }

    /// Takes a push; returns whether it can be handed over at once.
    mutating func receive(_ push: StoredPush, at now: WallInstant) {
        counters.accepted += 1
        if isOnline { return deliver(push, at: now) }
        guard push.instructions.ttl > 0 else {
            counters.expired += 1
            return
        }
        if let topic = push.instructions.topic, let twin = stored.firstIndex(where: { $0.instructions.topic == topic })
        {
            stored.remove(at: twin)
            counters.replaced += 1
        }
        if stored.count == Self.maximumStored {
            stored.removeFirst()
            counters.discarded += 1
        }
        stored.append(push)
    }

    /// Connects the user agent, which gets what is stored and not too old, or disconnects it.
    package mutating func setOnline(_ online: Bool, at now: WallInstant) {
        isOnline = online
        guard online else { return }
        for push in takeStored(at: now) { deliver(push, at: now) }
    }

    /// Hands out what is stored and not too old.
    private mutating func takeStored(at now: WallInstant) -> [StoredPush] {
        let waiting = stored
        stored = []
        counters.expired += waiting.count { $0.isExpired(at: now) }
        return waiting.filter { !$0.isExpired(at: now) }
    }

    private mutating func deliver(_ push: StoredPush, at now: WallInstant) {
        var push = push
        push.deliveredAt = now
        counters.delivered += 1
        if deliveries.count == Self.maximumDeliveries { deliveries.removeFirst() }
        deliveries.append(push)
    }

    /// What a push says, opened with the keys that the emulator holds; nil without a body.
    package func content(of push: StoredPush) throws(EncryptedContent.Fault) -> [UInt8]? {
        guard !push.body.isEmpty else { return nil }
        guard push.encoding == "aes128gcm" else { return push.body }
        guard let keys else { throw .authentication }
        return try EncryptedContent.open(push.body, with: keys)
    }
}
