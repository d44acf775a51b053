/// When a wake is due again after a try that did not settle it.
///
/// Transport loss, GOAWAY and Shutdown once at once on a new connection; then 1, 2, 4 … minutes with
/// full jitter, never under the floor that the provider or `Retry-After` sets.
package enum RetrySchedule {
    /// The first step of the schedule.
    package static let firstStepSeconds: Int64 = 60
    /// The longest step; a day-long wake is then tried every hour or sooner.
    package static let longestStepSeconds: Int64 = 3_600
    /// The longest floor that counts; longer ones than the longest life of a wake change nothing.
    package static let longestFloorSeconds: Int64 = 28 * 86_400
    /// The longest that a lane stands still for `Retry-After`; a longer wish counts as this.
    ///
    /// Nothing that providers document asks for more than minutes, and a header that is wrong must not silence everybody: after
    /// six hours a wake of a day's life has tries left.
    package static let longestLanePaceSeconds: Int64 = 6 * 60 * 60
    /// The longest that a device is left alone for `Retry-After`: the usual life of a wake.
    package static let longestDevicePaceSeconds: Int64 = 24 * 60 * 60
    /// The part of a floor that is added as jitter, so that a herd spreads after `Retry-After`.
    package static let floorSpread = 0.25

    /// Milliseconds to wait before the next try.
    ///
    /// - Parameters:
    ///   - floor: what the provider asked for.
    ///   - failures: tries of this wake that ended without being settled, this one included (1 …).
    ///   - unit: a random number in 0..<1.
    package static func delayMilliseconds(
        floor: RetryFloor, failures: Int64, unit: Double
    ) -> Int64 {
        switch floor {
        case .atOnceThenSchedule:
            if failures <= 1 { return 0 }
            return jittered(step: failures - 1, floorSeconds: 0, unit: unit)
        case .schedule(let seconds), .devicePaced(let seconds), .lanePaced(let seconds):
            return jittered(step: max(failures, 1), floorSeconds: seconds, unit: unit)
        }
    }

    private static func jittered(step: Int64, floorSeconds: Int64, unit: Double) -> Int64 {
        let doublings = min(max(step - 1, 0), 12)
        let ceiling = min(longestStepSeconds, firstStepSeconds << doublings)
        let scheduled = Double(ceiling * 1_000) * unit
        let floor = Double(min(max(floorSeconds, 0), longestFloorSeconds) * 1_000)
        if floor == 0 { return Int64(scheduled) }
        return Int64(max(scheduled, floor + floor * floorSpread * unit))
    }
}
