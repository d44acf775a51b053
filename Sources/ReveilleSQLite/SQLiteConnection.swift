internal import CSQLite

/// One connection to one database file, used by one thread at a time.
///
/// Opened with SQLite's own mutexes off and with a private cache: whoever owns the connection keeps it on one thread, which
/// the compiler helps with, since the type is not Sendable. The handle is closed with the last reference.
package final class SQLiteConnection {
    /// What a connection may do with its file.
    package enum Access: Sendable {
        /// Reads and writes; makes the file when it does not exist.
        case create
        /// Reads and writes a file that exists.
        case readWrite
        /// Reads only.
        case readOnly

        fileprivate var flags: Int32 {
            switch self {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        }
    }

    /// How far a checkpoint came.
    package struct Checkpoint: Hashable, Sendable {
        /// Frames in the write-ahead log.
        package let frames: Int
        /// Frames of them that the database file holds now.
        package let copied: Int
    }

    /// Set before the library starts with the first connection; done once.
    private static let librarySettings = reveille_sqlite_forgo_statistics()

    let handle: OpaquePointer
    private var logListener: ((Int) -> Void)?
    private let faults: FaultInjectingVFS?

    /// Opens `path`.
    ///
    /// - Parameters:
    ///   - access: what may be done with the file.
    ///   - busyMilliseconds: how long a statement waits for the lock of another connection.
    ///   - faults: a file system that fails on request, for tests.
    package init(
        path: String, access: Access, busyMilliseconds: Int32, faults: FaultInjectingVFS? = nil
    ) throws(SQLiteError) {
        // A program that used the library before keeps its own settings; nothing but speed depends on them.
        _ = Self.librarySettings
        var opened: OpaquePointer?
        let flags = access.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        let result = sqlite3_open_v2(path, &opened, flags, faults?.name)
        guard result == SQLITE_OK, let opened else {
            let error = SQLiteError(result == SQLITE_OK ? SQLITE_NOMEM : result, on: opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        self.faults = faults
        sqlite3_busy_timeout(opened, busyMilliseconds)
        faults?.watchCommits(of: opened)
    }

    deinit {
        // With statements alive the handle stays until they are gone, so the order of their ends does not matter.
        sqlite3_close_v2(handle)
    }

    /// True when the file could only be opened for reading, whatever was asked for.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// True between BEGIN and COMMIT or ROLLBACK; some errors end a transaction by themselves.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// How many rows were changed since the connection was opened.
    package var totalChanges: Int64 { sqlite3_total_changes64(handle) }

    /// The row number that the last INSERT gave.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs a script of constant statements.
    package func execute(_ script: StaticString) throws(SQLiteError) {
        let result = script.withUTF8Buffer { text in
            // A static string ends with a zero octet.
            sqlite3_exec(handle, UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self), nil, nil, nil)
        }
        try SQLiteError.check(result, on: handle)
    }

    /// Compiles a constant statement that will be used again and again.
    package func prepare(_ statement: StaticString) throws(SQLiteError) -> SQLiteStatement {
        try SQLiteStatement(statement, on: self)
    }

    /// The first column of the first row of a constant query, 0 when there is none or it is NULL.
    package func integer(_ query: StaticString) throws -> Int64 {
        try prepare(query).first { $0.integer(0) } ?? 0
    }

    /// The first column of the first row of a constant query, empty when there is none or it is NULL.
    package func text(_ query: StaticString) throws -> String {
        try prepare(query).first { $0.text(0) } ?? ""
    }

    /// Copies what it can of the write-ahead log into the file without waiting for anybody (a passive checkpoint).
    package func checkpoint() throws(SQLiteError) -> Checkpoint {
        var frames: Int32 = 0
        var copied: Int32 = 0
        try SQLiteError.check(
            sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied), on: handle)
        return Checkpoint(frames: Int(frames), copied: Int(copied))
    }

    /// Copies the whole write-ahead log into the file and empties it, waiting for readers and writers up to the busy timeout.
    package func truncateLog() throws(SQLiteError) {
        try SQLiteError.check(
            sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil), on: handle)
    }

    /// Leaves checkpoints to the owner and tells it, after each commit of this connection, how many frames the log holds.
    package func onCommit(_ listener: @escaping (_ frames: Int) -> Void) {
        logListener = listener
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
                connection.logListener?(Int(frames))
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
