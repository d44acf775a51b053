import ReveilleBytes
import ReveilleCore
import ReveilleEndpoints
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting

/// A home server without sockets: the API over a real store in a temporary folder.
struct HomeServer: Sendable {
    /// An app with a topic for each kind of system; one install serves one profile.
    static let topic = "org.example.app"
    static let macTopic = "org.example.app.mac"
    /// An app whose proven installs may serve several profiles.
    static let sharedTopic = "org.example.shared"
    /// A category that alerts.
    static let visibleCategory = "release"
    /// One whose name has another spelling that Unicode calls equal.
    static let accentedCategory = "caf\u{E9}"

    /// The present pair of the server and a former one.
    static let services = PushServices(
        policy: EndpointPolicy(),
        keys: [
            PushServices.Key(id: "present", publicKey: "BPresent"),
            PushServices.Key(id: "former", publicKey: "BFormer"),
        ])

    /// An app whose clients know no verification wakes.
    static let oldTopic = "org.example.old"

    /// A topic with a letter that has a double among the signs.
    static let kioskTopic = "org.example.Kiosk"

    let store: any HomeStore
    let secrets: StoreSecrets
    let api: HomeAPI
    let clock: ManualClock
    let log: MemorySink
    let lanes: RecordingLanes
    private let directory: TemporaryDirectory

    /// Opens a server; ``close()`` must follow.
    static func open(
        provider: ApplePushSettings.Provider = .customAPNs, limits: InboxLimits = .generous,
        settings: HomeAPISettings = HomeAPISettings(), options: StoreOptions = StoreOptions(),
        authenticators: [any Authenticator] = []
    ) async throws -> HomeServer {
        let directory = try TemporaryDirectory.make()
        let clock = ManualClock()
        let log = MemorySink()
        let lanes = RecordingLanes()
        let apps = AppRegistry([
            App(identifier: topic, topics: [topic, macTopic], shape: .reveille),
            App(identifier: oldTopic, topics: [oldTopic], shape: .reveille, provesSubscriptions: false),
            App(identifier: kioskTopic, topics: [kioskTopic], shape: .reveille),
            App(identifier: sharedTopic, topics: [sharedTopic], shape: .reveille, sharesInstalls: true),
        ])
        let store = try await SQLiteHomeStore.open(
            path: directory.file("store.sqlite"), masterKeys: MasterKeys(current: .generate()), apps: apps,
            options: options, clock: clock, steady: clock, random: SystemRandom(), log: .silent)
        let inbox = HomeInbox(
            store: store, secrets: store.secrets, apps: apps,
            categories: CategoryRegistry(
                [visibleCategory, accentedCategory].map { Category(name: $0, alert: .visible) }),
            apple: ApplePushSettings(provider: provider), services: services, lanes: lanes, limits: limits,
            authenticators: authenticators, clock: clock, steady: clock, random: SystemRandom(),
            // No probe takes too long by a clock that stands still.
            pause: { _ in try await OneShot<Void>().wait() })
        let api = HomeAPI(
            inbox: inbox, settings: settings, log: Log(level: .debug, sink: log, component: "test"),
            metrics: MetricsRegistry(), clock: clock, random: SystemRandom())
        return HomeServer(
            store: store, secrets: store.secrets, api: api, clock: clock, log: log, lanes: lanes, directory: directory)
    }

    /// Closes the store and removes its folder.
    func close() async {
        await store.close()
        directory.remove()
    }

    /// Runs `body` with a server.
    static func with<Result>(
        provider: ApplePushSettings.Provider = .customAPNs, limits: InboxLimits = .generous,
        settings: HomeAPISettings = HomeAPISettings(), options: StoreOptions = StoreOptions(),
        authenticators: [any Authenticator] = [], _ body: (HomeServer) async throws -> Result
    ) async throws -> Result {
        try await Turnstile.stores.pass {
            let server = try await open(
                provider: provider, limits: limits, settings: settings, options: options,
                authenticators: authenticators)
            do {
                let result = try await body(server)
                await server.close()
                return result
            } catch {
                await server.close()
                throw error
            }
        }
    }

