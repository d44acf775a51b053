/// One reading of both clocks in milliseconds.
package struct LaneTime: Hashable, Sendable {
    /// The clock that counts suspend: leases, pacing, pauses.
    package let steady: Int64
    /// Civil time since 1970: due times and expiries.
    package let wall: Int64

    /// Pairs two readings.
    package init(steady: Int64, wall: Int64) {
        self.steady = steady
        self.wall = wall
    }
}
