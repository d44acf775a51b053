import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleTelemetry

/// One lane in the process: its driver on its event loop, its calls of the store as tasks, its mailbox for other threads.
actor Lane {
    nonisolated let key: LaneKey
    nonisolated let mailbox: LaneMailbox
    nonisolated let loop: EventLoop
    private let store: any DispatchingStore
    private let driver: LaneDriver
    private var host: LoopHost?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What a lane shares with the other lanes of its dispatcher.
    struct Surroundings: Sendable {
        let store: any DispatchingStore
        let tokens: any TokenOpening
        let ids: PublicIDs
        let collapse: CollapseKey
        let limits: LaneLimits
        let steady: any MonotonicClock
        let wall: any WallClock
        let random: any RandomSource
        let metrics: DispatcherMetrics
        let log: Log
        let jobs: JobQueue
        /// Called on a lane's loop when it sees the wall clock jump.
        let clockDidJump: @Sendable () -> Void
    }

    init(
        key: LaneKey, loop: EventLoop, surroundings: Surroundings, pauses: [PauseScope: ProviderReason],
        doorbell: LaneDoorbell
    ) {
        self.key = key
        self.loop = loop
        store = surroundings.store
        let now = LaneTime(
            steady: surroundings.steady.now().nanoseconds / 1_000_000, wall: surroundings.wall.now().milliseconds)
        mailbox = LaneMailbox(
            steady: surroundings.steady, leaseMilliseconds: surroundings.limits.leaseMilliseconds,
            ring: { doorbell.ring() })
        driver = LaneDriver(
            key: key, limits: surroundings.limits, pauses: pauses, mailbox: mailbox, tokens: surroundings.tokens,
            ids: surroundings.ids, collapses: surroundings.collapse.maker(surroundings.ids),
            random: surroundings.random, metrics: surroundings.metrics, log: surroundings.log,
            at: now)
    }

    /// Begins: gets its sender, and asks the store what waits.
    ///
    /// - Returns: false when there is no sender for the lane; nothing is ever leased for it then.
    func open(_ surroundings: Surroundings, sender make: LaneSenderFactory) -> Bool {
        let jobs = surroundings.jobs
        let host = LoopHost(
            loop: loop, wall: surroundings.wall, driver: driver,
            start: { [weak self] command in
                jobs.put { await self?.perform(command) }
            }, jumped: surroundings.clockDidJump)
        self.host = host
        driver.host = host
        guard let sender = make(key, driver, loop) else { return false }
        driver.use(sender)
        return true
    }

    private func perform(_ command: LaneCommand) async {
        do throws(StoreError) {
            driver.handle(try await store.perform(command, for: key))
        } catch {
            driver.fail(command.kind, error)
        }
    }

    /// Looks after what gathered in the mailbox.
    func attend() { driver.attend() }

    /// How the lane is.
    func health() -> LaneHealth { driver.health() ?? LaneHealth(notConfigured: key) }

    /// Ends the lane: what was not sent goes back, what is in flight is awaited and recorded, until `limit`.
    ///
    /// What is still unanswered then stays leased: its outcome is unknown, and the next start sends it again.
    func drain(within limit: Duration, recording reserve: Duration) async {
        mailbox.stop()
        driver.attend()
        let deadline = loop.now() + limit
        await driver.drainSender(within: limit - reserve)
        driver.attend()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let end = OneTime { continuation.resume() }
            let timer = loop.schedule(at: deadline) { end.run() }
            driver.whenDrained = {
                timer.cancel()
                end.run()
            }
            driver.attend()
        }
    }
}

/// Runs something the first time it is asked to.
private final class OneTime {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) { self.body = body }

    func run() {
        let body = body
        self.body = nil
        body?()
    }
}
