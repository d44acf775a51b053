internal import CSQLite

/// The library behind this gate.
package enum SQLiteLibrary {
    /// Its version, as it says itself.
    package static var version: String { String(cString: sqlite3_libversion()) }
}