    // MARK: Credentials

    /// A token of a producer, made when it does not exist.
    func producerToken(
        _ name: String = "media", scopes: Set<Scope> = Set(Scope.allCases)
    ) async throws -> String {
        let row: ProducerRow
        if let known = try await store.producer(name: name) {
            row = known
        } else {
            row = try require(await store.createProducer(name: name))
        }
        return try await store.createToken(.producer(row), scopes: scopes, label: "test").token
    }

    /// A token of a profile of a producer.
    func profileToken(_ profile: String = "anna", of producer: String = "media") async throws -> String {
        let minter = try await producerToken(producer)
        let answer = await send("POST", "/api/v1/profiles/\(profile)/tokens", token: minter)
        return try require(answer.json["token"]?.string)
    }

    /// A token of an admin.
    func adminToken() async throws -> String {
        try await store.createToken(.admin, scopes: [], label: "test").token
    }

    // MARK: Requests

    /// Sends a request whose body is JSON.
    func send(
        _ method: String, _ target: String, token: String? = nil, json: JSONValue? = nil,
        fields: [(String, String)] = [], from address: SocketAddress = .loopback(port: 4_000)
    ) async -> Answer {
        var all = fields
        if json != nil { all.append(("content-type", "application/json")) }
        return await send(method, target, token: token, body: json?.encoded() ?? [], fields: all, from: address)
    }

    /// Sends a request with any body.
    func send(
        _ method: String, _ target: String, token: String? = nil, body: [UInt8], fields: [(String, String)] = [],
        from address: SocketAddress = .loopback(port: 4_000)
    ) async -> Answer {
        var list = HTTPFields()
        if let token { list.add("authorization", "Bearer \(token)") }
        for field in fields { list.add(field.0, field.1) }
        let request = HTTPRequest(method: method, target: target, fields: list, body: body, peer: address)
        return Answer(await api.respond(to: request))
    }

    /// Posts a visible notification and returns its delivery ids.
    @discardableResult
    func notify(
        _ recipients: [String] = ["anna"], title: String = "Title", category: String = visibleCategory,
        token: String
    ) async throws -> [String] {
        let answer = await send(
            "POST", "/api/v1/notifications", token: token,
            json: [
                "recipients": .array(recipients.map { .string($0) }), "category": .string(category),
                "title": .string(title),
            ])
        guard answer.status == 202 else { throw Unexpected(answer: answer) }
        return try (answer.json["deliveries"]?.array ?? []).map { try require($0["delivery_id"]?.string) }
    }
}

/// An answer that a test cannot go on with.
struct Unexpected: Error {
    let answer: Answer
}

/// A value that must be there for a test to go on.
struct Missing: Error {}

/// Unwraps outside of test functions, where `#require` would name the wrong place.
func require<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

extension InboxLimits {
    /// Limits that no test reaches by accident.
    static var generous: InboxLimits {
        var limits = InboxLimits()
        limits.profile = RateLimit(perSecond: 100_000, burst: 1_000_000)
        limits.registration = RateLimit(perSecond: 100_000, burst: 1_000_000)
        limits.failedCredentials = RateLimit(perSecond: 100_000, burst: 1_000_000)
        return limits
    }
}

/// Counts what the dispatcher would be told.
final class RecordingLanes: LaneControl {
    private let count = Locked(0)

    /// How often the settings were said to have changed.
    var changes: Int { count.withLock { $0 } }

    func settingsChanged() async {
        count.withLock { $0 += 1 }
    }

    /// What the dispatcher would say of its lanes.
    let present = Locked<[LaneKey: LaneCondition]>([:])

    func conditions() async -> [LaneKey: LaneCondition] { present.withLock { $0 } }
}
