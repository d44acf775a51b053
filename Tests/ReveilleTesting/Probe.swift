internal import ReveilleRuntime

/// A value that code under test changes and a test waits for.
package final class Probe<Value: Sendable>: Sendable {
    private let current: Locked<Value>
    private let changes = Signal()

    /// A probe that holds `value`.
    package init(_ value: Value) {
        current = Locked(value)
    }

    /// The value now.
    package var value: Value { current.withLock { $0 } }

    /// Changes the value and wakes who waits for it.
    package func update(_ change: (inout Value) -> Void) {
        current.withLock { value in
            var copy = value
            change(&copy)
            value = copy
        }
        changes.send()
    }

    /// Waits until the value satisfies `condition`, and returns it.
    @discardableResult
    package func wait(
        until condition: @escaping @Sendable (Value) -> Bool
    ) async throws(CancellationError) -> Value {
        try await changes.wait { [current] in
            current.withLock { value in condition(value) ? value : nil }
        }
    }
}

extension Probe {
    /// Adds to a list that is waited for.
    package func append<Element>(_ element: Element) where Value == [Element] {
        update { $0.append(element) }
    }
}
