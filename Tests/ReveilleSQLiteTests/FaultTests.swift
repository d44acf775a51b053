import ReveilleSQLite
import ReveilleTesting
import Testing

@Suite("The failing file system fails as it is told", .temporaryDirectory)
struct FaultTests {
    private static func prepare(_ database: Database) throws {
        let connection = try database.open()
        try connection.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, filling BLOB) STRICT")
    }

    /// One step after the other fails once: what was committed stays, what was not is wholly absent, and the file is sound.
    @Test("a step that fails leaves a sound file with all that was committed")
    func everyStepFailsOnce() throws {
        let faults = FaultInjectingVFS()
        let database = Database(faults: faults)
        try Self.prepare(database)
        var number: Int64 = 0
        var acknowledged: Set<Int64> = []
        var step = 0
        var untouched = false
        while !untouched {
            step += 1
            try #require(step < 1_000)
            faults.fail(step: step)
            do {
                let connection = try database.open(.readWrite)
                let insert = try connection.prepare("INSERT INTO t VALUES (?1, zeroblob(9000))")
                for _ in 0..<3 {
                    number += 1
                    insert.bind(1, number)
                    try insert.run()
                    acknowledged.insert(number)
                }
                try connection.truncateLog()
            } catch {
                #expect(error is SQLiteError)
            }
            untouched = !faults.hasFailed
            faults.relent()
            let check = try database.open(.readWrite)
            #expect(try check.text("PRAGMA integrity_check") == "ok")
            let present = Set(try check.prepare("SELECT i FROM t WHERE length(filling) = 9000").map { $0.integer(0) })
            #expect(present.isSuperset(of: acknowledged))
            #expect(Int64(present.count) == (try check.integer("SELECT count(*) FROM t")))
        }
        #expect(step > 10)
    }

    @Test("a full disk is reported as full, and there is room again when there is")
    func fullDisk() throws {
        let faults = FaultInjectingVFS()
        let database = Database(faults: faults)
        try Self.prepare(database)
        let connection = try database.open(.readWrite)
        faults.setFull(true)
        #expect(sqliteError { try connection.execute("INSERT INTO t VALUES (1, x'00')") }?.kind == .full)
        #expect(!connection.isInTransaction)
        faults.setFull(false)
        try connection.execute("INSERT INTO t VALUES (1, x'00')")
        #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    }

    @Test("a commit that is refused undoes its transaction")
    func refusedCommit() throws {
        let faults = FaultInjectingVFS()
        let database = Database(faults: faults)
        try Self.prepare(database)
        let connection = try database.open(.readWrite)
        try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1, x'00');")
        faults.fail(step: 1)
        #expect(sqliteError { try connection.execute("COMMIT") }?.kind == .constraint)
        #expect(faults.hasFailed)
        if connection.isInTransaction { try connection.execute("ROLLBACK") }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test("a file that cannot be opened is reported")
    func refusedOpening() throws {
        let faults = FaultInjectingVFS()
        let database = Database(faults: faults)
        try Self.prepare(database)
        faults.fail(step: 1)
        #expect(sqliteError { _ = try database.open(.readWrite) }?.kind == .cannotOpen)
    }
}
