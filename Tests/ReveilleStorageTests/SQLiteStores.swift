import ReveilleBytes
import ReveilleCore
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import StorageConformance

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
}
