internal import ReveilleRuntime

/// Lets a test wait for a condition without sleeping: the condition is looked at again whenever somebody says that something
/// changed.
package final class Signal: Sendable {
    private struct State {
        var generation: UInt64 = 0
        var next = OneShot<Void>()
    }

    private let state = Locked(State())

    /// A signal that nobody has sent.
    package init() {}

    /// Says that something changed.
    package func send() {
        let waiting = state.withLock { state in
            let waiting = state.next
            state.generation += 1
            state.next = OneShot()
            return waiting
        }
        waiting.fulfil(())
    }

    /// Waits until `condition` returns a value, looking now and after each ``send()``.
    ///
    /// A test that waits in vain is ended by its time limit.
    package func wait<Value: Sendable>(
        until condition: @Sendable () -> Value?
    ) async throws(CancellationError) -> Value {
        while true {
            // Taken before looking: a change between the look and the wait is then not missed.
            let next = state.withLock { $0.next }
            if let value = condition() { return value }
            try await next.wait()
        }
    }

    /// Waits until `condition` is true, looking now and after each ``send()``.
    package func wait(
        untilTrue condition: @Sendable () -> Bool
    ) async throws(CancellationError) {
        try await wait(until: { condition() ? () : nil })
    }
}
