import ReveilleTesting
import StorageConformance
import Testing

@Suite("The SQLite store behaves as every store does")
struct ConformanceTests {
    @Test("and here", arguments: StorageConformance.cases)
    func behaves(_ behaviour: ConformanceCase) async throws {
        try await Turnstile.stores.pass { try await behaviour.run(on: SQLiteStores.factory) }
        #expect(!behaviour.description.isEmpty)
    }
}
