/// A value that belongs to an event loop and is carried, not touched, elsewhere.
///
/// It brings a callback or an owner that is not Sendable through a task back to its loop. `@unchecked Sendable`: the value can
/// be reached on the loop's thread only, which each access checks; its last reference is let go in a closure that the loop runs.
package final class LoopConfined<Value>: @unchecked Sendable {
    private let loop: EventLoop
    private let confined: Value

    /// Confines `value`.
    ///
    /// - Precondition: called on the loop's thread.
    package init(_ value: Value, to loop: EventLoop) {
        loop.preconditionCurrent()
        self.loop = loop
        confined = value
    }

    /// The value.
    ///
    /// - Precondition: called on the loop's thread.
    package var value: Value {
        loop.preconditionCurrent()
        return confined
    }
}
