import Glibc
import ReveilleRuntime
import ReveilleSQLite
import ReveilleTesting
import Testing

@Suite("Connections tell what is wrong with their file", .temporaryDirectory)
struct ConnectionTests {
    @Test("a file that does not exist is opened only to be made")
    func missingFile() {
        let database = Database()
        #expect(sqliteError { _ = try database.open(.readWrite) }?.kind == .cannotOpen)
        #expect(sqliteError { _ = try database.open(.readOnly) }?.kind == .cannotOpen)
        #expect(sqliteError { _ = try database.open(.create) } == nil)
    }

    @Test("a file that is no database is corrupt")
    func corruptFile() throws {
        let database = Database()
        do {
            let connection = try database.open()
            try connection.execute("CREATE TABLE t (i INTEGER) STRICT; INSERT INTO t VALUES (1);")
            try connection.truncateLog()
        }
        let file = open(database.path, O_RDWR)
        let noise = [UInt8](repeating: 0xA5, count: 4_096)
        #expect(pwrite(file, noise, noise.count, 0) == noise.count)
        close(file)
        let error = sqliteError {
            let connection = try SQLiteConnection(path: database.path, access: .readWrite, busyMilliseconds: 0)
            _ = try connection.integer("SELECT i FROM t")
        }
        #expect(error?.kind == .corrupt)
    }

    @Test("a connection for reading does not write")
    func readOnly() throws {
        let database = Database()
        try database.open().execute("CREATE TABLE t (i INTEGER) STRICT")
        let reader = try database.open(.readOnly)
        #expect(reader.isReadOnly)
        #expect(sqliteError { try reader.execute("INSERT INTO t VALUES (1)") }?.kind == .readOnly)
    }

    @Test("an error says nothing of statement and values")
    func errorsAreSilent() throws {
        let connection = try Database().open()
        try connection.execute("CREATE TABLE t (secret TEXT PRIMARY KEY) STRICT; INSERT INTO t VALUES ('canary');")
        let error = try #require(sqliteError { try connection.execute("INSERT INTO t VALUES ('canary')") })
        #expect(!error.description.contains("canary") && !error.description.contains("secret"))
        #expect(error.description.contains("\(error.extendedCode)"))
    }

    @Test("a wrong statement is an error of the program")
    func wrongStatement() throws {
        let connection = try Database().open()
        #expect(sqliteError { _ = try connection.prepare("SELECT nothing FROM nowhere") }?.kind == .other)
    }

    @Test("the owner learns how long the log is after each commit, and copies it itself")
    func logIsReported() throws {
        let connection = try Database().open()
        var reported: [Int] = []
        connection.onCommit { reported.append($0) }
        try connection.execute("CREATE TABLE t (i INTEGER) STRICT")
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(reported.count == 2 && reported[1] > reported[0] && reported[0] > 0)
        let checkpoint = try connection.checkpoint()
        #expect(checkpoint.frames == reported[1] && checkpoint.copied == reported[1])
        try connection.truncateLog()
        try connection.execute("INSERT INTO t VALUES (2)")
        #expect(reported[2] < reported[1])
    }
}

/// Case 131: a transaction that began with reading cannot always go on to write.
@Suite("Writers of one file wait for each other", .temporaryDirectory)
struct WaitingTests {
    private func prepare() throws -> Database {
        let database = Database()
        try database.open().execute("CREATE TABLE outbox (id INTEGER PRIMARY KEY, state TEXT) STRICT")
        return database
    }

    @Test("a deferred transaction that read before another wrote is refused at once")
    func deferredUpgradeFails() throws {
        let database = try prepare()
        let first = try database.open(.readWrite, busyMilliseconds: 30_000)
        let second = try database.open(.readWrite, busyMilliseconds: 30_000)
        try first.execute("BEGIN")
        #expect(try first.integer("SELECT count(*) FROM outbox") == 0)
        try second.execute("BEGIN IMMEDIATE; INSERT INTO outbox (id) VALUES (2); COMMIT;")
        let error = sqliteError { try first.execute("UPDATE outbox SET state = 'x' WHERE id = 1") }
        #expect(error?.kind == .busy)
    }

    @Test("a transaction that takes the lock at its start waits for it and succeeds")
    func immediateWaits() async throws {
        let database = try prepare()
        let holder = try database.open(.readWrite)
        try holder.execute("BEGIN IMMEDIATE; INSERT INTO outbox (id) VALUES (2);")
        let thread = WorkerThread(name: "waiting")
        defer { thread.stop() }
        let started = Signal()
        let isWaiting = Locked(false)
        async let waited: Bool = thread.run {
            let connection = try database.open(.readWrite, busyMilliseconds: 30_000)
            isWaiting.withLock { $0 = true }
            started.send()
            try connection.execute("BEGIN IMMEDIATE; UPDATE outbox SET state = 'x'; COMMIT;")
            return true
        }
        _ = try await started.wait { isWaiting.withLock { $0 } ? true : nil }
        try holder.execute("COMMIT")
        #expect(try await waited)
        #expect(try holder.text("SELECT state FROM outbox WHERE id = 2") == "x")
    }

    @Test("without time to wait the lock of another is reported as busy")
    func busyIsReported() throws {
        let database = try prepare()
        let holder = try database.open(.readWrite)
        try holder.execute("BEGIN IMMEDIATE")
        let other = try database.open(.readWrite)
        #expect(sqliteError { try other.execute("BEGIN IMMEDIATE") }?.kind == .busy)
        #expect(!other.isInTransaction)
    }
}
