import ReveilleSQLite
import ReveilleTesting
import Testing

@Suite("Statements carry values both ways", .temporaryDirectory)
struct StatementTests {
    @Test("every kind of value comes back as it went in")
    func valuesSurvive() throws {
        let connection = try Database().open()
        try connection.execute("CREATE TABLE t (i INTEGER, s TEXT, b BLOB) STRICT")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
        let integers: [Int64] = [0, 1, -1, .max, .min]
        let texts = ["", "ä ö 😀", "with\u{0}zero", String(repeating: "x", count: 100_000)]
        let blobs: [[UInt8]] = [[], [0], Array(0...255), [UInt8](repeating: 7, count: 70_000)]
        for integer in integers {
            for text in texts {
                for blob in blobs {
                    insert.bind(1, integer)
                    insert.bind(2, text)
                    insert.bind(3, blob)
                    try insert.run()
                }
            }
        }
        let rows = try connection.prepare("SELECT i, s, b FROM t ORDER BY rowid")
            .map { ($0.integer(0), $0.text(1), $0.bytes(2)) }
        var index = 0
        for integer in integers {
            for text in texts {
                for blob in blobs {
                    #expect(rows[index] == (integer, text, blob))
                    index += 1
                }
            }
        }
    }

    @Test("NULL is told apart from zero and empty")
    func nullIsNotEmpty() throws {
        let connection = try Database().open()
        try connection.execute("CREATE TABLE t (i INTEGER, s TEXT, b BLOB) STRICT")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
        insert.bind(1, Int64?.none)
        insert.bind(2, String?.none)
        insert.bind(3, [UInt8]?.none)
        try insert.run()
        insert.bind(1, 0 as Int64?)
        insert.bind(2, "" as String?)
        insert.bind(3, [] as [UInt8]?)
        try insert.run()
        let rows = try connection.prepare("SELECT i, s, b FROM t ORDER BY rowid")
            .map { ($0.optionalInteger(0), $0.optionalText(1), $0.optionalBytes(2)) }
        #expect(rows[0] == (nil, nil, nil))
        #expect(rows[1] == (0, "", []))
    }

    @Test("a statement can be used again after it failed and after its rows were left unread")
    func statementsAreReset() throws {
        let connection = try Database().open()
        try connection.execute("CREATE TABLE t (i INTEGER PRIMARY KEY) STRICT")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
        for number in [1, 2, 3] as [Int64] {
            insert.bind(1, number)
            try insert.run()
        }
        let error = sqliteError { try insert.run() }
        #expect(error?.kind == .constraint)
        insert.bind(1, 4 as Int64)
        try insert.run()
        let select = try connection.prepare("SELECT i FROM t ORDER BY i")
        #expect(try select.first { $0.integer(0) } == 1)
        #expect(try select.first { $0.integer(0) } == 1)
        // Nothing is left open that would keep the transaction from ending.
        try connection.execute("BEGIN IMMEDIATE")
        try connection.execute("COMMIT")
    }

    @Test("changed rows are counted")
    func changesAreCounted() throws {
        let connection = try Database().open()
        try connection.execute("CREATE TABLE t (i INTEGER PRIMARY KEY, n INTEGER) STRICT")
        try connection.execute("INSERT INTO t VALUES (1, 0), (2, 0), (3, 1)")
        let update = try connection.prepare("UPDATE t SET n = 5 WHERE n = ?1")
        update.bind(1, 0 as Int64)
        #expect(try update.runCountingChanges() == 2)
        #expect(try update.runCountingChanges() == 0)
        #expect(connection.totalChanges == 5)
    }

    @Test("an error that a reader of rows throws reaches the caller, and the statement stays usable")
    func readersMayThrow() throws {
        struct Refusal: Error {}
        let connection = try Database().open()
        let select = try connection.prepare("SELECT 1 UNION SELECT 2")
        #expect(throws: Refusal.self) { try select.forEach { _ in throw Refusal() } }
        #expect(try select.map { $0.integer(0) } == [1, 2])
    }
}
