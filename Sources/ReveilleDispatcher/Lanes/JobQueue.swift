import ReveilleRuntime

/// Hands work to one consumer, in order, whether its task is cancelled or not.
///
/// Bounded by its producers: each lane has at most one job for each kind of call.
final class JobQueue: Sendable {
    typealias Job = @Sendable () async -> Void

    private struct State {
        var jobs: [Job] = []
        var consumer: CheckedContinuation<Job?, Never>?
        var isFinished = false
    }

    private let state = Locked(State())

    /// Adds a job; false when the queue is finished, and the job will not run.
    @discardableResult
    func put(_ job: @escaping Job) -> Bool {
        enum Next {
            case kept
            case refused
            case resume(CheckedContinuation<Job?, Never>)
        }
        let next: Next = state.withLock { state in
            if state.isFinished { return .refused }
            guard let consumer = state.consumer else {
                state.jobs.append(job)
                return .kept
            }
            state.consumer = nil
            return .resume(consumer)
        }
        switch next {
        case .kept: return true
        case .refused: return false
        case .resume(let consumer):
            consumer.resume(returning: job)
            return true
        }
    }

    /// The next job; nil when the queue is finished and empty.
    ///
    /// One consumer at a time.
    func next() async -> Job? {
        await withCheckedContinuation { continuation in
            let job: Job?? = state.withLock { state in
                if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
                if state.isFinished { return .some(nil) }
                precondition(state.consumer == nil, "one consumer at a time")
                state.consumer = continuation
                return .none
            }
            if case .some(let job) = job { continuation.resume(returning: job) }
        }
    }

    /// Takes no more jobs.
    func finish() {
        let consumer = state.withLock { state in
            state.isFinished = true
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume(returning: nil)
    }
}
