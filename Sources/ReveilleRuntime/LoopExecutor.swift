/// Runs actors and whole tasks on an event loop, so that a task starts at once and comes straight back after each wait.
///
/// The loop as an executor does not suffice. A continuation resumes on the generic executor, that is in the cooperative pool, and
/// only then returns to its actor: two changes of thread for each wait. A task whose preference is this executor resumes
/// here. But a task with a preference is put into a queue at its first step, even when it starts in place; this executor
/// takes that step out of its own enqueue and runs it there and then.
///
/// `@unchecked Sendable`: the one variable is touched on the loop's thread only, which each access checks.
package final class LoopExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private enum Start {
        /// Jobs go to the loop.
        case none
        /// A task is being started: its first job is kept.
        case expected
        case kept(UnownedJob)
    }

    /// The loop that everything runs on.
    package let loop: EventLoop
    private var start = Start.none

    /// An executor of `loop`.
    package init(loop: EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if loop.isCurrent, case .expected = start {
            start = .kept(job)
        } else {
            loop.execute { self.run(job) }
        }
    }

    /// Call on the loop, right before a task is started.
    package func taskWillStart() {
        loop.preconditionCurrent()
        start = .expected
    }

    /// Call right after a task was started: what it put into this executor runs now.
    package func taskDidStart() {
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

    package func checkIsolated() { loop.preconditionCurrent() }

    package func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }
}
