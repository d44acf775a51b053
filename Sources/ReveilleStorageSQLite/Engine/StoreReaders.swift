internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage

/// The readers of a store: a few connections with a thread each, which see what was committed last and hinder nobody.
final class StoreReaders: Sendable {
    /// Connections that read.
    private static let count = 2

    private struct State {
        var waiting = 0
        var next = 0
        var isClosed = false
    }

    private let readers: [StoreReader]
    private let state = Locked(State())
    private let maximumWaiting: Int

    init(_ environment: StoreEnvironment) {
        maximumWaiting = environment.options.maximumQueuedReads
        readers = (0..<Self.count).map { _ in
            StoreReader(thread: WorkerThread(name: "store-read"), environment: environment)
        }
    }

    /// Runs `body` on a reader's thread, inside a transaction that sees one state of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let chosen: Result<Int, StoreError> = state.withLock { state in
            if state.isClosed { return .failure(StoreError(.closed)) }
            if state.waiting >= maximumWaiting { return .failure(StoreError(.overloaded)) }
            state.waiting += 1
            state.next = (state.next + 1) % Self.count
            return .success(state.next)
        }
        let index = try chosen.get()
        defer { state.withLock { $0.waiting -= 1 } }
        return try await readers[index].read(body).get()
    }

    /// Finishes what waits, closes the connections and ends the threads.
    func finish() async {
        state.withLock { $0.isClosed = true }
        for reader in readers { await reader.finish() }
    }
}

/// What a reading operation works with; confined to its reader's thread.
final class ReadSession {
    let connection: SQLiteConnection
    let statements: StatementCache
    let lanes: LaneDirectory
    let sealer: Sealer
    let environment: StoreEnvironment

    init(connection: SQLiteConnection, environment: StoreEnvironment) {
        self.connection = connection
        self.environment = environment
        statements = StatementCache(connection)
        lanes = LaneDirectory(statements)
        sealer = environment.makeSealer()
    }

    /// Both clocks now.
    var clock: StoreClock.Reading { environment.clock.read() }
}

/// One reading connection and its thread.
private actor StoreReader {
    private nonisolated let thread: WorkerThread
    private nonisolated let environment: StoreEnvironment
    private var session: ReadSession?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(thread: WorkerThread, environment: StoreEnvironment) {
        self.thread = thread
        self.environment = environment
    }

    func read<Value: Sendable>(_ body: @Sendable (ReadSession) throws -> Value) -> Result<Value, StoreError> {
        do {
            try environment.files.check()
            let session = try openSession()
            do {
                return .success(try inTransaction(session, body))
            } catch let error as StoreError where error.code == .unreadableValue {
                // Sealed, perhaps, under a key that another process has made the store's since.
                guard try KeyFollowing(environment).followAfterUnreadableValue(session.connection) else { throw error }
                return .success(try inTransaction(session, body))
            }
        } catch {
            let error = StoreError(anything: error)
            if error.concernsFile { session = nil }
            return .failure(error)
        }
    }

    private func inTransaction<Value>(
        _ session: ReadSession, _ body: (ReadSession) throws -> Value
    ) throws -> Value {
        try session.statements["BEGIN"].run()
        do {
            let value = try body(session)
            try session.statements["COMMIT"].run()
            return value
        } catch {
            // A read transaction holds nothing that could be lost.
            try? session.statements["ROLLBACK"].run()
            throw error
        }
    }

    private func openSession() throws -> ReadSession {
        if let session { return session }
        let connection = try StoreConnection.open(environment, for: .reading)
        let opened = ReadSession(connection: connection, environment: environment)
        session = opened
        return opened
    }

    private func close() {
        session = nil
    }

    nonisolated func finish() async {
        await close()
        thread.stop()
    }
}
