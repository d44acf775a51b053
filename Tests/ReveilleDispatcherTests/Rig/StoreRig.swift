import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

/// A store in a file of its own, with a producer, and short ways to post and register.
struct StoreRig: Sendable {
    static let app = App(identifier: "org.example", topics: ["org.example", "org.other"], shape: .reveille)
    static let key = LaneKey.apns(.production)

    let path: String
    let masterKeys: MasterKeys
    let clock: (any WallClock, any MonotonicClock)

    init(path: String, wall: any WallClock = SystemWallClock(), steady: any MonotonicClock = SystemMonotonicClock()) {
        self.path = path
        masterKeys = MasterKeys(current: .generate())
        clock = (wall, steady)
    }

    /// Opens the file once more: another process, or the same one after a start.
    func open(seed: UInt64? = nil) async throws -> SQLiteHomeStore {
        try await SQLiteHomeStore.open(
            path: path, masterKeys: masterKeys, apps: AppRegistry([Self.app]), clock: clock.0, steady: clock.1,
            random: seed.map { SeededRandom(seed: $0) as any RandomSource } ?? SystemRandom())
    }
}

extension SQLiteHomeStore {
    /// The producer of the tests.
    func testProducer() async throws -> ProducerRow {
        if let row = try await producer(name: "tests") { return row }
        return try #require(try await createProducer(name: "tests"))
    }

    /// Registers a device, or rotates its token.
    func register(
        install: String, token: [UInt8], profile: String, topic: String = "org.example",
        environment: APNsEnvironment = .production, pushMode: PushMode? = nil
    ) async throws -> Device {
        let row = try await self.profile(profile, of: try await testProducer())
        let registration = DeviceRegistration(
            profile: row, signedInAtMilliseconds: 1_000, credential: nil, app: StoreRig.app, topic: topic,
            lane: .apns(environment), address: .apns(try DeviceToken(octets: token)), installID: install,
            installationKey: nil,
            generation: nil, os: .iOS, name: .absent, appVersion: nil, locale: nil, pushMode: pushMode,
            categories: .absent, idempotencyKey: nil, verificationCode: nil)
        switch try await register(registration) {
        case .created(let device), .existing(let device): return device
        case .newerSignIn, .staleGeneration, .installationKeyMismatch, .verificationRequired, .wrongCode,
            .tooManyDevices:
            throw RegistrationRefused()
        }
    }

    /// Posts a notification to profiles.
    func post(
        to profiles: [String], series: String? = nil, alert: Alert = .visible, ttl: Int64? = nil
    ) async throws -> AcceptedNotification {
        let result = try await accept(
            NotificationPost(
                producer: try await testProducer(), recipients: profiles, category: "mail", title: "t", body: "b",
                data: [], series: series, alert: alert, ttlSeconds: ttl, idempotency: nil))
        switch result {
        case .accepted(let accepted), .replayed(let accepted): return accepted
        case .keyUsedForOtherRequest: throw RegistrationRefused()
        }
    }
}

/// The store refused what a test takes for granted.
struct RegistrationRefused: Error {}
