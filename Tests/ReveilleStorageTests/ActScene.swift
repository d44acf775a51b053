import ReveilleBytes
import ReveilleCore
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// A store on a disk that fails on request, and short ways to bring it into the situation that an act begins with.
final class ActScene: Sendable {
    /// What one round of an act is about; each round has its own, so that rounds do not touch each other.
    struct Round: Sendable {
        let number: Int
        let profile: ProfileRow
        let device: Device
        /// The wake of the first delivery.
        let wake: WakeRecord
        let delivery: DeliveryRow

        var profileName: String { ActScene.profileName(number) }
    }

    let path: String
    let faults = FaultInjectingVFS()
    let clock = ManualClock()
    /// What the operator's key file holds.
    let keyFile: Locked<MasterKeys?>
    let store: SQLiteHomeStore
    let producer: ProducerRow
    private let rounds = Locked(0)
    let claims = Locked<[Int: Claim]>([:])
    private let tokens = Locked<[Int: (credential: CredentialRow, token: String)]>([:])

    init(path: String) async throws {
        self.path = path
        let keys = MasterKeys(current: .generate())
        keyFile = Locked(keys)
        store = try await Self.open(path, keyFile, clock, faults)
        guard let producer = try await store.createProducer(name: "producer") else { throw StoreError(.programming) }
        self.producer = producer
    }

    /// Opens the file once more, on a disk that works.
    func reopen() async throws -> SQLiteHomeStore {
        try await Self.open(path, keyFile, clock, nil)
    }

    private static func open(
        _ path: String, _ keyFile: Locked<MasterKeys?>, _ clock: ManualClock, _ faults: FaultInjectingVFS?
    ) async throws -> SQLiteHomeStore {
        var options = StoreOptions()
        options.faults = faults
        options.rereadMasterKeys = { keyFile.withLock { $0 } }
        guard let keys = keyFile.withLock({ $0 }) else { throw StoreError(.wrongKey) }
        return try await SQLiteHomeStore.open(
            path: path, masterKeys: keys, apps: AppRegistry([SQLiteStores.app]), options: options, clock: clock,
            steady: clock)
    }

    // MARK: Situations

    /// A device with one visible wake that waits.
    func posted(ttl: Int64? = nil, isKeyed: Bool = false) async throws -> Round {
        let number = rounds.withLock { number in
            number += 1
            return number
        }
        let profile = try await store.profile(Self.profileName(number), of: producer)
        var request = try registration(number, profile)
        if isKeyed {
            request.installationKey = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32)
            request.generation = 1
        }
        let result = try await store.register(request)
        guard case .created(let device) = result else { throw StoreError(.programming) }
        let accepted = try await post([Self.profileName(number)], key: "first-\(number)", ttl: ttl)
        guard let wake = try await store.unsettledWakes(of: device.row).first else { throw StoreError(.programming) }
        return Round(number: number, profile: profile, device: device, wake: wake, delivery: accepted.deliveries[0])
    }

    /// A device with one visible wake that a lane holds.
    func leased() async throws -> Round {
        let round = try await posted()
        try await lease(round)
        return round
    }

    /// Leases what is due, the wake of the round among it.
    func lease(_ round: Round) async throws(StoreError) {
        _ = try await store.lease(SQLiteStores.lane, limit: 1_000, lease: lease(), onlyTopic: nil, excludingTopics: [])
    }

    /// A lease of a minute from now.
    func lease() -> Lease { Lease(token: Self.leaseToken, untilMilliseconds: steadyMilliseconds + 60_000) }

    /// The steady clock, as leases are counted.
    var steadyMilliseconds: Int64 {
        let now: MonotonicInstant = clock.now()
        return now.nanoseconds / 1_000_000
    }

    static let leaseToken: Int64 = 77
    static func profileName(_ number: Int) -> String { "user-\(number)" }

    func registration(_ number: Int, _ profile: ProfileRow, appVersion: String = "1") throws -> DeviceRegistration {
        var octets = [UInt8](repeating: 1, count: 32)
        octets[0] = UInt8(truncatingIfNeeded: number)
        octets[1] = UInt8(truncatingIfNeeded: number >> 8)
        return DeviceRegistration(
            profile: profile, signedInAtMilliseconds: 1, credential: nil, app: SQLiteStores.app,
            topic: SQLiteStores.app.identifier, lane: .apns(.production),
            address: .apns(try DeviceToken(octets: octets)),
            installID: "install-\(number)", installationKey: nil, generation: nil, os: .iOS, name: .value("phone"),
            appVersion: appVersion, locale: nil, pushMode: nil, categories: .absent, idempotencyKey: nil,
            verificationCode: nil)
    }

    @discardableResult
    func post(_ recipients: [String], key: String, ttl: Int64? = nil) async throws(StoreError) -> AcceptedNotification {
        let result = try await store.accept(
            NotificationPost(
                producer: producer, recipients: recipients, category: "mail", title: "title", body: key, data: [],
                series: nil, alert: .visible, ttlSeconds: ttl, idempotency: Idempotency(key: key, fingerprint: [1])))
        switch result {
        case .accepted(let accepted), .replayed(let accepted): return accepted
        case .keyUsedForOtherRequest: throw StoreError(.programming)
        }
    }

    func settle(_ round: Round, _ outcome: Outcome) async throws(StoreError) {
        let now: WallInstant = clock.now()
        _ = try await store.settle(
            SQLiteStores.lane,
            [
                EndedTry(
                    wake: round.wake.row, leaseToken: Self.leaseToken, outcome: outcome, status: 0,
                    endedAtMilliseconds: now.milliseconds)
            ])
    }

    /// Puts a new key in front of those in the key file.
    func rotateKeyFile() {
        keyFile.withLock { keys in keys = MasterKeys(current: .generate(), former: keys?.all ?? []) }
    }

    func makeToken(_ round: Round) async throws(StoreError) {
        let made = try await store.createToken(.producer(producer), scopes: [.notify], label: "label")
        tokens.withLock { $0[round.number] = made }
    }

    func token(_ round: Round) -> (credential: CredentialRow, token: String)? {
        tokens.withLock { $0[round.number] }
    }
}
