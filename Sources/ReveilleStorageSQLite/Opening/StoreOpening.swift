internal import Glibc
internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage
internal import ReveilleTelemetry

/// Opens the file of a store: makes or migrates it, checks the keys, takes a slot and frees what dead processes leased.
struct StoreOpening {
    /// Attempts at what several starting processes may hinder each other in.
    private static let attempts = 50

    let path: String
    let masterKeys: MasterKeys
    let apps: AppRegistry
    let options: StoreOptions
    let clock: any WallClock
    let steady: any MonotonicClock
    let random: any RandomSource
    let log: Log

    /// What an open store consists of besides its threads.
    struct Opened {
        let environment: StoreEnvironment
        let slot: ProcessSlot
    }

    /// Whether the file is missing or empty, so that a master key may be made for it.
    ///
    /// - Throws: `fileMissing` when there was a store, of which the file is gone or emptied.
    static func isEmpty(_ path: String) throws -> Bool {
        try StoreTraces.checkBareFile(path)
        guard access(path, F_OK) == 0 else { return true }
        let hadSlots = StoreTraces.hasSlots(path)
        let connection = try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 5_000)
        let version = try Migrator.version(of: connection)
        try StoreTraces.checkVersion(version, hadSlots: hadSlots)
        return version == 0
    }

    func run() throws -> Opened {
        try StoreTraces.checkBareFile(path)
        try makeFile()
        let hadSlots = StoreTraces.hasSlots(path)
        let connection = try SQLiteConnection(
            path: path, access: .readWrite, busyMilliseconds: options.busyMilliseconds, faults: options.faults)
        // The version is looked at first, so that a newer or foreign file is not touched.
        try StoreTraces.checkVersion(try Migrator.version(of: connection), hadSlots: hadSlots)
        try StoreConnection.configure(connection, for: .writing)
        try useWriteAheadLog(connection)
        let boot = BootIdentity.current()
        let storeClock = StoreClock(wall: clock, steady: steady)
        let (keys, isNew) = try inTransaction(connection) {
            let isNew = try Migrator.version(of: connection) == 0
            // A process of an older version would go on with the layout that it knows.
            if try Migrator.isBehind(connection), ProcessSlot.someIsAlive(of: path) { throw StoreError(.busy) }
            try Migrator.migrate(connection)
            try insertFirstRows(connection)
            let keys = try KeyRegistry.match(
                masterKeys, in: connection, mayIntroduce: mayIntroduceKey, now: clock.now().milliseconds)
            return (LiveKeys(keys), isNew)
        }
        let sealer = Sealer(keys: keys, clock: clock, random: random)
        let (secrets, slotNumber) = try inTransaction(connection) {
            if !isNew { try RowNumbers.moveAhead(connection, random: random) }
            return (
                try SecretShelf.read(connection, sealer, random: random), try takeSlotNumber(connection, boot: boot)
            )
        }
        let slot = try ProcessSlot(slotNumber, of: path)
        ProcessSlot.sweep(path)
        try inTransaction(connection) { try freeDeadLeases(connection, boot: boot) }
        let storeID = try connection.prepare("SELECT store_id FROM meta").first { $0.bytes(0) } ?? []
        let environment = StoreEnvironment(
            path: path, files: StoreFiles(path), options: options, apps: apps, keys: keys, secrets: secrets,
            clock: storeClock, random: random,
            log: log, storeID: storeID, slot: slotNumber, boot: boot)
        return Opened(environment: environment, slot: slot)
    }

    private var mayIntroduceKey: Bool {
        switch options.keyIntroduction {
        case .always: true
        case .whenAlone: !ProcessSlot.someIsAlive(of: path)
        }
    }

    /// Makes the file readable for its owner only, before SQLite would make it for everybody.
    private func makeFile() throws {
        if access(path, F_OK) == 0 {
            // Not opened to find out: closing it again would drop the locks that this process may hold on it.
            guard access(path, R_OK | W_OK) == 0 else { throw StoreError(.readOnly) }
            return
        }
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(SystemTrouble.isFull(errno) ? .full : .cannotOpen) }
        close(descriptor)
    }

    private func useWriteAheadLog(_ connection: SQLiteConnection) throws {
        for attempt in 1...Self.attempts {
            do {
                guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else { throw StoreError(.cannotOpen) }
                return
            } catch let error as SQLiteError where error.kind == .busy && attempt < Self.attempts {
                // Another process switches the same new file; SQLite does not wait for that by itself.
                poll(nil, 0, 20)
            }
        }
    }

    private func inTransaction<Value>(_ connection: SQLiteConnection, _ body: () throws -> Value) throws -> Value {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try connection.execute("COMMIT")
            return value
        } catch {
            // The error that led here is the one to tell.
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private func insertFirstRows(_ connection: SQLiteConnection) throws {
        let meta = try connection.prepare(
            "INSERT INTO meta (id, store_id, epoch, created_at) VALUES (1, ?1, 1, ?2) ON CONFLICT DO NOTHING")
        meta.bind(1, random.bytes(16))
        meta.bind(2, clock.now().milliseconds)
        try meta.run()
        try connection.execute(
            "INSERT INTO sequence (id, change, notification, wake) VALUES (1, 0, 0, 0) ON CONFLICT DO NOTHING")
        // Before the first change, and for all changes of a file from before epochs were told apart.
        try connection.execute(
            "INSERT INTO epoch (after, value) SELECT -1, epoch FROM meta WHERE NOT EXISTS (SELECT 1 FROM epoch)")
    }

    private func takeSlotNumber(_ connection: SQLiteConnection, boot: Int64) throws -> Int64 {
        // Numbers come from AUTOINCREMENT; the rows themselves are of no further use.
        try connection.execute("DELETE FROM slot")
        let insert = try connection.prepare("INSERT INTO slot (boot, started_at) VALUES (?1, ?2)")
        insert.bind(1, boot)
        insert.bind(2, clock.now().milliseconds)
        try insert.run()
        return connection.lastInsertedRow
    }

    /// Voids the leases of earlier boots and of processes that are gone; they may have sent, so they are never merged again; no try
    /// failed, so none is counted.
    private func freeDeadLeases(_ connection: SQLiteConnection, boot: Int64) throws {
        let holders = try connection.prepare(
            "SELECT DISTINCT lease_slot, lease_boot FROM wake INDEXED BY wake_leased WHERE state = 1"
        ).map { (slot: $0.integer(0), boot: $0.integer(1)) }
        let free = try connection.prepare(
            """
            UPDATE wake INDEXED BY wake_leased SET state = 0, due_at = ?3, lease_token = NULL, lease_slot = NULL,
              lease_boot = NULL, lease_until = NULL, last_outcome = ?4
            WHERE state = 1 AND lease_slot = ?1 AND lease_boot = ?2
            """)
        for holder in holders where holder.boot != boot || !ProcessSlot.isAlive(holder.slot, of: path) {
            free.bind(1, holder.slot)
            free.bind(2, holder.boot)
            free.bind(3, clock.now().milliseconds)
            free.bind(4, StoredOutcome.leaseEnded.rawValue)
            try free.run()
        }
    }
}
