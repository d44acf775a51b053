internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON
internal import ReveilleRuntime

/// The subscriptions of a push service, by the secret part of their endpoints.
struct SubscriptionTable {
    /// How many are kept.
    static let maximumSubscriptions = 1_000_000

    private(set) var subscriptions: [String: EmulatedSubscription] = [:]
    private let random: any RandomSource

    init(random: any RandomSource) { self.random = random }

    subscript(id: String) -> EmulatedSubscription? { subscriptions[id] }

    var count: Int { subscriptions.count }

    /// Makes a subscription; nil when there are too many.
    ///
    /// - Parameters:
    ///   - id: the secret part of the endpoint; nil for a random one.
    ///   - vapidKey: the key that senders must show.
    ///   - userAgentKeys: point and secret that a user agent keeps; nil for keys that the emulator makes and holds.
    mutating func subscribe(
        id: String? = nil, vapidKey: [UInt8]?, userAgentKeys: (point: [UInt8], secret: [UInt8])? = nil
    ) -> EmulatedSubscription? {
        guard subscriptions.count < Self.maximumSubscriptions else { return nil }
        let id = id ?? Base64URL.encode(random.bytes(24))
        let subscription: EmulatedSubscription
        if let userAgentKeys {
            subscription = EmulatedSubscription(
                id: id, vapidKey: vapidKey, publicKey: userAgentKeys.point, secret: userAgentKeys.secret, keys: nil)
        } else {
            let keys = makeKeys()
            subscription = EmulatedSubscription(
                id: id, vapidKey: vapidKey, publicKey: keys.publicKey, secret: keys.secret, keys: keys)
        }
        subscriptions[id] = subscription
        return subscription
    }

    private func makeKeys() -> SubscriptionKeys {
        // All but one in 2³² random scalars are good.
        while true {
            if let keys = try? SubscriptionKeys(scalar: random.bytes(32), secret: random.bytes(16)) { return keys }
        }
    }

    /// Changes a subscription that is known; false when it is not.
    @discardableResult
    mutating func change(_ id: String, _ body: (inout EmulatedSubscription) -> Void) -> Bool {
        guard let index = subscriptions.index(forKey: id) else { return false }
        body(&subscriptions.values[index])
        return true
    }

    mutating func remove(_ id: String) -> Bool { subscriptions.removeValue(forKey: id) != nil }

    mutating func removeAll() { subscriptions.removeAll() }
}

extension SubscriptionTable {
    /// Answers a request below `/subscriptions`; nil when there is nothing there.
    mutating func answer(
        _ request: ControlRequest, at now: WallInstant, endpoint: (String) -> String
    ) throws(JSONFieldError) -> ControlAnswer? {
        switch (request.method, request.path.count) {
        case ("GET", 1):
            let all = subscriptions.keys.sorted().prefix(10_000)
            return ControlAnswer(200, ["subscriptions": .array(all.map { .string($0) })])
        case ("POST", 1): return try put(request, at: now, endpoint: endpoint)
        case ("GET", 2):
            guard let subscription = subscriptions[request.path[1]] else { return .error(404, "unknown_subscription") }
            return ControlAnswer(200, subscription.json(endpoint: endpoint(subscription.id)))
        case ("DELETE", 2):
            return remove(request.path[1]) ? ControlAnswer(200, [:]) : .error(404, "unknown_subscription")
        default: return nil
        }
    }

