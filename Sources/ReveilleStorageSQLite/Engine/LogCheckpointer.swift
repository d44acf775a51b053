internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage
internal import ReveilleTelemetry

/// Copies the write-ahead log into the database file on a thread of its own, so that no commit waits for it.
///
/// The log starts again at its beginning only when all of it is copied while nobody writes. Under steady load that moment
/// never comes by itself: when the copying has caught up but for a short rest, the writer is told to finish it between two
/// of its transactions. That bounds the log.
final class LogCheckpointer: Sendable {
    /// From this many frames on the log is copied (16 MiB).
    static let frames = 4_096
    /// From this many frames on it is copied where the disk is nearly full (1 MiB): a log that took the last room could not be copied any
    /// more, because the file must grow for that.
    static let fewFrames = 256
    /// A rest that the writer may finish by itself.
    static let shortRest = 1_024
    /// Passes without a pause; each leaves what was written during it.
    private static let passes = 4

    private enum Phase {
        case idle
        case copying
        /// All but a short rest is copied, up to this frame.
        case caughtUp(Int)
    }

    private let thread = WorkerThread(name: "store-log")
    private let phase = Locked(Phase.idle)
    private let environment: StoreEnvironment
    private let open: CheckpointConnection

    init(_ environment: StoreEnvironment) {
        self.environment = environment
        open = CheckpointConnection(thread: thread, environment: environment)
    }

    /// Whether the writer should finish the copying now; it then does so before it calls ``logGrew(toFrames:)``.
    func mayFinish(frames: Int) -> Bool {
        phase.withLock { phase in
            guard case .caughtUp(let copied) = phase else { return false }
            phase = .idle
            return frames >= copied && frames - copied <= 4 * Self.shortRest
        }
    }

    /// Starts copying when the log is long enough.
    func logGrew(toFrames frames: Int) {
        guard frames >= Self.frames || frames >= Self.fewFrames && LogRoom.isShort(beside: frames, of: environment.path)
        else { return }
        let starts = phase.withLock { phase in
            guard case .idle = phase else { return false }
            phase = .copying
            return true
        }
        guard starts else { return }
        thread.submit { self.copy() }
    }

    /// Ends the thread, after copying everything when nobody else uses the file.
    func stop() {
        let open = open
        thread.submit { open.assumeIsolated { $0.close() } }
        thread.stop()
    }

    private func copy() {
        var reached: Int?
        for _ in 0..<Self.passes {
            guard let result = open.assumeIsolated({ $0.copyOnce() }) else { break }
            reached = result.copied
            if result.frames - result.copied <= Self.shortRest { break }
        }
        let end = reached
        phase.withLock { $0 = end.map { .caughtUp($0) } ?? .idle }
    }
}

/// The connection of the checkpoints, confined to their thread.
private actor CheckpointConnection {
    private nonisolated let thread: WorkerThread
    private nonisolated let environment: StoreEnvironment
    private var connection: SQLiteConnection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(thread: WorkerThread, environment: StoreEnvironment) {
        self.thread = thread
        self.environment = environment
    }

    /// One passive checkpoint; nil when it could not be done, which the next one makes up for.
    func copyOnce() -> SQLiteConnection.Checkpoint? {
        do {
            try environment.files.check()
            let connection = try connection ?? StoreConnection.open(environment, for: .checkpoints)
            self.connection = connection
            return try connection.checkpoint()
        } catch {
            let error = StoreError(anything: error)
            if error.code != .busy {
                connection = nil
                environment.log.warning("the log could not be copied", ["code": .code(error.code)])
            }
            return nil
        }
    }

    func close() {
        connection = nil
    }
}
