internal import CSQLite

/// A compiled statement of one connection, used again and again on the connection's thread.
///
/// Parameters are numbered from 1 and keep their values until they are bound anew. Every way of running a statement leaves
/// it ready for the next one.
package final class SQLiteStatement {
    let handle: OpaquePointer
    private let connection: SQLiteConnection

    init(_ sql: StaticString, on connection: SQLiteConnection) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let result = sql.withUTF8Buffer { text in
            sqlite3_prepare_v3(
                connection.handle, UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self),
                Int32(text.count), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        }
        try SQLiteError.check(result, on: connection.handle)
        guard let prepared else { throw SQLiteError(extendedCode: SQLITE_MISUSE) }
        handle = prepared
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    // MARK: Parameters

    /// Binds an integer.
    package func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }

    /// Binds an integer, or NULL.
    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds a truth as 1 or 0.
    package func bind(_ index: Int32, _ value: Bool) {
        sqlite3_bind_int64(handle, index, value ? 1 : 0)
    }

    /// Binds a text.
    package func bind(_ index: Int32, _ value: String) {
        var value = value
        value.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { characters in
                // SQLite takes a null pointer for NULL; an empty text has an address all the same.
                guard let start = characters.baseAddress else { return bindEmptyText(index) }
                _ = reveille_sqlite_bind_text(handle, index, start, Int32(clamping: characters.count))
            }
        }
    }

    /// Binds a text, or NULL.
    package func bind(_ index: Int32, _ value: String?) {
        if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds octets.
    package func bind(_ index: Int32, _ value: [UInt8]) {
        value.withUnsafeBytes { bind(index, $0) }
    }

    /// Binds octets, or NULL.
    package func bind(_ index: Int32, _ value: [UInt8]?) {
        if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds a copy of octets.
    package func bind(_ index: Int32, _ value: UnsafeRawBufferPointer) {
        _ = reveille_sqlite_bind_blob(handle, index, value.baseAddress, Int32(clamping: value.count))
    }

    private func bindEmptyText(_ index: Int32) {
        _ = reveille_sqlite_bind_text(handle, index, "", 0)
    }

    // MARK: Running

    /// Runs a statement whose rows, if any, do not matter.
    package func run() throws(SQLiteError) {
        var result = sqlite3_step(handle)
        while result == SQLITE_ROW { result = sqlite3_step(handle) }
        // Asked before the statement is reset, which is a call too.
        let error = result == SQLITE_DONE ? nil : SQLiteError(result, on: connection.handle)
        sqlite3_reset(handle)
        if let error { throw error }
    }

    /// Runs a statement and returns how many rows it changed.
    package func runCountingChanges() throws(SQLiteError) -> Int {
        try run()
        return connection.changes
    }

    /// Lends the first row, or returns nil when there is none.
    ///
    /// - Throws: `SQLiteError`, or what `read` throws.
    package func first<Value>(_ read: (SQLiteRow) throws -> Value) throws -> Value? {
        defer { sqlite3_reset(handle) }
        let result = sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return try read(SQLiteRow(statement: handle))
        case SQLITE_DONE: return nil
        default: throw SQLiteError(result, on: connection.handle)
        }
    }

    /// Lends every row in order.
    ///
    /// - Throws: `SQLiteError`, or what `read` throws.
    package func forEach(_ read: (SQLiteRow) throws -> Void) throws {
        defer { sqlite3_reset(handle) }
        var result = sqlite3_step(handle)
        while result == SQLITE_ROW {
            try read(SQLiteRow(statement: handle))
            result = sqlite3_step(handle)
        }
        guard result == SQLITE_DONE else { throw SQLiteError(result, on: connection.handle) }
    }

    /// What `read` makes of every row, in order.
    ///
    /// - Throws: `SQLiteError`, or what `read` throws.
    package func map<Value>(_ read: (SQLiteRow) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try forEach { values.append(try read($0)) }
        return values
    }
}