    /// Makes a subscription, or changes one that is known.
    private mutating func put(
        _ request: ControlRequest, at now: WallInstant, endpoint: (String) -> String
    ) throws(JSONFieldError) -> ControlAnswer {
        var fields = try JSONFields(try request.json())
        let id = try fields.optionalString("id", maximumBytes: 256)
        let vapidKey = try Self.octets("vapid_key", count: 65, in: &fields)
        let point = try Self.octets("p256dh", count: 65, in: &fields)
        let secret = try Self.octets("auth", count: 16, in: &fields)
        let state: EmulatedSubscription.State? = try fields.optionalWord("state")
        let online = try fields.optionalBoolean("online")
        try fields.finish()
        guard (point == nil) == (secret == nil) else {
            throw fields.error(.invalidValue, point == nil ? "p256dh" : "auth", "belongs to the other key")
        }
        let isKnown = id.map { subscriptions[$0] != nil } ?? false
        if isKnown, vapidKey != nil || point != nil {
            throw fields.error(.invalidValue, "id", "is a subscription whose keys cannot change")
        }
        let userAgentKeys: (point: [UInt8], secret: [UInt8])? = point.flatMap { point in secret.map { (point, $0) } }
        let name: String
        if let id, isKnown {
            name = id
        } else {
            guard let made = subscribe(id: id, vapidKey: vapidKey, userAgentKeys: userAgentKeys) else {
                return .error(409, "too_many_subscriptions")
            }
            name = made.id
        }
        change(name) { subscription in
            if let state { subscription.state = state }
            if let online { subscription.setOnline(online, at: now) }
        }
        guard let subscription = subscriptions[name] else { return .error(404, "unknown_subscription") }
        return ControlAnswer(isKnown ? 200 : 201, subscription.json(endpoint: endpoint(name)))
    }

    private static func octets(
        _ key: String, count: Int, in fields: inout JSONFields
    ) throws(JSONFieldError) -> [UInt8]? {
        guard let text = try fields.optionalString(key, maximumBytes: 128) else { return nil }
        guard let octets = Base64URL.decodeLeniently(text), octets.count == count else {
            throw fields.error(.invalidValue, key, "must be base64url of 65 octets for a key, 16 for a secret")
        }
        if count == 65, (try? P256PublicKey(x963: octets)) == nil {
            throw fields.error(.invalidValue, key, "is no point of the curve")
        }
        return octets
    }
}

extension EmulatedSubscription {
    /// The subscription as a browser's page would post it, with what the emulator knows of it.
    func json(endpoint: String) -> JSONObject {
        var object: JSONObject = [
            "id": .string(id), "endpoint": .string(endpoint), "expirationTime": .null,
            "keys": ["p256dh": .string(Base64URL.encode(publicKey)), "auth": .string(Base64URL.encode(secret))],
        ]
        object["vapid_key"] = vapidKey.map { .string(Base64URL.encode($0)) }
        object["state"] = .string(state.rawValue)
        object["online"] = .boolean(isOnline)
        object["holds_keys"] = .boolean(keys != nil)
        object["deliveries"] = .array(deliveries.map { .object(json(of: $0)) })
        object["stored"] = .array(stored.map { .object(json(of: $0)) })
        object["counters"] = [
            "accepted": .integer(Int64(counters.accepted)), "delivered": .integer(Int64(counters.delivered)),
            "replaced": .integer(Int64(counters.replaced)), "expired": .integer(Int64(counters.expired)),
            "discarded": .integer(Int64(counters.discarded)),
        ]
        return object
    }

    /// A push with its content, opened where the emulator holds the keys.
    private func json(of push: StoredPush) -> JSONObject {
        var object: JSONObject = ["id": .string(push.id)]
        for (key, value) in push.instructions.json.members { object[key] = value }
        object["received_at_ms"] = .integer(push.receivedAt.milliseconds)
        object["delivered_at_ms"] = push.deliveredAt.map { .integer($0.milliseconds) }
        for (key, value) in opened(push).members { object[key] = value }
        return object
    }

    /// What a push says, or why it cannot be opened.
    func opened(_ push: StoredPush) -> JSONObject {
        do throws(EncryptedContent.Fault) {
            guard let content = try content(of: push) else { return [:] }
            var object: JSONObject = ["content_base64": .string(Base64.encode(content))]
            if let text = String(validating: content, as: UTF8.self) { object["content"] = .string(text) }
            return object
        } catch {
            return keys == nil ? [:] : ["content_fault": .string(error.rawValue)]
        }
    }
}

extension PushInstructions {
    var json: JSONObject {
        var object: JSONObject = ["ttl": .integer(ttl), "urgency": .string(urgency)]
        object["topic"] = topic.map(JSONValue.string)
        object["vapid_key"] = vapidKey.map { .string(Base64URL.encode($0)) }
        return object
    }
}
