import ReveilleRuntime

/// Runs connections and their handlers on an event loop, so that a handler starts at once and comes straight back.
///
/// The loop as an executor does not suffice. A continuation resumes on the generic executor, that is in the cooperative pool, and
/// only then returns to its actor: two changes of thread for each wait. A task whose preference is this executor resumes
/// here. But a task with a preference is put into a queue at its first step, even when it starts in place; this executor
/// takes that step out of its own enqueue and runs it there and then.
///
/// `@unchecked Sendable`: the one variable is touched on the loop's thread only, which each access checks.
final class ServerExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private enum Start {
        /// Jobs go to the loop.
        case none
        /// A task is being started: its first job is kept.
        case expected
        case kept(UnownedJob)
    }

    let loop: EventLoop
    private var start = Start.none

    init(loop: EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if loop.isCurrent, case .expected = start {
            start = .kept(job)
        } else {
            loop.execute { self.run(job) }
        }
    }

    /// Call on the loop, right before a task is started.
    func taskWillStart() {
        loop.preconditionCurrent()
        start = .expected
    }

    /// Call right after a task was started: what it put into this executor runs now.
    func taskDidStart() {
        loop.preconditionCurrent()
        let start = start
        self.start = .none
        switch start {
        case .none, .expected: break
        case .kept(let job): run(job)
        }
    }

    private func run(_ job: UnownedJob) {
        job.runSynchronously(
            isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }

    func checkIsolated() { loop.preconditionCurrent() }

    func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }
}
