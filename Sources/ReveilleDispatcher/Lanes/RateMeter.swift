/// How many tries a second a lane ends, as far as it was not for want of wakes.
struct RateMeter {
    /// The length of one measurement.
    static let windowMilliseconds: Int64 = 1_000
    /// After so much of it half the rate seen so far is believed, if it is more than was thought: a burst shall not wait for
    /// the window's end, and so short a look says little more.
    static let earlyMilliseconds: Int64 = 100

    /// Tries a second.
    private(set) var estimate: Double
    private var windowStart: Int64?
    private var ended = 0
    private var wasStarved = false

    /// Believes in `initial` tries a second until a measurement says otherwise.
    init(initial: Double) {
        estimate = initial
    }

    /// Counts the end of a try.
    mutating func count(at now: LaneTime) {
        roll(at: now)
        ended += 1
        guard let start = windowStart, now.steady - start >= Self.earlyMilliseconds else { return }
        estimate = max(estimate, Double(ended) * 500 / Double(now.steady - start))
    }

    /// Notes that the lane could have sent more than it had: this window shows only the least that it can.
    mutating func noteStarved(at now: LaneTime) {
        roll(at: now)
        wasStarved = true
    }

    private mutating func roll(at now: LaneTime) {
        guard let start = windowStart else {
            windowStart = now.steady
            return
        }
        let elapsed = now.steady - start
        guard elapsed >= Self.windowMilliseconds else { return }
        if ended > 0 {
            let rate = Double(ended) * 1_000 / Double(elapsed)
            estimate = wasStarved ? max(estimate, rate) : (estimate + rate) / 2
        }
        windowStart = now.steady
        ended = 0
        wasStarved = false
    }
}
