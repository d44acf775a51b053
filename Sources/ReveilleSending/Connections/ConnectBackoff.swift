/// How long to wait before the next attempt to connect.
///
/// It grows with the failures in a row, with full jitter above a floor, so that senders that lost the same server do not come
/// back together.
package struct ConnectBackoff: Sendable, Equatable {
    /// The least wait, and the ceiling after the first failure.
    package var first: Duration = .milliseconds(500)
    /// The highest ceiling.
    package var longest: Duration = .seconds(60)

    /// The usual times.
    package init() {}

    /// The wait after `failures` (1 …) in a row.
    ///
    /// - Parameter unit: a random number in 0..<1.
    package func delay(failures: Int, unit: Double) -> Duration {
        let doublings = min(max(failures - 1, 0), 16)
        let ceiling = min(longest, first * (1 << doublings))
        return max(first / 2, ceiling * unit)
    }
}
