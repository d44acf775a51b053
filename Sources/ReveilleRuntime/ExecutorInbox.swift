/// One piece of work for a thread of ours.
enum ExecutorWork: Sendable {
    /// A job of the Swift runtime.
    case job(UnownedJob)
    /// A closure.
    case closure(@Sendable () -> Void)

    /// Runs the work on the calling thread, which `executor` says it is.
    func run(on executor: UnownedSerialExecutor) {
        switch self {
        case .job(let job): job.runSynchronously(on: executor)
        case .closure(let body): body()
        }
    }
}

/// The queue in front of a thread: what is put in from any side, and whether the thread must be woken for it.
///
/// Work is taken out in batches by exchanging two arrays, so that a warm queue allocates nothing. The queue has no limit of
/// its own, for an executor cannot refuse a job: it is bounded by the number of tasks and callers.
final class ExecutorInbox: Sendable {
    private enum Phase {
        /// The thread does not run yet.
        case unstarted
        /// The thread runs and will look again before it sleeps.
        case awake
        /// The thread waits in the kernel and must be woken.
        case asleep
        /// The thread has ended.
        case ended
        /// The thread runs what comes while it ends, or has ended, and another one runs what came late.
        case draining
    }

    private struct State {
        var phase = Phase.unstarted
        var work: [ExecutorWork] = []
        var isNudged = false
        var stopRequested = false
    }

    /// What the one who put something in has to do.
    enum Duty {
        case nothing
        /// Wake the thread: it sleeps.
        case wake
        /// Start a thread that calls ``takeLate(into:)`` until nothing is left.
        case drain
    }

    /// What the thread has to do next.
    enum Next {
        /// There is work: look for outside events without waiting.
        case poll
        /// Nothing to do: wait in the kernel.
        case sleep
        /// Stop was requested and nothing is left: call ``takeLate(into:)`` until nothing is left, and leave.
        case leave
    }

    private let state = Locked(State())

    /// Puts one piece of work in.
    func put(_ work: ExecutorWork) -> Duty {
        state.withLock { state in
            state.work.append(work)
            return Self.duty(in: &state)
        }
    }

    /// Makes the thread run through one more turn, even without work.
    func nudge() -> Duty {
        state.withLock { state in
            switch state.phase {
            case .unstarted, .ended, .draining: return .nothing
            case .awake:
                state.isNudged = true
                return .nothing
            case .asleep:
                state.phase = .awake
                return .wake
            }
        }
    }

    /// Lets the thread leave as soon as nothing is left to do.
    func requestStop() -> Duty {
        state.withLock { state in
            state.stopRequested = true
            switch state.phase {
            case .unstarted:
                state.phase = .ended
                return state.work.isEmpty ? .nothing : Self.duty(in: &state)
            case .awake, .ended, .draining: return .nothing
            case .asleep: return Self.duty(in: &state)
            }
        }
    }

    private static func duty(in state: inout sending State) -> Duty {
        switch state.phase {
        case .unstarted, .awake, .draining: return .nothing
        case .asleep:
            state.phase = .awake
            return .wake
        case .ended:
            state.phase = .draining
            return .drain
        }
    }

    /// Says that the thread runs now.
    ///
    /// - Returns: false when stop was requested first.
    func threadStarts() -> Bool {
        state.withLock { state in
            switch state.phase {
            case .unstarted:
                state.phase = .awake
                return true
            case .awake, .asleep, .ended, .draining: return false
            }
        }
    }

    /// Exchanges the waiting work with `batch`, an empty array whose room is used again.
    func take(into batch: inout [ExecutorWork]) {
        state.withLock { state in
            state.phase = .awake
            swap(&state.work, &batch)
        }
    }

    /// Decides whether the thread may wait; `isBusy` says that it has work of its own.
    func beforeSleep(isBusy: Bool) -> Next {
        state.withLock { state in
            if isBusy || state.isNudged || !state.work.isEmpty {
                state.isNudged = false
                return .poll
            }
            if state.stopRequested {
                state.phase = .draining
                return .leave
            }
            state.phase = .asleep
            return .sleep
        }
    }

    /// Exchanges the work that came after the end with `batch`.
    ///
    /// - Returns: false when nothing was left: the draining thread must leave.
    func takeLate(into batch: inout [ExecutorWork]) -> Bool {
        state.withLock { state in
            guard !state.work.isEmpty else {
                state.phase = .ended
                return false
            }
            swap(&state.work, &batch)
            return true
        }
    }
}
