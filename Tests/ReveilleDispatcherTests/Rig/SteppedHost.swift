import ReveilleCore
import ReveilleDispatcher
import ReveilleRuntime
import ReveilleTesting
import Testing

/// The world around a lane's driver, moved by hand: a turn happens when the test lets it, calls of the store wait until the test
/// answers them.
final class SteppedHost: LaneHost {
    private let clock: ManualClock
    private var isAsked = false
    private var deadline: Int64?
    /// The reading with which a turn began that the test lets last.
    private var timeOfTurn: LaneTime?
    /// Calls of the store that the test has not answered.
    private(set) var calls: [LaneCommand] = []
    private(set) var jumps = 0

    init(clock: ManualClock) {
        self.clock = clock
    }

    func time() -> LaneTime { timeOfTurn ?? readClocks() }

    func refreshedTime() -> LaneTime {
        if timeOfTurn != nil { timeOfTurn = readClocks() }
        return time()
    }

    /// Begins a turn with a reading of the clocks that lasts until it ends, or somebody reads them anew.
    func beginTurn() { timeOfTurn = readClocks() }
    func endTurn() { timeOfTurn = nil }

    private func readClocks() -> LaneTime {
        let steady: MonotonicInstant = clock.now()
        let wall: WallInstant = clock.now()
        return LaneTime(steady: steady.nanoseconds / 1_000_000, wall: wall.milliseconds)
    }

    func attendSoon() { isAsked = true }
    func attend(at milliseconds: Int64?) { deadline = milliseconds }
    func perform(_ command: LaneCommand) { calls.append(command) }
    func clockDidJump() { jumps += 1 }

    /// Takes the oldest call of a kind.
    func takeCall(_ kind: LaneCommand.Kind) -> LaneCommand? {
        guard let index = calls.firstIndex(where: { $0.kind == kind }) else { return nil }
        return calls.remove(at: index)
    }

    /// Takes the oldest call of any kind.
    func takeCall(at index: Int) -> LaneCommand { calls.remove(at: index) }

    /// Milliseconds until the driver wants to be looked at, nil for never.
    var untilDeadline: Int64? { deadline.map { max(0, $0 - time().steady) } }

    /// Ends turns until nothing asks for another one; a lane that never rests has a fault.
    func run(_ driver: LaneDriver) {
        for _ in 0..<100 {
            guard isAsked || (deadline.map { $0 <= time().steady } ?? false) else { return }
            isAsked = false
            deadline = nil
            driver.attend()
        }
        Issue.record("the lane asks for turn after turn, without rest")
    }
}
