internal import ReveilleSQLite
internal import ReveilleStorage

/// How connections to the store's file are set up.
enum StoreConnection {
    /// What a connection is for.
    enum Role {
        case writing
        case reading
        case checkpoints
        /// Keeps the files open.
        case anchor
    }

    /// Opens a connection to a store that exists, and makes sure that it is the same store.
    ///
    /// - Throws: `fileMissing` when the file is gone or another one stands in its place.
    static func open(_ environment: StoreEnvironment, for role: Role) throws -> SQLiteConnection {
        // Before SQLite opens it: the shared memory of another database at the same path would be cut under our feet.
        try environment.files.check()
        let connection = try SQLiteConnection(
            path: environment.path, access: .readWrite, busyMilliseconds: environment.options.busyMilliseconds,
            faults: environment.options.faults)
        try configure(connection, for: role)
        let identity = try connection.prepare("SELECT store_id FROM meta").first { $0.bytes(0) }
        guard identity == environment.storeID else { throw StoreError(.fileMissing) }
        return connection
    }

    /// Sets what a connection does not remember by itself (https://sqlite.org/pragma.html).
    static func configure(_ connection: SQLiteConnection, for role: Role) throws {
        // FULL: a commit is on disk when it returns, also in the write-ahead log.
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;")
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 0;")
        switch role {
        case .writing:
            guard !connection.isReadOnly else { throw StoreError(.readOnly) }
            // 32 MB: the inner pages of every index at a million devices, and one large transaction.
            try connection.execute("PRAGMA cache_size = -32768; PRAGMA cache_spill = 8000;")
        case .reading:
            try connection.execute("PRAGMA cache_size = -4096; PRAGMA query_only = ON;")
        case .checkpoints:
            try connection.execute("PRAGMA cache_size = -512;")
        case .anchor:
            try connection.execute("PRAGMA cache_size = -64; PRAGMA query_only = ON;")
        }
    }
}
