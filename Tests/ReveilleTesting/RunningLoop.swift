package import ReveilleRuntime

/// An event loop that runs for the time of `body` and is stopped afterwards, whatever happens.
package func withEventLoop<R>(
    name: String = "test", clock: any MonotonicClock = SystemMonotonicClock(),
    _ body: (EventLoop) async throws -> R
) async throws -> R {
    let loop = EventLoop(name: name, clock: clock)
    loop.start()
    defer { loop.stop() }
    return try await body(loop)
}

extension EventLoop {
    /// Runs `body` on the loop and hands back what it returns.
    package func call<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            execute { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Waits until everything that was put into the loop before has run, the timers that are due included, and what those
    /// put in.
    package func settle() async {
        await withCheckedContinuation { continuation in
            // A timer for now fires after all that were due before it.
            execute {
                self.schedule(after: .zero) { self.execute { continuation.resume() } }
            }
        }
    }
}
