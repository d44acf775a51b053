internal import ReveilleRuntime
internal import ReveilleStorage

/// One caller's wish to write.
struct QueuedWrite: Sendable {
    /// Tells the caller how it ended, once.
    typealias Completion = @Sendable (StoreError?) -> Void

    /// Who goes first when several wait.
    enum Precedence: Sendable {
        /// What finishes work that was begun goes before what makes more of it: or the outbox would fill with wakes that were
        /// sent and not settled, until nothing more may be sent.
        case finishing
        /// In the order of arrival.
        case ordinary
    }

    /// Who goes first.
    let precedence: Precedence
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
        var finishing: [QueuedWrite] = []
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
            let count = state.finishing.count + state.waiting.count
            let isFull = count >= maximumOperations || (count > 0 && state.rows + write.rows > maximumRows)
            if isFull { return .refused(StoreError(.overloaded)) }
            switch write.precedence {
            case .finishing: state.finishing.append(write)
            case .ordinary: state.waiting.append(write)
            }
            state.rows += write.rows
            if state.isScheduled { return .queued }
            state.isScheduled = true
            return .callWriter
        }
    }

    /// Takes all that waits, in the order in which it is to be done.
    ///
    /// - Returns: nothing when nothing waits, and the writer must be called anew.
    func takeAll() -> [QueuedWrite] {
        state.withLock { state in
            let taken = Self.take(&state)
            if taken.isEmpty { state.isScheduled = false }
            return taken
        }
    }

    /// Takes what came meanwhile, if anything; the writer stays called.
    func takeMore() -> [QueuedWrite] {
        state.withLock { Self.take(&$0) }
    }

    private static func take(_ state: inout State) -> [QueuedWrite] {
        let taken = state.finishing + state.waiting
        state.finishing = []
        state.waiting = []
        state.rows = 0
        return taken
    }

    /// Takes what came meanwhile and goes first, if anything; the writer stays called.
    func takeFinishing() -> [QueuedWrite] {
        state.withLock { state in
            let taken = state.finishing
            state.finishing = []
            for write in taken { state.rows -= write.rows }
            return taken
        }
    }

    /// Refuses everything from now on.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
