/// How often something may happen: a steady rate and what may come at once.
package struct RateLimit: Hashable, Sendable {
    /// Nanoseconds in which one unit grows back.
    package let intervalNanoseconds: Int64
    /// Units that may be taken at once after a rest.
    package let burst: Int64

    /// Allows `burst` units at once and `perMinute` in the long run; both at least 1.
    package init(perMinute: Int64, burst: Int64) {
        intervalNanoseconds = max(1, 60_000_000_000 / max(perMinute, 1))
        self.burst = max(burst, 1)
    }

    /// Allows `burst` units at once and `perSecond` in the long run; both at least 1.
    package init(perSecond: Int64, burst: Int64) {
        intervalNanoseconds = max(1, 1_000_000_000 / max(perSecond, 1))
        self.burst = max(burst, 1)
    }
}
