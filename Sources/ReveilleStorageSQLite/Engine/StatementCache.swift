internal import ReveilleSQLite

/// The compiled statements of one connection, by the address of their text in the program.
final class StatementCache {
    private let connection: SQLiteConnection
    private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// The statement of a constant text, compiled at its first use.
    subscript(_ text: StaticString) -> SQLiteStatement {
        get throws {
            if let statement = statements[text.utf8Start] { return statement }
            let statement = try connection.prepare(text)
            statements[text.utf8Start] = statement
            return statement
        }
    }
}
