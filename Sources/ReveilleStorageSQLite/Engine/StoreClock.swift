internal import ReveilleCore
internal import ReveilleRuntime

/// Both clocks of a store, read together, so that a jump of the wall clock is noticed by whoever looks next.
final class StoreClock: Sendable {
    /// One reading.
    struct Reading {
        /// The wall clock in milliseconds since 1970.
        let now: Int64
        /// The steady clock in milliseconds.
        let steady: Int64
        /// False for ten minutes after a jump of the wall clock.
        let mayExpire: Bool
    }

    let wall: any WallClock
    let steady: any MonotonicClock
    private let jump = Locked(ClockJump())

    init(wall: any WallClock, steady: any MonotonicClock) {
        self.wall = wall
        self.steady = steady
    }

    /// Reads both clocks.
    func read() -> Reading {
        let now = wall.now().milliseconds
        let steady = steadyMilliseconds()
        let mayExpire = jump.withLock { jump in
            _ = jump.observe(wall: now, steady: steady)
            return jump.mayExpire(steady: steady)
        }
        return Reading(now: now, steady: steady, mayExpire: mayExpire)
    }

    /// The steady clock in milliseconds.
    func steadyMilliseconds() -> Int64 {
        steady.now().nanoseconds / 1_000_000
    }
}
