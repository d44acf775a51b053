import ReveilleCore
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("A file of an older version is brought up to date", .temporaryDirectory)
struct MigrationTests {
    /// The program's own steps, and two that a later version might add.
    private static let longer: [Migrator.Step] =
        Migrator.steps + [
            Migrator.Step(
                version: Int64(Migrator.steps.count + 1),
                scripts: [
                    "CREATE TABLE added (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
                    "INSERT INTO added (id, name) SELECT id, name FROM producer",
                ], stamp: "PRAGMA user_version = 5;"),
            Migrator.Step(
                version: Int64(Migrator.steps.count + 2),
                scripts: ["ALTER TABLE added ADD COLUMN length INTEGER", "UPDATE added SET length = length(name)"],
                stamp: "PRAGMA user_version = 6;"),
        ]

    private static func open(_ path: String) async throws -> SQLiteHomeStore {
        try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: try #require(SQLiteStores.key)),
            apps: AppRegistry([SQLiteStores.app]))
    }

    /// A store as this program makes it, with one producer, and a connection to its file.
    private static func storeFile() async throws -> SQLiteConnection {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let store = try await open(path)
        _ = try await store.createProducer(name: "mail")
        await store.close()
        return try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 0)
    }

    private static func migrate(_ file: SQLiteConnection, _ steps: [Migrator.Step]) throws {
        try file.execute("BEGIN IMMEDIATE")
        do {
            try Migrator.migrate(file, steps: steps)
            try file.execute("COMMIT")
        } catch {
            try file.execute("ROLLBACK")
            throw error
        }
    }

    @Test("the steps are numbered without a gap, and each writes its number")
    func numbering() async throws {
        #expect(Migrator.steps.map(\.version) == Array(1...Int64(Migrator.steps.count)))
        let file = try await Self.storeFile()
        #expect(try Migrator.version(of: file) == Migrator.steps.last?.version)
    }

    @Test("a store of this version takes the steps of a later one, in order, and keeps its rows")
    func upgrade() async throws {
        let file = try await Self.storeFile()
        try Self.migrate(file, Self.longer)
        #expect(try Migrator.version(of: file, steps: Self.longer) == Self.longer.last?.version)
        #expect(try file.text("SELECT name FROM added") == "mail")
        #expect(try file.integer("SELECT length FROM added") == 4)
        #expect(try file.text("SELECT name FROM producer") == "mail")
        // Nothing is left to do.
        try Self.migrate(file, Self.longer)
        #expect(try file.integer("SELECT count(*) FROM added") == 1)
    }

    @Test("of a file between two versions only the missing steps are taken")
    func halfway() async throws {
        let file = try await Self.storeFile()
        try Self.migrate(file, Array(Self.longer.dropLast()))
        try file.execute("INSERT INTO added (id, name) VALUES (99, 'since then')")
        try Self.migrate(file, Self.longer)
        #expect(try file.integer("SELECT length FROM added WHERE id = 99") == 10)
        #expect(try file.integer("SELECT count(*) FROM added") == 2)
    }

    @Test("a step that fails leaves the file at the version it had")
    func failingStep() async throws {
        let file = try await Self.storeFile()
        let broken =
            Self.longer.dropLast() + [
                Migrator.Step(
                    version: Int64(Migrator.steps.count + 2),
                    scripts: ["UPDATE added SET name = 'lost'", "INSERT INTO nowhere VALUES (1)"],
                    stamp: "PRAGMA user_version = 6;")
            ]
        #expect(throws: SQLiteError.self) { try Self.migrate(file, Array(broken)) }
        #expect(try Migrator.version(of: file) == Migrator.steps.last?.version)
        #expect(try file.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'added'") == 0)
    }

    @Test("deliveries of before there were runs are listed, counted and followed as ever")
    func runs() async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let store = try await SQLiteStores.open(path)
        let producer = try #require(try await store.createProducer(name: "mail"))
        func deliver(by store: SQLiteHomeStore) async throws {
            let post = NotificationPost(
                producer: producer, recipients: ["ann"], category: "mail", title: "title", body: "body", data: [],
                series: nil, alert: .visible, ttlSeconds: nil, idempotency: nil)
            guard case .accepted = try await store.accept(post) else { throw StoreError(.programming) }
        }
        for _ in 0..<3 { try await deliver(by: store) }
        // Somebody who works on the old layout must not be left behind.
        let file = try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 0)
        try SQLiteStores.takeBack(file, to: 2)
        await #expect(throws: StoreError(.busy)) { _ = try await Self.open(path) }
        await store.close()
        var options = StoreOptions()
        options.deliveriesPerRun = 1
        let later = try await SQLiteStores.open(path, options: options)
        try await deliver(by: later)
        let ann = try await later.profile("ann", of: producer)
        let numbers = try await later.deliveries(of: ann, before: nil, limit: 9).map(\.row.number)
        #expect(numbers.count == 4 && numbers.dropFirst() == [3, 2, 1])
        guard case .page(let changes, _, _, let unread, _) = try await later.changes(of: ann, since: nil, limit: 9)
        else { throw StoreError(.programming) }
        #expect(changes.map(\.number) == numbers.reversed() && unread == 4)
        await later.close()
        #expect(try file.integer("SELECT count(*) FROM delivery_run") == 2)
    }

    @Test("the program of before refuses the file of a later version and leaves it alone")
    func downgrade() async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        try Self.migrate(try await Self.storeFile(), Self.longer)
        await #expect(throws: StoreError(.newerSchema)) { _ = try await Self.open(path) }
        let file = try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 0)
        #expect(try file.integer("PRAGMA user_version") == Self.longer.last?.version)
    }
}
