import ReveilleRuntime

/// Makes a lane look at its mailbox, from any thread; the lane hangs itself up once it exists.
final class LaneDoorbell: Sendable {
    private let loop: EventLoop
    private let lane = Locked<Lane?>(nil)

    init(loop: EventLoop) {
        self.loop = loop
    }

    func belong(to lane: Lane) {
        self.lane.withLock { $0 = lane }
        ring()
    }

    func ring() {
        guard let lane = lane.withLock({ $0 }) else { return }
        loop.execute { lane.assumeIsolated { $0.attend() } }
    }

    /// Lets go of the lane, which holds the bell.
    func remove() { lane.withLock { $0 = nil } }
}
