import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleTesting
import Testing

/// A new store with clocks that the case moves, a producer, and short ways to do what cases do all the time.
final class StoreWorld: Sendable {
    static let phoneApp = App(identifier: "org.example.app", topics: ["org.example.app"], shape: .reveille)
    static let mailApp = App(identifier: "org.example.mail", topics: ["org.example.mail"], shape: .mail)
    static let sharedApp = App(
        identifier: "org.example.shared", topics: ["org.example.shared"], shape: .reveille, sharesInstalls: true)
    static let production = LaneKey.apns(.production)
    static let sandbox = LaneKey.apns(.sandbox)

    let clock = ManualClock()
    let intake = RecordingIntake()
    let opened: StoreFactory.Opened
    let producer: ProducerRow
    private let factory: StoreFactory
    private let place: StoreFactory.Place
    private let others = Locked<[any HomeStore]>([])
    private let random = SeededRandom(seed: TestSeed.fixed)

    var store: any HomeStore { opened.store }
    var now: Int64 { (clock.now() as WallInstant).milliseconds }
    var steady: Int64 { (clock.now() as MonotonicInstant).nanoseconds / 1_000_000 }

    /// Lets time pass for everybody.
    func advance(by duration: Duration) { clock.advance(by: duration) }
    /// Sets the date, as an operator or a time service does.
    func jumpWall(by duration: Duration) { clock.jumpWall(by: duration) }

    init(_ factory: StoreFactory) async throws {
        self.factory = factory
        place = try factory.makePlace()
        opened = try await factory.open(Self.setup(place, clock: clock, random: random))
        producer = try #require(try await opened.store.createProducer(name: "producer"))
        await opened.store.attach(intake)
    }

    private static func setup(
        _ place: StoreFactory.Place, clock: ManualClock, random: any RandomSource
    ) -> StoreFactory.Setup {
        StoreFactory.Setup(
            place: place, apps: AppRegistry([phoneApp, mailApp, sharedApp]), deviceLimit: 5, clock: clock,
            random: random)
    }

    /// Opens one more store on the same rows, as another process would.
    func openAnother() async throws -> StoreFactory.Opened {
        let other = try await factory.open(Self.setup(place, clock: clock, random: random))
        others.withLock { $0.append(other.store) }
        return other
    }

    func end() async {
        for other in others.withLock({ $0 }) { await other.close() }
        await store.close()
        factory.removePlace(place)
    }

    // MARK: Devices

    func profile(_ name: String = "ann") async throws -> ProfileRow {
        try await store.profile(name, of: producer)
    }

    /// A registration of an iPhone, for a case to change.
    func registration(
        _ profile: ProfileRow, token: UInt8 = 1, install: String = "install", signedInAt: Int64 = 1_000,
        app: App = StoreWorld.phoneApp
    ) throws -> DeviceRegistration {
        DeviceRegistration(
            profile: profile, signedInAtMilliseconds: signedInAt, credential: nil, app: app,
            topic: app.identifier, lane: .apns(.production),
            address: .apns(try DeviceToken(octets: [UInt8](repeating: token, count: 32))), installID: install,
            installationKey: nil, generation: nil, os: .iOS, name: .absent, appVersion: nil, locale: nil, pushMode: nil,
            categories: .absent, idempotencyKey: nil, verificationCode: nil)
    }

    /// Registers a new device, or fails.
    @discardableResult
    func device(
        _ name: String = "ann", token: UInt8 = 1, octets: [UInt8]? = nil, install: String? = nil,
        app: App = StoreWorld.phoneApp, change: (inout DeviceRegistration) -> Void = { _ in }
    ) async throws -> Device {
        var request = try registration(
            try await profile(name), token: token, install: install ?? "install-\(token)", app: app)
        if let octets { request.address = .apns(try DeviceToken(octets: octets)) }
        change(&request)
        return try await created(request)
    }

    func created(_ request: DeviceRegistration) async throws -> Device {
        let result = try await store.register(request)
        guard case .created(let device) = result else { throw Unexpected("not created: \(result)") }
        return device
    }

    func existing(_ request: DeviceRegistration) async throws -> Device {
        let result = try await store.register(request)
        guard case .existing(let device) = result else { throw Unexpected("not existing: \(result)") }
        return device
    }

    /// The device as it is now.
    func reload(_ device: Device) async throws -> Device {
        try #require(try await store.device(device.row))
    }

