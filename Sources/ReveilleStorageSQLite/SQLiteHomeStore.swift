package import ReveilleCore
package import ReveilleRuntime
package import ReveilleStorage
package import ReveilleTelemetry

/// The home server's store in one SQLite file: one writer with group commit, readers beside it, checkpoints on a
/// thread of their own.
///
/// Several processes may work on the same file.
package final class SQLiteHomeStore: HomeStore {
    /// The secrets of first use: ids, cursors, display tokens.
    package let secrets: StoreSecrets
    /// Opens device tokens.
    package let vault: TokenVault

    let environment: StoreEnvironment
    let writer: StoreWriter
    let readers: StoreReaders
    let credentials: CredentialCache
    let pruning = Locked(Pruning.Position())
    private let writerThread: WorkerThread
    private let checkpointer: LogCheckpointer
    private let slot: Locked<ProcessSlot?>

    /// Opens the store at `path`, making or migrating its file.
    ///
    /// - Parameters:
    ///   - masterKeys: the operator's keys; an empty store takes the current one for its own.
    ///   - apps: the apps that devices may register for.
    ///   - steady: a clock that counts suspend; lease times count by it.
    /// - Throws: `wrongKey`, `newerSchema`, `cannotOpen`, `readOnly`, `corrupt` and the like; nothing was changed then.
    package static func open(
        path: String, masterKeys: MasterKeys, apps: AppRegistry, options: StoreOptions = StoreOptions(),
        clock: any WallClock = SystemWallClock(), steady: any MonotonicClock = SystemMonotonicClock(),
        random: any RandomSource = SystemRandom(), log: Log = .silent
    ) async throws(StoreError) -> SQLiteHomeStore {
        let opening = StoreOpening(
            path: path, masterKeys: masterKeys, apps: apps, options: options, clock: clock, steady: steady,
            random: random, log: log)
        let thread = WorkerThread(name: "store-write")
        do {
            let opened = try await thread.run { try opening.run() }
            let store = SQLiteHomeStore(opened, thread: thread)
            do {
                try await store.writer.open()
            } catch {
                // Its other threads run already, and nobody else could end them.
                await store.close()
                throw error
            }
            return store
        } catch {
            thread.stop()
            throw StoreError(anything: error)
        }
    }

    /// Whether the file is missing or empty, so that a master key may be made for it.
    ///
    /// Blocks for the time of a file access.
    ///
    /// - Throws: `fileMissing` when there was a store at the path, of which the file is gone or emptied; `cannotOpen` without a
    ///   number of the engine for a database of another program.
    package static func isEmpty(path: String) throws(StoreError) -> Bool {
        do {
            return try StoreOpening.isEmpty(path)
        } catch {
            throw StoreError(anything: error)
        }
    }

    private init(_ opened: StoreOpening.Opened, thread: WorkerThread) {
        environment = opened.environment
        secrets = opened.environment.secrets
        writerThread = thread
        vault = TokenVault(
            keys: environment.keys, clock: environment.clock.wall, random: environment.random)
        checkpointer = LogCheckpointer(environment)
        writer = StoreWriter(thread: thread, environment: environment, checkpointer: checkpointer)
        readers = StoreReaders(environment)
        credentials = CredentialCache(environment.clock.steady)
        slot = Locked(opened.slot)
    }

    /// Finishes what is queued, closes every connection and ends the threads.
    package func close() async {
        await writer.finish()
        await readers.finish()
        checkpointer.stop()
        // The last connection to go copies the log into the file and removes it.
        await writer.close()
        writerThread.stop()
        slot.withLock { $0 = nil }
    }
}
