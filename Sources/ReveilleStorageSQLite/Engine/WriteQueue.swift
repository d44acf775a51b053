internal import ReveilleRuntime
internal import ReveilleStorage

/// One caller's wish to write.
struct QueuedWrite: Sendable {
    /// Tells the caller how it ended, once.
    typealias Completion = @Sendable (StoreError?) -> Void

    /// How many rows it stands for.
    let rows: Int
    /// Does the work inside a transaction that others share; throws when nothing of it may stay.
    ///
    /// May be called again in another transaction when the first came to nothing.
    let attempt: @Sendable (WriteTransaction) throws -> Completion
    /// Tells the caller that it was not done.
    let refuse: @Sendable (StoreError) -> Void
}

/// The bounded queue in front of the writer's thread.
final class WriteQueue: Sendable {
    private struct State {
        var waiting: [QueuedWrite] = []
        var rows = 0
        var isScheduled = false
        var isClosed = false
    }

    /// What the one who put something in must do.
    enum Admission {
        /// The writer will find it.
        case queued
        /// The writer must be called.
        case callWriter
        case refused(StoreError)
    }

    private let state = Locked(State())
    private let maximumOperations: Int
    private let maximumRows: Int

    init(maximumOperations: Int, maximumRows: Int) {
        self.maximumOperations = maximumOperations
        self.maximumRows = maximumRows
    }

    /// Puts a write in; rows over the limit are refused, except for a single operation on an empty queue.
    func put(_ write: QueuedWrite) -> Admission {
        state.withLock { state in
            if state.isClosed { return .refused(StoreError(.closed)) }
            let isFull =
                state.waiting.count >= maximumOperations
                || (!state.waiting.isEmpty && state.rows + write.rows > maximumRows)
            if isFull { return .refused(StoreError(.overloaded)) }
            state.waiting.append(write)
            state.rows += write.rows
            if state.isScheduled { return .queued }
            state.isScheduled = true
            return .callWriter
        }
    }

    /// Takes all that waits into an empty array; false, and the writer must be called anew, when nothing waits.
    func take(into batch: inout [QueuedWrite]) -> Bool {
        let taken: [QueuedWrite] = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isScheduled = false
                return []
            }
            let taken = state.waiting
            state.waiting = []
            state.waiting.reserveCapacity(taken.count)
            state.rows = 0
            return taken
        }
        batch = taken
        return !taken.isEmpty
    }

    /// Takes what came meanwhile, if anything; the writer stays called.
    func takeMore() -> [QueuedWrite] {
        state.withLock { state in
            let taken = state.waiting
            state.waiting = []
            state.rows = 0
            return taken
        }
    }

    /// Refuses everything from now on.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
