import ReveilleBytes
import ReveilleCore
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting
import StorageConformance
import Testing

/// SQLite stores for tests.
enum SQLiteStores {
    static let app = App(identifier: "org.example.app", topics: ["org.example.app"], shape: .reveille)
    static let lane = LaneKey.apns(.production)
    static let key = MasterKey(SecretBytes([UInt8](repeating: 0x42, count: MasterKey.octets)))

    /// Opens SQLite stores for the conformance suite.
    static func factory(deliveriesPerRun: Int64) -> StoreFactory {
        StoreFactory(
            makePlace: { try TemporaryDirectory.make() },
            open: { setup in
                guard let key else { throw StoreError(.programming) }
                var options = StoreOptions()
                options.deviceLimitPerProfile = setup.deviceLimit
                options.deliveriesPerRun = deliveriesPerRun
                let store = try await SQLiteHomeStore.open(
                    path: setup.place.file("store.db"), masterKeys: MasterKeys(current: key), apps: setup.apps,
                    options: options, clock: setup.clock, steady: setup.clock, random: setup.random)
                return StoreFactory.Opened(store: store, secrets: store.secrets, vault: store.vault)
            },
            removePlace: { $0.remove() })
    }

    /// Opens a store with the clocks of the system.
    static func open(
        _ path: String, options: StoreOptions = StoreOptions(), log: Log = .silent
    ) async throws -> SQLiteHomeStore {
        try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: try #require(key)), apps: AppRegistry([app]), options: options,
            log: log)
    }

    /// Gives a file the layout that a version of before had.
    static func takeBack(_ file: SQLiteConnection, to version: Int64) throws {
        try file.execute(
            """
            ALTER TABLE lane RENAME COLUMN place TO environment; DROP TABLE proof; DROP INDEX device_pending;
            DROP INDEX delivery_by_profile; DROP TABLE delivery_run; ALTER TABLE delivery DROP COLUMN run;
            CREATE INDEX delivery_by_profile ON delivery (profile_id, id);
            ALTER TABLE sequence DROP COLUMN run_length; ALTER TABLE sequence DROP COLUMN last_change;
            DROP INDEX notification_keyed; ALTER TABLE notification DROP COLUMN planned_at;
            CREATE INDEX notification_keyed ON notification (created_at) WHERE idempotency IS NOT NULL;
            PRAGMA user_version = 2;
            """)
        if version < 2 { try file.execute("DROP TABLE epoch; PRAGMA user_version = 1;") }
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
