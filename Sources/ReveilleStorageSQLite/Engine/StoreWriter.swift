internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage
internal import ReveilleTelemetry

/// The one writer of this process: a thread with a connection, which puts as many callers as wait into each commit.
///
/// A caller is answered after the commit that holds its work is on disk. An operation that fails is taken out and the others
/// of its transaction run again without it, so no savepoint is needed; when the commit itself fails, nobody's work happened.
actor StoreWriter {
    /// The longest a transaction takes operations in, so that a commit never waits long for the next.
    static let longestBatch = Duration.milliseconds(10)
    /// The most operations of a transaction.
    static let largestBatch = 1_024

    private nonisolated let thread: WorkerThread
    private nonisolated let queue: WriteQueue
    private nonisolated let environment: StoreEnvironment
    private nonisolated let checkpointer: LogCheckpointer

    /// Open as long as the store, so that the log never goes by itself (``StoreFiles``).
    private var anchor: SQLiteConnection?
    private var transaction: WriteTransaction?
    private var intake: (any LaneIntake)?
    private var pending: [QueuedWrite] = []
    private var done: [QueuedWrite] = []
    private var completions: [QueuedWrite.Completion] = []
    private var logFrames = 0
    /// What the last transaction failed with, so that a lasting trouble is logged once.
    private var trouble: StoreError.Code?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(thread: WorkerThread, environment: StoreEnvironment, checkpointer: LogCheckpointer) {
        self.thread = thread
        self.environment = environment
        self.checkpointer = checkpointer
        queue = WriteQueue(
            maximumOperations: environment.options.maximumQueuedOperations,
            maximumRows: environment.options.maximumQueuedRows)
    }

    // MARK: Callers

    /// Runs `body` inside a transaction and returns what it returned once that is on disk.
    ///
    /// `body` may run more than once, and must have no effect outside of the transaction but through its effects.
    nonisolated func write<Value: Sendable>(
        rows: Int = 1, precedence: QueuedWrite.Precedence = .ordinary,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            put(
                QueuedWrite(
                    precedence: precedence, rows: rows,
                    attempt: { transaction in
                        let value = try body(transaction)
                        return { error in
                            continuation.resume(returning: error.map { .failure($0) } ?? .success(value))
                        }
                    },
                    refuse: { continuation.resume(returning: .failure($0)) }))
        }
        return try result.get()
    }

    /// Writes something small, and makes sure that an ordinary post would find room too.
    ///
    /// - Throws: what such a post would be refused with.
    nonisolated func probe() async throws(StoreError) {
        try await write { transaction in
            try transaction.statements["UPDATE meta SET probes = probes + 1"].run()
            let frames = self.assumeIsolated { $0.logFrames }
            try LogRoom.reserve(behind: frames, of: self.environment.path)
        }
    }

    private nonisolated func put(_ write: QueuedWrite) {
        switch queue.put(write) {
        case .queued: break
        case .callWriter: thread.submit { self.assumeIsolated { $0.drain() } }
        case .refused(let error): write.refuse(error)
        }
    }

    /// Sets who is told of wakes.
    func attach(_ intake: any LaneIntake) {
        self.intake = intake
        transaction?.intake = intake
    }

    /// Opens the connection now, so that the first caller does not wait for it.
    func open() throws {
        anchor = try StoreConnection.open(environment, for: .anchor)
        try environment.files.remember()
        _ = try openTransaction()
    }

    /// Finishes what is queued and refuses the rest.
    func finish() {
        queue.close()
        drain()
        intake = nil
        transaction?.intake = nil
    }

    /// Closes the connection.
    func close() {
        transaction = nil
        anchor = nil
    }

    // MARK: The thread

    private func drain() {
        while true {
            pending = queue.takeAll()
            guard !pending.isEmpty else { return }
            while !pending.isEmpty { runBatch() }
        }
    }

    /// Runs operations from the front of `pending` in one transaction; takes at least one out of it.
    private func runBatch() {
        // What callers gave is theirs alone again, also when nobody writes for long: it may hold this writer, and what they posted.
        defer {
            completions.removeAll(keepingCapacity: true)
            done.removeAll(keepingCapacity: true)
        }
        let transaction: WriteTransaction
        do {
            try environment.files.check()
            transaction = try openTransaction()
            try transaction.begin()
            pending.insert(contentsOf: queue.takeFinishing(), at: 0)
        } catch {
            // Not even begun: everybody who waits would wait in vain.
            done = pending
            pending.removeAll(keepingCapacity: true)
            return refuseAll(StoreError(anything: error))
        }
        if let error = runOperations(in: transaction) {
            // The file's trouble is everybody's; the operation's own is only its own, and the rest runs anew.
            if error.concernsFile { return refuseAll(error) }
            transaction.rollBack()
            pending.insert(contentsOf: done, at: 0)
            return reopen(after: error)
        }
        do {
            try transaction.commit()
            // What was written into a file that nobody finds again is not on disk.
            try environment.files.check()
        } catch {
            return refuseAll(StoreError(anything: error))
        }
        transaction.applyEffects()
        // Said before anybody is answered, so that who looks into the log then finds it.
        noteEnd(of: nil)
        for completion in completions { completion(nil) }
        followLog()
    }

    /// Runs operations until none waits, the time is over or one fails, whose error it returns.
    ///
    /// However long those take that go first, one of the others has its turn.
    private func runOperations(in transaction: WriteTransaction) -> StoreError? {
        let end = environment.clock.steady.now() + Self.longestBatch
        var taken = 0
        defer { pending.removeFirst(taken) }
        while done.count < Self.largestBatch {
            if taken == pending.count {
                pending.append(contentsOf: queue.takeMore())
                if taken == pending.count { return nil }
            }
            let write = pending[taken]
            taken += 1
            do {
                completions.append(try write.attempt(transaction))
                done.append(write)
            } catch {
                let error = StoreError(anything: error)
                write.refuse(error)
                return error
            }
            if write.precedence == .ordinary, environment.clock.steady.now() >= end { return nil }
        }
        return nil
    }

    /// Ends a transaction that came to nothing for all who were part of it.
    private func refuseAll(_ error: StoreError) {
        transaction?.rollBack()
        for write in done { write.refuse(error) }
        noteEnd(of: error)
        reopen(after: error)
    }

    /// Logs where trouble begins, changes and ends.
    private func noteEnd(of error: StoreError?) {
        guard error?.code != trouble else { return }
        // On a full disk what is small still finds room now and then; the trouble ends when a post does.
        if error == nil, trouble == .full, !hasRoom { return }
        trouble = error?.code
        guard let error else { return environment.log.notice("the store takes writes again") }
        switch error.code {
        case .fileMissing:
            environment.log.error(
                "the database file was removed or replaced; nothing is accepted until it is back or the server starts anew",
                ["code": .code(error.code)])
        case .keyRotated:
            environment.log.error(
                "the master key was rotated and the key file lacks the new one; nothing is accepted until it holds it",
                ["code": .code(error.code)])
        case .full, .busy, .corrupt, .readOnly, .inputOutput, .cannotOpen, .newerSchema, .wrongKey, .unreadableValue,
            .overloaded, .closed, .programming:
            environment.log.warning(
                "a transaction failed", ["code": .code(error.code), "engine": .integer(error.engineCode)])
        }
    }

    private var hasRoom: Bool {
        do {
            try LogRoom.reserve(behind: logFrames, of: environment.path)
            return true
        } catch {
            return false
        }
    }

    private func reopen(after error: StoreError) {
        if mustReopen(after: error) { transaction = nil }
    }

    private func mustReopen(after error: StoreError) -> Bool {
        switch error.code {
        case .readOnly, .inputOutput, .cannotOpen, .corrupt, .fileMissing: true
        case .full, .busy, .newerSchema, .wrongKey, .keyRotated, .unreadableValue, .overloaded, .closed, .programming:
            // A transaction that cannot be ended would block every later one.
            transaction?.connection.isInTransaction ?? false
        }
    }

    private func openTransaction() throws -> WriteTransaction {
        if let transaction { return transaction }
        let connection = try StoreConnection.open(environment, for: .writing)
        connection.onCommit { [unowned self] frames in self.assumeIsolated { $0.logFrames = frames } }
        let opened = WriteTransaction(connection: connection, environment: environment)
        opened.intake = intake
        transaction = opened
        return opened
    }

    /// Keeps the write-ahead log within its bounds.
    private func followLog() {
        guard let transaction else { return }
        if checkpointer.mayFinish(frames: logFrames) {
            // What is left is short, and between two transactions of the only writer it can be finished.
            _ = try? transaction.connection.checkpoint()
        }
        checkpointer.logGrew(toFrames: logFrames)
    }
}
