internal import ReveilleRuntime

/// Those who wait for counters to say something.
struct CounterWaiters<Counters: Sendable> {
    private struct Waiter {
        let condition: @Sendable (Counters) -> Bool
        let signal: OneShot<Void>
    }

    private var waiters: [Waiter] = []

    /// Whether nobody waits.
    var isEmpty: Bool { waiters.isEmpty }

    /// A signal that comes when the counters meet `condition`, perhaps at once.
    mutating func signal(when condition: @escaping @Sendable (Counters) -> Bool, now: Counters) -> OneShot<Void> {
        let signal = OneShot<Void>()
        if condition(now) {
            signal.fulfil(())
        } else {
            waiters.append(Waiter(condition: condition, signal: signal))
        }
        return signal
    }

    /// Forgets a signal that nobody waits for any more.
    mutating func forget(_ signal: OneShot<Void>) {
        waiters.removeAll { $0.signal === signal }
    }

    /// Tells those whose condition is met.
    mutating func changed(to now: Counters) {
        let met = waiters.filter { $0.condition(now) }
        guard !met.isEmpty else { return }
        waiters.removeAll { waiter in met.contains { $0.signal === waiter.signal } }
        for waiter in met { waiter.signal.fulfil(()) }
    }
}
