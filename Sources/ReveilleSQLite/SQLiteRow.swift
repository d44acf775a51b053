internal import CSQLite

/// The present row of a running statement; valid only inside the closure that it is lent to.
///
/// Columns are numbered from 0.
package struct SQLiteRow {
    let statement: OpaquePointer

    init(statement: OpaquePointer) {
        self.statement = statement
    }

    /// True when the column is NULL.
    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    /// An integer; 0 for NULL.
    package func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(statement, column)
    }

    /// An integer, or nil for NULL.
    package func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : sqlite3_column_int64(statement, column)
    }

    /// True when the integer is not 0.
    package func boolean(_ column: Int32) -> Bool {
        sqlite3_column_int64(statement, column) != 0
    }

    /// A text; empty for NULL.
    package func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A text, or nil for NULL.
    package func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// Octets; empty for NULL.
    package func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { [UInt8]($0) }
    }

    /// Octets, or nil for NULL.
    package func optionalBytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }

    /// Lends the octets of a column.
    package func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(statement, column)
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
        return body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
