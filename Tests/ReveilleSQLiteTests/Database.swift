import ReveilleSQLite
import ReveilleTesting

/// The database file of one test.
struct Database {
    let path: String
    var faults: FaultInjectingVFS?

    /// A new file in the running test's directory.
    init(faults: FaultInjectingVFS? = nil) {
        path = TemporaryDirectory.current?.file("test.db") ?? "/nonexistent/test.db"
        self.faults = faults
    }

    /// Opens one more connection to it, with a write-ahead log.
    func open(
        _ access: SQLiteConnection.Access = .create, busyMilliseconds: Int32 = 0
    ) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: path, access: access, busyMilliseconds: busyMilliseconds, faults: faults)
        if access == .create { _ = try connection.text("PRAGMA journal_mode = WAL") }
        return connection
    }
}

/// What a body throws, as an error of SQLite.
func sqliteError(_ body: () throws -> Void) -> SQLiteError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SQLiteError
    }
}
