/// A value that comes once: the first one given wins, and any number of tasks may wait for it.
///
/// Waiters whose task is cancelled stop waiting at once; the value may still come for the others. Continuations are resumed
/// outside the lock.
package final class OneShot<Value: Sendable>: Sendable {
    private enum Waiter {
        /// A number was handed out, the task does not wait yet.
        case announced
        /// The task was cancelled before it waited.
        case cancelled
        case waiting(CheckedContinuation<Value?, Never>)
    }

    private enum State {
        case empty(waiters: [UInt64: Waiter])
        case fulfilled(Value)
    }

    private struct Box {
        var state = State.empty(waiters: [:])
        var nextID: UInt64 = 0
    }

    private let box = Locked(Box())

    /// An empty one.
    package init() {}

    /// The value, if it has come.
    package var value: Value? {
        box.withLock { box in
            switch box.state {
            case .empty: nil
            case .fulfilled(let value): value
            }
        }
    }

    /// Gives the value to all who wait now or later.
    ///
    /// - Returns: false when another value came first; this one is then dropped.
    @discardableResult
    package func fulfil(_ value: Value) -> Bool {
        let waiters: [UInt64: Waiter]? = box.withLock { box in
            switch box.state {
            case .empty(let waiters):
                box.state = .fulfilled(value)
                return waiters
            case .fulfilled: return nil
            }
        }
        guard let waiters else { return false }
        for case .waiting(let continuation) in waiters.values { continuation.resume(returning: value) }
        return true
    }

    /// Waits for the value.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before the value comes.
    package func wait() async throws(CancellationError) -> Value {
        switch announce() {
        case .value(let value): return value
        case .waiter(let id):
            let value = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in self.park(continuation, as: id) }
            } onCancel: {
                self.cancel(id)
            }
            guard let value else { throw CancellationError() }
            return value
        }
    }

    private enum Announcement {
        case value(Value)
        case waiter(UInt64)
    }

    private func announce() -> Announcement {
        box.withLock { box in
            switch box.state {
            case .fulfilled(let value): return .value(value)
            case .empty(var waiters):
                let id = box.nextID
                box.nextID += 1
                box.state = .empty(waiters: [:])
                waiters[id] = .announced
                box.state = .empty(waiters: waiters)
                return .waiter(id)
            }
        }
    }

    private enum AfterParking {
        case stay
        case resume(Value?)
    }

    private func park(_ continuation: CheckedContinuation<Value?, Never>, as id: UInt64) {
        let next: AfterParking = box.withLock { box in
            switch box.state {
            case .fulfilled(let value): return .resume(value)
            case .empty(var waiters):
                box.state = .empty(waiters: [:])
                defer { box.state = .empty(waiters: waiters) }
                if case .cancelled = waiters[id] {
                    waiters[id] = nil
                    return .resume(nil)
                }
                waiters[id] = .waiting(continuation)
                return .stay
            }
        }
        if case .resume(let value) = next { continuation.resume(returning: value) }
    }

    private func cancel(_ id: UInt64) {
        let continuation: CheckedContinuation<Value?, Never>? = box.withLock { box in
            guard case .empty(var waiters) = box.state else { return nil }
            box.state = .empty(waiters: [:])
            defer { box.state = .empty(waiters: waiters) }
            if case .waiting(let continuation) = waiters[id] {
                waiters[id] = nil
                return continuation
            }
            waiters[id] = .cancelled
            return nil
        }
        continuation?.resume(returning: nil)
    }
}
