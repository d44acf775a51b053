import ReveilleBytes
import ReveilleCommands
import ReveilleCore
import ReveilleJSON
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

/// The data folder and the master key file of a test, and a store in them.
struct StorePlace: Sendable {
    static let app = App(identifier: "org.example.app", topics: ["org.example.app"], shape: .reveille)

    let folder: String
    let keyFile: String

    /// Places in the directory of the test that is running; nothing is there yet.
    init() throws {
        let directory = try #require(TemporaryDirectory.current)
        folder = directory.file("data")
        keyFile = directory.file("master.key")
    }

    /// The options that point a command at the store.
    var options: [String] { ["--data", folder, "--master-key-file", keyFile] }

    /// Calls the program on the store.
    func run(_ words: String...) async -> CommandRun { await CommandRun.of(words + options) }

    /// Makes the store by making a producer; returns the producer's token.
    func makeProducer(_ name: String) async throws -> String {
        let made = await run("producer", "create", name, "--json")
        #expect(made.status == .success, "\(made.error)")
        return try #require(made.json["token"]?.string)
    }

    /// The keys that stand in the file.
    func keys() throws -> MasterKeys {
        let keys = try FileContents.text(keyFile).split(separator: "\n").map { line in
            try #require(MasterKey(text: SecretText(String(line))))
        }
        return MasterKeys(current: try #require(keys.first), former: Array(keys.dropFirst()))
    }

    /// Opens the store with keys, those of the file when none are given, does the work and closes it.
    func withStore<Result>(
        _ keys: MasterKeys? = nil, _ body: (SQLiteHomeStore) async throws -> Result
    ) async throws -> Result {
        let store = try await SQLiteHomeStore.open(
            path: folder + "/reveille.db", masterKeys: try keys ?? self.keys(), apps: AppRegistry([Self.app]))
        return try await store.closing(after: body)
    }

    /// Registers an iPhone and posts a notification to its profile, so that every kind of value is sealed once.
    func fill(_ store: SQLiteHomeStore, producer name: String) async throws -> Filling {
        let producer = try #require(try await store.producer(name: name))
        let profile = try await store.profile("anna", of: producer)
        let device = try await register([0xCA, 0xFE, 0xCA, 0xFE], of: profile, in: store)
        let delivery = try await post(store, producer: name)
        return Filling(profile: profile, device: device, delivery: delivery)
    }

    /// Registers so many phones, each of a profile of its own; returns their rows, oldest first.
    func register(_ count: Int, in store: SQLiteHomeStore, producer name: String) async throws -> [DeviceRow] {
        let producer = try #require(try await store.producer(name: name))
        var rows: [DeviceRow] = []
        for number in 0..<count {
            let profile = try await store.profile("person-\(number)", of: producer)
            rows.append(
                try await register([0xCA, 0xFE, UInt8(number >> 8), UInt8(number & 0xFF)], of: profile, in: store))
        }
        return rows
    }

    private func register(
        _ token: [UInt8], of profile: ProfileRow, in store: SQLiteHomeStore
    ) async throws -> DeviceRow {
        let registration = DeviceRegistration(
            profile: profile, signedInAtMilliseconds: 1, credential: nil, app: Self.app, topic: Self.app.identifier,
            lane: .apns(.production), address: .apns(try DeviceToken(octets: token)), installID: "install",
            installationKey: nil, generation: nil, os: .iOS, name: .value("the phone"), appVersion: nil, locale: nil,
            pushMode: nil, categories: .value(["mail"]), idempotencyKey: nil, verificationCode: nil)
        guard case .created(let device) = try await store.register(registration) else { throw NotFilled() }
        return device.row
    }

    /// Posts one more notification to that profile.
    @discardableResult
    func post(_ store: SQLiteHomeStore, producer name: String) async throws -> DeliveryRow {
        let post = NotificationPost(
            producer: try #require(try await store.producer(name: name)), recipients: ["anna"], category: "mail",
            title: "the title", body: "the body", data: [], series: nil, alert: .visible, ttlSeconds: nil,
            idempotency: nil)
        guard case .accepted(let accepted) = try await store.accept(post) else { throw NotFilled() }
        return try #require(accepted.deliveries.first)
    }

    /// Takes the wake that waits, as a lane does, and ends its try.
    func endTry(_ outcome: Outcome, in store: SQLiteHomeStore) async throws {
        let lane = LaneKey.apns(.production)
        let lease = Lease(token: 1, untilMilliseconds: .max)
        let wakes = try await store.lease(lane, limit: 1, lease: lease, onlyTopic: nil, excludingTopics: [])
        let ended = EndedTry(
            wake: try #require(wakes.first).wake, leaseToken: 1, outcome: outcome, status: 0,
            endedAtMilliseconds: (SystemWallClock().now() as WallInstant).milliseconds)
        _ = try await store.settle(lane, [ended])
    }

    /// What ``fill(_:producer:)`` put into a store.
    struct Filling: Sendable {
        let profile: ProfileRow
        let device: DeviceRow
        let delivery: DeliveryRow
    }

    private struct NotFilled: Error {}
}
