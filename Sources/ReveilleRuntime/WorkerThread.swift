internal import CLinux

/// A thread for calls that block: databases, name resolution, file synchronisation.
///
/// It is a serial executor too.
///
/// Work runs in the order it was given. The queue has no limit of its own: its callers wait for answers, so their number
/// bounds it.
package final class WorkerThread: SerialExecutor, Sendable {
    /// The name of the thread.
    package let name: String
    private let inbox = ExecutorInbox()
    private let thread = Locked<ExecutorThread.Handle?>(nil)
    private let wakeUp: Int32

    /// Starts the thread.
    ///
    /// - Precondition: the process may open one more descriptor.
    package init(name: String) {
        self.name = name
        wakeUp = reveille_linux_eventfd_create(1)
        precondition(wakeUp >= 0, "no descriptor for a worker thread")
        start()
    }

    deinit {
        _ = reveille_linux_close(wakeUp)
    }

    private func start() {
        _ = inbox.threadStarts()
        // The running thread keeps this object alive until it is stopped.
        thread.withLock { $0 = ExecutorThread.start(name: name, for: self) { self.run() } }
    }

    /// Ends the thread after everything that was submitted, and waits for it.
    ///
    /// Work submitted later runs on a thread of its own.
    ///
    /// - Precondition: not called on the thread itself.
    package func stop() {
        precondition(!isCurrent, "a worker thread cannot wait for itself")
        perform(inbox.requestStop())
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// Whether the calling thread is this one.
    package var isCurrent: Bool { ExecutorThread.isCurrent(self) }

    /// Runs `body` on the thread, after everything that was submitted before.
    package func submit(_ body: @escaping @Sendable () -> Void) {
        perform(inbox.put(.closure(body)))
    }

    /// Runs `body` on the thread and hands back what it returns or throws.
    ///
    /// A cancelled task still waits: a blocking call cannot be interrupted.
    package func run<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Result { try body() }) }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        perform(inbox.put(.job(UnownedJob(job))))
    }

    package func checkIsolated() {
        precondition(isCurrent, "called outside the worker thread")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func perform(_ duty: ExecutorInbox.Duty) {
        switch duty {
        case .nothing: break
        case .wake: _ = reveille_linux_eventfd_signal(wakeUp)
        case .drain: ExecutorThread.startDetached(name: name, for: self) { self.drain() }
        }
    }

    private func run() {
        let executor = asUnownedSerialExecutor()
        var batch: [ExecutorWork] = []
        while true {
            inbox.take(into: &batch)
            for work in batch { work.run(on: executor) }
            batch.removeAll(keepingCapacity: true)
            switch inbox.beforeSleep(isBusy: false) {
            case .poll: continue
            case .sleep: waitForWork()
            case .leave: return drain()
            }
        }
    }

    private func waitForWork() {
        var count: UInt64 = 0
        let result = reveille_linux_read(wakeUp, &count, 8)
        precondition(result == 8, "a worker thread lost its descriptor")
    }

    private func drain() {
        let executor = asUnownedSerialExecutor()
        var late: [ExecutorWork] = []
        while inbox.takeLate(into: &late) {
            for work in late { work.run(on: executor) }
            late.removeAll(keepingCapacity: true)
        }
    }
}
