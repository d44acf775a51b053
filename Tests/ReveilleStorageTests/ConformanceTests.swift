import ReveilleStorageSQLite
import ReveilleTesting
import StorageConformance
import Testing

@Suite("The SQLite store behaves as every store does")
struct ConformanceTests {
    /// With the usual length of a run of deliveries, and with as many runs as can be.
    @Test("and here", arguments: StorageConformance.cases, [StoreOptions().deliveriesPerRun, 1])
    func behaves(_ behaviour: ConformanceCase, deliveriesPerRun: Int64) async throws {
        try await Turnstile.stores.pass {
            try await behaviour.run(on: SQLiteStores.factory(deliveriesPerRun: deliveriesPerRun))
        }
        #expect(!behaviour.description.isEmpty)
    }
}
