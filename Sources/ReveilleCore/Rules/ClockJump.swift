/// Notices jumps of the wall clock against a clock that counts suspend.
///
/// A jump over 60 s plans due times anew and expires nothing for ten minutes.
package struct ClockJump: Sendable {
    /// A difference beyond this is a jump.
    package static let toleranceMilliseconds: Int64 = 60_000
    /// For this long after a jump nothing expires.
    package static let graceMilliseconds: Int64 = 600_000

    private var offset: Int64?
    private var graceUntil: Int64?

    /// Starts without a reading.
    package init() {}

    /// Takes a reading of both clocks in milliseconds; returns the jump when there was one.
    package mutating func observe(wall: Int64, steady: Int64) -> Int64? {
        let present = wall - steady
        defer { offset = present }
        guard let offset, abs(present - offset) > Self.toleranceMilliseconds else { return nil }
        graceUntil = steady + Self.graceMilliseconds
        return present - offset
    }

    /// True when wakes may expire at this reading of the steady clock.
    package func mayExpire(steady: Int64) -> Bool {
        guard let graceUntil else { return true }
        return steady >= graceUntil
    }
}
