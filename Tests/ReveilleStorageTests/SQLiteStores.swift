import ReveilleBytes
import ReveilleCore
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import StorageConformance
import Testing

/// SQLite stores for tests.
enum SQLiteStores {
    static let app = App(identifier: "org.example.app", topics: ["org.example.app"], shape: .reveille)
    static let lane = LaneKey(provider: .apns, environment: .production)
    static let key = MasterKey(SecretBytes([UInt8](repeating: 0x42, count: MasterKey.octets)))

    /// Opens SQLite stores for the conformance suite.
    static let factory = StoreFactory(
        makePlace: { try TemporaryDirectory.make() },
        open: { setup in
            guard let key else { throw StoreError(.programming) }
            var options = StoreOptions()
            options.deviceLimitPerProfile = setup.deviceLimit
            let store = try await SQLiteHomeStore.open(
                path: setup.place.file("store.db"), masterKeys: MasterKeys(current: key), apps: setup.apps,
                options: options, clock: setup.clock, steady: setup.clock, random: setup.random)
            return StoreFactory.Opened(store: store, secrets: store.secrets, vault: store.vault)
        },
        removePlace: { $0.remove() })

    /// Opens a store with the clocks of the system.
    static func open(_ path: String, log: Log = .silent) async throws -> SQLiteHomeStore {
        try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: try #require(key)), apps: AppRegistry([app]), log: log)
    }

    /// The code that something fails with; nil when it does not fail.
    static func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }
}
