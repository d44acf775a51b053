internal import ReveilleBytes
package import ReveilleJSON
package import ReveilleNetwork
package import ReveilleRuntime

/// A stand-in for the push server of a UnifiedPush distributor.
package typealias UnifiedPushEmulator = PushServiceEmulator<UnifiedPushProvider>

/// How the emulated server of a distributor behaves.
package struct UnifiedPushSettings: Sendable {
    /// Which server it is.
    package enum Kind: String, Sendable, CaseIterable {
        /// ntfy: 200 with JSON, 507 when nobody is subscribed, JSON errors.
        case ntfy
        /// NextPush: 201, stores itself and says `TTL: 0`.
        case nextPush = "nextpush"
    }

    /// Which server it is.
    package var kind: Kind
    /// Whether senders must show a VAPID key.
    package var requiresVAPID: Bool
    /// Whether a body must be encrypted; old servers take cleartext.
    package var requiresEncryption: Bool
    /// The origin of the endpoints that it gives out; nil for where it listens.
    package var publicOrigin: String?

    /// Describes a server.
    package init(
        kind: Kind = .ntfy, requiresVAPID: Bool = false, requiresEncryption: Bool = true, publicOrigin: String? = nil
    ) {
        self.kind = kind
        self.requiresVAPID = requiresVAPID
        self.requiresEncryption = requiresEncryption
        self.publicOrigin = publicOrigin
    }
}

/// The emulated server of a distributor.
package final class UnifiedPushProvider: PushServiceProvider {
    package static let name = "unifiedpush"
    package static let controlPaths: Set<String> = ["subscriptions"]
    /// How long a push without `TTL` is kept, in seconds: these servers do not ask for one.
    private static let defaultTTL: Int64 = 43_200

    private let settings: UnifiedPushSettings
    private let surroundings: PushServiceSurroundings
    private var table: SubscriptionTable
    private var origin = ""

    package init(_ settings: UnifiedPushSettings, surroundings: PushServiceSurroundings) {
        self.settings = settings
        self.surroundings = surroundings
        table = SubscriptionTable(random: surroundings.random)
    }

    package func didListen(at origin: String) { self.origin = settings.publicOrigin ?? origin }

    private var prefix: String {
        switch settings.kind {
        case .ntfy: "/up"
        case .nextPush: "/index.php/apps/uppush/push/"
        }
    }

    private func id(in path: String) -> String? {
        guard path.hasPrefix(prefix), path.count > prefix.count else { return nil }
        return String(path.dropFirst(prefix.count))
    }

    /// The endpoint of a subscription.
    package func endpoint(of id: String) -> String {
        origin + prefix + id + (settings.kind == .ntfy ? "?up=1" : "")
    }

    package func subject(of request: HTTPRequest) -> PushServiceSubject {
        guard let id = id(in: request.path) else { return PushServiceSubject("other") }
        return PushServiceSubject(request.method == "GET" ? "discovery" : "push", id)
    }

    package func judge(_ request: HTTPRequest, at now: WallInstant) -> PushServiceJudgement {
        // Left over from the server specification that is gone, and still answered by most.
        if request.method == "GET", id(in: request.path) != nil {
            return PushServiceJudgement(.json(200, ["unifiedpush": ["version": 1]]))
        }
        do throws(WebPushRefusal) {
            let (subscription, instructions) = try check(request, at: now)
            if subscription.state == .unattended, settings.kind == .ntfy {
                var judgement = PushServiceJudgement(
                    .json(
                        507,
                        [
                            "code": 50701, "http": 507,
                            "error": "cannot publish to UnifiedPush topic without previously active subscriber",
                        ]))
                judgement.brokenRule = "unattended"
                return judgement
            }
            let push = StoredPush(
                id: Base64URL.encode(surroundings.random.bytes(9)), instructions: instructions, body: request.body,
                encoding: request.fields["content-encoding"], receivedAt: now)
            table.change(subscription.id) { $0.receive(push, at: now) }
            var judgement = PushServiceJudgement(accepted(push, at: now))
            judgement.isAccepted = true
            judgement.messageID = push.id
            return judgement
        } catch {
            var judgement = PushServiceJudgement(response(to: error))
            judgement.brokenRule = error.rawValue
            return judgement
        }
    }

    private func accepted(_ push: StoredPush, at now: WallInstant) -> HTTPResponse {
        switch settings.kind {
        case .ntfy:
            .json(
                200,
                [
                    "id": .string(push.id), "time": .integer(now.seconds),
                    "expires": .integer(now.seconds + push.instructions.ttl), "event": "message",
                    "message": "", "encoding": "base64",
                ])
        case .nextPush: HTTPResponse(status: 201, fields: ["ttl": "0", "location": "\(origin)/message/\(push.id)"])
        }
    }

    private func check(
        _ request: HTTPRequest, at now: WallInstant
    ) throws(WebPushRefusal) -> (EmulatedSubscription, PushInstructions) {
        guard let id = id(in: request.path), let subscription = table[id] else { throw .unknownSubscription }
        switch subscription.state {
        case .active, .unattended: break
        case .gone: throw .goneSubscription
        case .unknown: throw .unknownSubscription
        }
        guard request.method == "POST" else { throw .method }
        var key: [UInt8]?
        if request.fields["authorization"] != nil {
            key = try PushFieldRules.vapidKey(in: request, at: now)
        } else if settings.requiresVAPID || subscription.vapidKey != nil {
            throw .vapidMissing
        }
        guard subscription.vapidKey == nil || subscription.vapidKey == key else { throw .vapidKey }
        let ttl = request.fields["ttl"] == nil ? Self.defaultTTL : try PushFieldRules.ttl(in: request.fields)
        let instructions = PushInstructions(
            ttl: ttl, urgency: try PushFieldRules.urgency(in: request.fields),
            topic: try PushFieldRules.topic(in: request.fields), vapidKey: key)
        guard !request.body.isEmpty else { throw .body }
        try PushFieldRules.checkBody(of: request, isEncrypted: settings.requiresEncryption)
        return (subscription, instructions)
    }

    private func response(to refusal: WebPushRefusal) -> HTTPResponse {
        switch settings.kind {
        case .nextPush: return WebPushHabits.rfc.response(to: refusal)
        case .ntfy:
            let status = WebPushHabits.rfc.status(of: refusal)
            return .json(
                status,
                [
                    "code": .integer(Int64(status) * 100 + 1), "http": .integer(Int64(status)),
                    "error": .string(refusal.rawValue),
                ])
        }
    }

    package func response(for reason: String, status: Int?) -> HTTPResponse? {
        guard let refusal = WebPushRefusal(rawValue: reason) else { return nil }
        var response = response(to: refusal)
        if let status { response.status = status }
        return response
    }

    package func details(of exchange: SeenExchange) -> JSONObject { table.details(of: exchange) }

    package func answer(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        try table.answer(request, at: surroundings.clock.now()) { endpoint(of: $0) }
    }

    package func reset() { table.removeAll() }

    // MARK: Subscriptions

    /// Makes a subscription whose keys the emulator holds; nil when there are too many.
    package func subscribe(vapidKey: [UInt8]? = nil) -> EmulatedSubscription? { table.subscribe(vapidKey: vapidKey) }

    /// A subscription; nil when it is not known.
    package func subscription(_ id: String) -> EmulatedSubscription? { table[id] }

    /// Changes a subscription that is known; false when it is not.
    @discardableResult
    package func change(_ id: String, _ body: (inout EmulatedSubscription) -> Void) -> Bool { table.change(id, body) }
}
