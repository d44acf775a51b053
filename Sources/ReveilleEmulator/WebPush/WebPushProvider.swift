internal import ReveilleBytes
package import ReveilleJSON
package import ReveilleNetwork
package import ReveilleRuntime

/// A stand-in for the push service of a browser.
package typealias WebPushEmulator = PushServiceEmulator<WebPushProvider>

/// How an emulated push service for browsers behaves.
package struct WebPushSettings: Sendable {
    /// Whose service it is.
    package var habits: WebPushHabits
    /// Whether a subscription without a VAPID key may be pushed to without VAPID.
    package var allowsAnonymous: Bool
    /// The origin of the endpoints that it gives out; nil for where it listens.
    package var publicOrigin: String?

    /// Describes a service.
    package init(habits: WebPushHabits = .mozilla, allowsAnonymous: Bool = true, publicOrigin: String? = nil) {
        self.habits = habits
        self.allowsAnonymous = allowsAnonymous
        self.publicOrigin = publicOrigin
    }
}

/// The emulated push service: push resources as RFC 8030 describes them.
package final class WebPushProvider: PushServiceProvider {
    package static let name = "webpush"
    package static let controlPaths: Set<String> = ["subscriptions"]
    /// The path of a push resource, before its secret part.
    static let pathPrefix = "/wpush/v2/"

    private let settings: WebPushSettings
    let surroundings: PushServiceSurroundings
    var table: SubscriptionTable
    private var origin = ""

    package init(_ settings: WebPushSettings, surroundings: PushServiceSurroundings) {
        self.settings = settings
        self.surroundings = surroundings
        table = SubscriptionTable(random: surroundings.random)
    }

    package func didListen(at origin: String) { self.origin = settings.publicOrigin ?? origin }

    package func subject(of request: HTTPRequest) -> PushServiceSubject {
        guard let id = Self.id(in: request.path) else { return PushServiceSubject("other") }
        return PushServiceSubject("push", id)
    }

    private static func id(in path: String) -> String? {
        guard path.hasPrefix(pathPrefix), path.count > pathPrefix.count else { return nil }
        return String(path.dropFirst(pathPrefix.count))
    }

    package func judge(_ request: HTTPRequest, at now: WallInstant) -> PushServiceJudgement {
        do throws(WebPushRefusal) {
            let (id, instructions) = try check(request, at: now)
            let push = StoredPush(
                id: Base64URL.encode(surroundings.random.bytes(18)), instructions: instructions, body: request.body,
                encoding: request.fields["content-encoding"], receivedAt: now)
            table.change(id) { $0.receive(push, at: now) }
            var response = HTTPResponse(
                status: 201, fields: ["location": "\(origin)/m/\(push.id)", "ttl": String(instructions.ttl)])
            if settings.habits == .apple { response.fields.add("apns-id", push.id) }
            if settings.habits == .microsoft { response.fields.add("x-wns-status", "received") }
            var judgement = PushServiceJudgement(response)
            judgement.isAccepted = true
            judgement.messageID = push.id
            return judgement
        } catch {
            var judgement = PushServiceJudgement(settings.habits.response(to: error))
            judgement.brokenRule = error.rawValue
            return judgement
        }
    }

    private func check(
        _ request: HTTPRequest, at now: WallInstant
    ) throws(WebPushRefusal) -> (id: String, PushInstructions) {
        guard let id = Self.id(in: request.path), let subscription = table[id] else { throw .unknownSubscription }
        switch subscription.state {
        case .active, .unattended: break
        case .gone: throw .goneSubscription
        case .unknown: throw .unknownSubscription
        }
        guard request.method == "POST" else { throw .method }
        let key = try vapidKey(of: request, for: subscription, at: now)
        let ttl = try PushFieldRules.ttl(in: request.fields)
        if settings.habits == .microsoft, ttl == 0, request.fields["x-wns-cache-policy"] != "no-cache" {
            throw .ttlMalformed
        }
        let instructions = PushInstructions(
            ttl: ttl, urgency: try PushFieldRules.urgency(in: request.fields),
            topic: try PushFieldRules.topic(in: request.fields), vapidKey: key)
        try PushFieldRules.checkBody(of: request)
        return (id, instructions)
    }

    private func vapidKey(
        of request: HTTPRequest, for subscription: EmulatedSubscription, at now: WallInstant
    ) throws(WebPushRefusal) -> [UInt8]? {
        guard request.fields["authorization"] != nil else {
            guard settings.allowsAnonymous, subscription.vapidKey == nil else { throw .vapidMissing }
            return nil
        }
        let key = try PushFieldRules.vapidKey(in: request, at: now)
        guard subscription.vapidKey == nil || subscription.vapidKey == key else { throw .vapidKey }
        return key
    }

    package func response(for reason: String, status: Int?) -> HTTPResponse? {
        guard let refusal = WebPushRefusal(rawValue: reason) else { return nil }
        var response = settings.habits.response(to: refusal)
        if let status { response.status = status }
        return response
    }

    package func details(of exchange: SeenExchange) -> JSONObject {
        table.details(of: exchange)
    }

    package func answer(_ request: ControlRequest) throws(JSONFieldError) -> ControlAnswer? {
        try table.answer(request, at: surroundings.clock.now()) { endpoint(of: $0) }
    }

    package func reset() { table.removeAll() }

    // MARK: Subscriptions

    /// The endpoint of a subscription.
    package func endpoint(of id: String) -> String { origin + Self.pathPrefix + id }

    /// Makes a subscription whose keys the emulator holds; nil when there are too many.
    package func subscribe(vapidKey: [UInt8]? = nil) -> EmulatedSubscription? { table.subscribe(vapidKey: vapidKey) }

    /// A subscription; nil when it is not known.
    package func subscription(_ id: String) -> EmulatedSubscription? { table[id] }

    /// Changes a subscription that is known; false when it is not.
    @discardableResult
    package func change(_ id: String, _ body: (inout EmulatedSubscription) -> Void) -> Bool { table.change(id, body) }
}

extension SubscriptionTable {
    /// What a service reads from a push, with its content where the emulator holds the keys.
    func details(of exchange: SeenExchange) -> JSONObject {
        guard exchange.isAccepted, let id = exchange.target, let subscription = subscriptions[id] else { return [:] }
        let fields = exchange.request.fields
        var object: JSONObject = [:]
        object["ttl"] = fields["ttl"].map(JSONValue.string)
        object["urgency"] = fields["urgency"].map(JSONValue.string)
        object["topic"] = fields["topic"].map(JSONValue.string)
        let push = StoredPush(
            id: "", instructions: PushInstructions(ttl: 0, urgency: ""), body: exchange.request.body,
            encoding: fields["content-encoding"], receivedAt: exchange.receivedAt)
        for (key, value) in subscription.opened(push).members { object[key] = value }
        return object
    }
}
