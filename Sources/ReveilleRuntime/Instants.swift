/// A point on a clock that only runs forward and counts the time a machine is suspended.
///
/// Instants of different boots, or of different clocks, must not be compared.
package struct MonotonicInstant: Sendable, Comparable, Hashable {
    /// Nanoseconds since the clock's own start.
    package let nanoseconds: Int64

    /// The instant so many nanoseconds after the clock's start.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant so many milliseconds after the clock's start; the ends of the range stay where they are.
    package init(milliseconds: Int64) {
        let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
    }

    package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant later by `duration`; the ends of the range stay where they are.
    package static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(
            duration.saturatedNanoseconds)
        guard overflow else { return MonotonicInstant(nanoseconds: sum) }
        return MonotonicInstant(nanoseconds: instant.nanoseconds < 0 ? .min : .max)
    }

    /// The instant earlier by `duration`.
    package static func - (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        instant + (.zero - duration)
    }

    /// The time from `earlier` to this instant; negative when `earlier` is later.
    package func duration(since earlier: MonotonicInstant) -> Duration {
        .nanoseconds(nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }
}

/// A point in civil time, for what leaves the process or must be compared after a restart.
package struct WallInstant: Sendable, Comparable, Hashable {
    /// Milliseconds since 1970-01-01 00:00 UTC, leap seconds not counted.
    package let milliseconds: Int64

    /// The instant so many milliseconds after 1970.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The instant so many whole seconds after 1970.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    }

    package static func < (left: WallInstant, right: WallInstant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instant later by `duration`, cut to milliseconds; the ends of the range stay where they are.
    package func adding(_ duration: Duration) -> WallInstant {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.saturatedMilliseconds)
        guard overflow else { return WallInstant(milliseconds: sum) }
        return WallInstant(milliseconds: milliseconds < 0 ? .min : .max)
    }

    /// The time from `earlier` to this instant; negative when `earlier` is later.
    package func duration(since earlier: WallInstant) -> Duration {
        .milliseconds(milliseconds) - .milliseconds(earlier.milliseconds)
    }
}
