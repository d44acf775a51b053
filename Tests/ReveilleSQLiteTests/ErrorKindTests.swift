import Glibc
import ReveilleSQLite
import Testing

@Suite("SQLite's result codes have kinds")
struct ErrorKindTests {
    /// Codes of https://sqlite.org/rescode.html.
    static let rows: [(code: Int32, kind: SQLiteError.Kind)] = [
        (13, .full),
        (5, .busy), (6, .busy),
        // SQLITE_BUSY_RECOVERY, SQLITE_BUSY_SNAPSHOT.
        (261, .busy), (517, .busy),
        // SQLITE_PROTOCOL: a stopped process holds a lock that nobody holds for long.
        (15, .busy),
        (11, .corrupt), (26, .corrupt),
        (8, .readOnly), (3, .readOnly),
        (10, .inputOutput), (1_034, .inputOutput),
        // SQLITE_IOERR_SHMSIZE: the log's index could not grow.
        (4_874, .full),
        (14, .cannotOpen), (19, .constraint), (9, .interrupted), (4, .interrupted),
        (1, .other), (7, .other), (21, .other),
    ]

    @Test("each by its primary code", arguments: rows)
    func kinds(row: (code: Int32, kind: SQLiteError.Kind)) {
        #expect(SQLiteError(extendedCode: row.code).kind == row.kind)
    }

    @Test(
        "what failed for want of room is full, whichever call it was",
        arguments: [(1_034, ENOSPC, .full), (14, EDQUOT, .full), (14, ENOENT, .cannotOpen), (1_034, EIO, .inputOutput)]
            as [(Int32, Int32, SQLiteError.Kind)])
    func wantOfRoom(code: Int32, number: Int32, kind: SQLiteError.Kind) {
        #expect(SQLiteError(extendedCode: code, systemNumber: number).kind == kind)
    }
}
