import Glibc
import ReveilleCore
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Deliveries are indexed in runs", .temporaryDirectory)
struct DeliveryRunTests {
    private static let profiles = 2_000
    private static let width = 200

    /// A store with short runs, and what was posted to it.
    private struct Place {
        let path: String
        let store: SQLiteHomeStore
        let producer: ProducerRow

        init(deliveriesPerRun: Int64) async throws {
            path = try #require(TemporaryDirectory.current).file("store.db")
            var options = StoreOptions()
            options.deliveriesPerRun = deliveriesPerRun
            store = try await SQLiteStores.open(path, options: options)
            producer = try #require(try await store.createProducer(name: "mail"))
        }

        /// Posts to profiles that lie as far apart as they can, other ones each time.
        func post(_ number: Int, to width: Int) async throws {
            let stride = DeliveryRunTests.profiles / width
            let recipients = (0..<width).map { "p\($0 * stride + number % stride)" }
            let post = NotificationPost(
                producer: producer, recipients: recipients, category: "mail", title: "title", body: "body", data: [],
                series: nil, alert: .visible, ttlSeconds: nil, idempotency: nil)
            guard case .accepted = try await store.accept(post) else { throw StoreError(.programming) }
        }

        func logOctets() -> Int {
            var status = stat()
            return stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
        }

        func count(_ query: StaticString) throws -> Int64 {
            try SQLiteConnection(path: path, access: .readOnly, busyMilliseconds: 1_000).integer(query)
        }
    }

    @Test("a post to far profiles writes few pages, however much lies in the inboxes")
    func fewPages() async throws {
        let place = try await Place(deliveriesPerRun: 1_000)
        for number in 0..<100 { try await place.post(number, to: Self.width) }
        // While somebody reads the log is only added to, so that its growth is what a post writes.
        let reader = try SQLiteConnection(path: place.path, access: .readOnly, busyMilliseconds: 1_000)
        try reader.execute("BEGIN; SELECT count(*) FROM meta;")
        try await place.post(100, to: Self.width)
        let before = place.logOctets()
        try await place.post(101, to: Self.width)
        let pages = (place.logOctets() - before) / 4_120
        // One page for each recipient if all deliveries were indexed together.
        #expect(pages > 0 && pages < Self.width / 4, "\(pages) pages")
        try reader.execute("COMMIT")
        await place.store.close()
    }

    @Test("however many deliveries are kept, there are few runs to look into")
    func fewRuns() async throws {
        let place = try await Place(deliveriesPerRun: 1)
        for number in 0..<200 { try await place.post(number, to: 20) }
        #expect(try place.count("SELECT count(*) FROM delivery") == 4_000)
        #expect(
            try place.count("SELECT count(DISTINCT run) FROM delivery")
                == place.count("SELECT count(*) FROM delivery_run"))
        #expect((64..<200).contains(try place.count("SELECT count(*) FROM delivery_run")))
        await place.store.close()
    }

    @Test("a run goes with the last of its deliveries, and the newest stays")
    func pruned() async throws {
        let place = try await Place(deliveriesPerRun: 10)
        for number in 0..<8 { try await place.post(number, to: 10) }
        #expect(try place.count("SELECT count(*) FROM delivery_run") == 8)
        // As if the first five had been posted long ago.
        let file = try SQLiteConnection(path: place.path, access: .readWrite, busyMilliseconds: 1_000)
        try file.execute("UPDATE notification SET planned_at = 0 WHERE id <= 5")
        while try await place.store.prune(Retention(), limit: 7) > 0 {}
        #expect(try place.count("SELECT min(number) FROM delivery_run") == 6)
        #expect(try place.count("SELECT count(*) FROM delivery_run") == 3)
        try file.execute("UPDATE notification SET planned_at = 0")
        while try await place.store.prune(Retention(), limit: 7) > 0 {}
        #expect(try place.count("SELECT count(*) FROM delivery") == 0)
        #expect(try place.count("SELECT min(number) FROM delivery_run") == 8)
        try await place.post(8, to: 10)
        #expect(try place.count("SELECT run FROM delivery LIMIT 1") == 9)
        await place.store.close()
    }
}
