import ReveilleCore
import ReveilleRuntime

/// A lane's driver on an event loop: one timer, and one look at the end of each turn in which something happened.
///
/// Loop-confined.
final class LoopHost: LaneHost, EndOfTurnHandler {
    private let loop: EventLoop
    private let wall: any WallClock
    private let start: (LaneCommand) -> Void
    private let jumped: () -> Void
    private unowned let driver: LaneDriver
    private var timer: LoopTimer?
    private var deadline: Int64?
    private var isAsked = false
    /// The reading of this turn, good until its end.
    private var timeOfTurn: LaneTime?

    init(
        loop: EventLoop, wall: any WallClock, driver: LaneDriver, start: @escaping (LaneCommand) -> Void,
        jumped: @escaping () -> Void
    ) {
        self.loop = loop
        self.wall = wall
        self.driver = driver
        self.start = start
        self.jumped = jumped
        timer = loop.makeTimer { [weak self] in
            self?.deadline = nil
            self?.attendSoon()
        }
    }

    func time() -> LaneTime {
        if let timeOfTurn { return timeOfTurn }
        let time = LaneTime(steady: loop.now().nanoseconds / 1_000_000, wall: wall.now().milliseconds)
        // Kept only when the end of this turn forgets it.
        if isAsked { timeOfTurn = time }
        return time
    }

    func refreshedTime() -> LaneTime {
        let steady = loop.refreshedNow().nanoseconds / 1_000_000
        if let timeOfTurn, timeOfTurn.steady == steady { return timeOfTurn }
        timeOfTurn = nil
        return time()
    }

    func attendSoon() {
        guard !isAsked else { return }
        isAsked = true
        loop.atEndOfTurn(self)
    }

    func turnDidEnd() {
        isAsked = false
        timeOfTurn = nil
        driver.attend()
    }

    func attend(at milliseconds: Int64?) {
        guard milliseconds != deadline else { return }
        deadline = milliseconds
        guard let milliseconds else {
            timer?.cancel()
            return
        }
        timer?.start(at: MonotonicInstant(milliseconds: max(milliseconds, 0)))
    }

    func perform(_ command: LaneCommand) { start(command) }

    func clockDidJump() { jumped() }
}
