package import ReveilleRuntime

/// Both clocks, moved by the test only.
///
/// The two move together through ``advance(by:)``, and apart through ``jumpWall(by:)``, as when somebody sets the date.
package final class ManualClock: MonotonicClock, WallClock {
    private struct State {
        var monotonic: MonotonicInstant
        var wall: WallInstant
        var observers: [@Sendable () -> Void] = []
    }

    private let state: Locked<State>

    /// Clocks that stand still at these instants.
    package init(
        monotonic: MonotonicInstant = MonotonicInstant(nanoseconds: 1_000_000_000_000),
        wall: WallInstant = WallInstant(milliseconds: 1_800_000_000_000)
    ) {
        state = Locked(State(monotonic: monotonic, wall: wall))
    }

    package func now() -> MonotonicInstant { state.withLock { $0.monotonic } }

    package func now() -> WallInstant { state.withLock { $0.wall } }

    package var isMovedByHand: Bool { true }

    package func onAdvance(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.observers.append(body) }
    }

    /// Moves both clocks on and then tells everybody who asked, event loops among them.
    package func advance(by duration: Duration) {
        let observers = state.withLock { state in
            state.monotonic = state.monotonic + duration
            state.wall = state.wall.adding(duration)
            return state.observers
        }
        for observer in observers { observer() }
    }

    /// Moves the wall clock alone, forward or back.
    package func jumpWall(by duration: Duration) {
        let observers = state.withLock { state in
            state.wall = state.wall.adding(duration)
            return state.observers
        }
        for observer in observers { observer() }
    }
}
