import ReveilleStorage

/// Lets one call of a kind run at a time, and after a failure waits with growing patience.
///
/// What the call was to do stays where it is until the call succeeded, so nothing is forgotten and nothing spins.
struct CallGate {
    /// The first wait after a failure, in milliseconds.
    static let shortestWaitMilliseconds: Int64 = 100
    /// The longest wait while the trouble may end by itself, as when a disk is full.
    static let longestWaitMilliseconds: Int64 = 5_000
    /// The wait when somebody must act.
    static let hopelessWaitMilliseconds: Int64 = 30_000

    enum State {
        case idle
        case running
        case waiting(until: Int64)
    }

    private(set) var state = State.idle
    /// Failures in a row.
    private(set) var failures: Int64 = 0

    /// Whether a call may start.
    func isOpen(at now: LaneTime) -> Bool {
        switch state {
        case .idle: true
        case .running: false
        case .waiting(let until): now.steady >= until
        }
    }

    var isRunning: Bool {
        switch state {
        case .running: true
        case .idle, .waiting: false
        }
    }

    /// When a call may start again after a failure.
    var opensAt: Int64? {
        switch state {
        case .idle, .running: nil
        case .waiting(let until): until
        }
    }

    mutating func start() {
        precondition(!isRunning, "one call of a kind at a time")
        state = .running
    }

    mutating func succeed() {
        state = .idle
        failures = 0
    }

    /// - Parameter unit: a random number in 0..<1; spreads the lanes of a process.
    mutating func fail(_ error: StoreError, at now: LaneTime, unit: Double) {
        failures += 1
        let longest = error.isTransient ? Self.longestWaitMilliseconds : Self.hopelessWaitMilliseconds
        let wait = min(longest, Self.shortestWaitMilliseconds << min(failures - 1, 10))
        state = .waiting(until: now.steady + wait / 2 + Int64(Double(wait / 2) * unit))
    }
}
