/// A timer of an event loop; used on the loop's thread only.
///
/// A timer made by ``EventLoop/schedule(after:_:)`` fires at most once and lets go of its closure when it fires or is
/// cancelled. One made by ``EventLoop/makeTimer(_:)`` can be set again and again without allocating, and keeps its closure:
/// let that closure hold its owner weakly or cancel by letting go of the timer.
package final class LoopTimer {
    private enum Kind {
        case once
        case reusable
    }

    private enum State {
        case idle
        case pending(TimerHeap.Ticket)
    }

    private let loop: EventLoop
    private let kind: Kind
    // Unchecked exclusivity for the reason given in EventLoop.
    @exclusivity(unchecked) private var body: (() -> Void)?
    @exclusivity(unchecked) private var state = State.idle

    private init(loop: EventLoop, kind: Kind, body: @escaping () -> Void) {
        self.loop = loop
        self.kind = kind
        self.body = body
    }

    static func once(on loop: EventLoop, _ body: @escaping () -> Void) -> LoopTimer {
        LoopTimer(loop: loop, kind: .once, body: body)
    }

    static func reusable(on loop: EventLoop, _ body: @escaping () -> Void) -> LoopTimer {
        LoopTimer(loop: loop, kind: .reusable, body: body)
    }

    /// Whether the timer is set and has not fired.
    package var isPending: Bool {
        switch state {
        case .idle: false
        case .pending: true
        }
    }

    /// Sets the timer, anew if it is already set.
    ///
    /// A timer of one use that fired or was cancelled stays idle.
    package func start(after delay: Duration) {
        start(at: loop.now() + delay)
    }

    /// Sets the timer, anew if it is already set, to fire at `deadline` or, if that is past, in the next turn.
    package func start(at deadline: MonotonicInstant) {
        loop.preconditionCurrent()
        guard body != nil else { return }
        stop()
        state = .pending(loop.insert(self, deadline: deadline))
    }

    /// Stops the timer in constant time.
    ///
    /// Does nothing when it is not set.
    package func cancel() {
        loop.preconditionCurrent()
        stop()
        releaseIfUsedUp()
    }

    private func stop() {
        switch state {
        case .idle: return
        case .pending(let ticket):
            state = .idle
            loop.remove(ticket)
        }
    }

    /// Called by the loop after it took the timer out of the heap.
    func fire() {
        state = .idle
        let body = body
        releaseIfUsedUp()
        body?()
    }

    private func releaseIfUsedUp() {
        switch kind {
        case .once: body = nil
        case .reusable: break
        }
    }
}
