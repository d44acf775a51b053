internal import CLinux

/// A clock for intervals: leases, deadlines, ages.
///
/// It never jumps and counts suspend.
package protocol MonotonicClock: Sendable {
    /// The present instant.
    func now() -> MonotonicInstant
    /// Calls `body` after each step of a clock that is moved by hand. A clock that runs by itself never calls it.
    ///
    /// `body` must be quick, and may be called on any thread.
    func onAdvance(_ body: @escaping @Sendable () -> Void)
    /// Whether the clock stands still unless it is moved by hand, so that waiting in real time is of no use.
    var isMovedByHand: Bool { get }
}

extension MonotonicClock {
    /// Does nothing: the clock runs by itself.
    package func onAdvance(_ body: @escaping @Sendable () -> Void) {}
    /// False: the clock runs by itself.
    package var isMovedByHand: Bool { false }
}

/// A clock for dates: what is sent to others, shown to people, or kept across restarts.
///
/// It may jump.
package protocol WallClock: Sendable {
    /// The present instant.
    func now() -> WallInstant
}

/// CLOCK_BOOTTIME, which runs through suspend.
package struct SystemMonotonicClock: MonotonicClock {
    /// The system's clock.
    package init() {}

    package func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: reveille_linux_boot_time())
    }
}

/// CLOCK_REALTIME in UTC.
package struct SystemWallClock: WallClock {
    /// The system's clock.
    package init() {}

    package func now() -> WallInstant {
        WallInstant(milliseconds: reveille_linux_wall_time() / 1_000_000)
    }
}