    // MARK: Posts

    func post(
        _ recipients: [String] = ["ann"], alert: Alert = .visible, category: String = "mail", series: String? = nil,
        ttl: Int64? = nil, key: Idempotency? = nil, title: String = "title"
    ) -> NotificationPost {
        NotificationPost(
            producer: producer, recipients: recipients, category: category, title: title, body: "body", data: [],
            series: series, alert: alert, ttlSeconds: ttl, idempotency: key)
    }

    /// Posts and returns what is on disk, or fails.
    @discardableResult
    func accept(_ post: NotificationPost) async throws -> AcceptedNotification {
        let result = try await store.accept(post)
        guard case .accepted(let accepted) = result else { throw Unexpected("not accepted: \(result)") }
        return accepted
    }

    /// Posts one visible notification to one profile and returns its delivery.
    @discardableResult
    func deliver(
        _ name: String = "ann", alert: Alert = .visible, series: String? = nil, ttl: Int64? = nil
    ) async throws -> DeliveryRow {
        try #require(try await accept(post([name], alert: alert, series: series, ttl: ttl)).deliveries.first)
    }

    // MARK: Wakes

    /// A lease of a minute from now.
    func freshLease(_ token: Int64 = 77) -> Lease {
        Lease(token: token, untilMilliseconds: steady + 60_000)
    }

    func lease(
        _ limit: Int = 100, token: Int64 = 77, on lane: LaneKey = production, from store: (any HomeStore)? = nil
    ) async throws -> [LeasedWake] {
        try await (store ?? self.store).lease(
            lane, limit: limit, lease: freshLease(token), onlyTopic: nil, excludingTopics: [])
    }

    /// Leases the one wake that is due, or fails.
    func leaseOne(token: Int64 = 77, on lane: LaneKey = production) async throws -> LeasedWake {
        let wakes = try await lease(token: token, on: lane)
        #expect(wakes.count == 1)
        return try #require(wakes.first)
    }

    /// Ends the try of a leased wake now.
    @discardableResult
    func settle(
        _ wake: LeasedWake, _ outcome: Outcome, status: Int = 0, on lane: LaneKey = production
    ) async throws -> SettledTry {
        let settled = try await store.settle(
            lane,
            [
                EndedTry(
                    wake: wake.wake, leaseToken: wake.lease.token, outcome: outcome, status: status,
                    endedAtMilliseconds: now)
            ])
        return try #require(settled.first)
    }

    func record(_ wake: WakeRow) async throws -> WakeRecord {
        try #require(try await store.wake(wake))
    }

    func unsettled(_ device: Device) async throws -> [WakeRecord] {
        try await store.unsettledWakes(of: device.row)
    }

    /// Lets the lane have an accepted send now, by another device of its own.
    func proveLane(token: UInt8 = 200) async throws {
        try await device("prover", token: token)
        try await deliver("prover")
        for wake in try await lease(token: 999) { try await settle(wake, .accepted) }
    }
}

/// A case found something else than it needs to go on.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ProviderReason {
    static let unregistered = ProviderReason("Unregistered")
    static let badToken = ProviderReason("BadDeviceToken")
    static let busy = ProviderReason("ServiceUnavailable")
    static let lost = ProviderReason("connection_lost")
    static let badCredential = ProviderReason("InvalidProviderToken")
    static let refusedPayload = ProviderReason("PayloadEmpty")
}

extension Outcome {
    static let gone = Outcome.deviceGone(reason: .unregistered, sinceMilliseconds: nil)
    static let lost = Outcome.unknown(reason: .lost)
    static let unavailable = Outcome.retry(reason: .busy, after: .schedule(seconds: 0))
    static let misconfiguredLane = Outcome.misconfigured(reason: .badCredential, scope: .lane)
    static let refusal = Outcome.refused(reason: .refusedPayload)
}

extension StoreWorld {
    func giveBack(_ wake: LeasedWake, as reason: GiveBackReason, on lane: LaneKey = production) async throws {
        try await store.giveBack(
            lane, [GivenBackWake(wake: wake.wake, leaseToken: wake.lease.token)], as: reason)
    }

    /// The wakes of a device that went out accepted, for counting.
    func states(_ wakes: [WakeRow]) async throws -> [WakeState] {
        var states: [WakeState] = []
        for wake in wakes { states.append(try await record(wake).state) }
        return states
    }
}
