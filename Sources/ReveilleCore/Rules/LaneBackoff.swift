/// When a paused lane probes with one wake: after 1, 2, 4 … 15 minutes.
package enum LaneBackoff {
    /// The longest pause between probes, in milliseconds.
    package static let longestMilliseconds: Int64 = 15 * 60_000

    /// Milliseconds until the next probe after `failures` (1 …) in a row.
    package static func probeDelayMilliseconds(failures: Int64) -> Int64 {
        min(longestMilliseconds, 60_000 << min(max(failures, 1) - 1, 8))
    }
}
