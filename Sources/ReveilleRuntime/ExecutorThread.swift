internal import CLinux
internal import Glibc

/// Starting and joining the threads of executors, and telling which of them is running.
enum ExecutorThread {
    /// A thread that was started and can be joined once.
    struct Handle: Sendable {
        fileprivate let thread: pthread_t

        /// Waits until the thread has ended.
        func join() {
            let status = pthread_join(thread, nil)
            precondition(status == 0, "a thread could not be joined")
        }
    }

    /// What travels to a new thread.
    private final class Start {
        let name: String
        let executor: UnsafeRawPointer
        let body: @Sendable () -> Void

        init(name: String, executor: UnsafeRawPointer, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.executor = executor
            self.body = body
        }
    }

    /// Runs `body` on a new thread that counts as `executor`'s.
    static func start(
        name: String, for executor: AnyObject, _ body: @escaping @Sendable () -> Void
    ) -> Handle {
        let start = Start(name: name, executor: identity(of: executor), body: body)
        let context = Unmanaged.passRetained(start).toOpaque()
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, { ExecutorThread.main($0) }, context)
        precondition(status == 0, "a thread could not be started")
        return Handle(thread: thread)
    }

    /// As ``start(name:for:_:)``, for a thread that nobody joins.
    static func startDetached(
        name: String, for executor: AnyObject, _ body: @escaping @Sendable () -> Void
    ) {
        let handle = start(name: name, for: executor, body)
        pthread_detach(handle.thread)
    }

    /// Whether the calling thread is one of `executor`'s.
    ///
    /// Never inlined, and the thread-local lives in C: inside an async function the compiler may otherwise carry the answer
    /// of one thread over to another.
    @inline(never)
    static func isCurrent(_ executor: AnyObject) -> Bool {
        reveille_linux_current_executor() == identity(of: executor)
    }

    private static func identity(of executor: AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(executor).toOpaque())
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        reveille_linux_set_thread_name(start.name)
        reveille_linux_set_current_executor(start.executor)
        start.body()
        return nil
    }
}
