internal import CLinux

/// Called once, on the loop's thread, after the batch of events and jobs in which it was asked for.
package protocol EndOfTurnHandler: AnyObject {
    /// The batch is over: the time to write out what it left behind.
    func turnDidEnd()
}

/// One thread that waits for descriptors, timers and jobs, and is a serial executor: actors pinned to it share its thread.
///
/// A turn is: events, timers that are due, jobs (a bounded number of rounds), end-of-turn handlers. Whatever is documented
/// as loop-confined must be called on the loop's thread and traps elsewhere. A turn allocates nothing once warm.
///
/// `@unchecked Sendable`: other threads reach the inbox, which has its lock, and constants; everything else is touched on the
/// loop's thread only, which ``preconditionCurrent()`` checks at each entrance.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// The most events taken from the kernel in one turn.
    private static let maximumEventsPerTurn = 256
    /// How often new jobs are fetched before the loop looks at its descriptors again.
    private static let maximumRoundsPerTurn = 4
    private static let wakeData = UInt64.max
    private static let timerData = UInt64.max - 1

    /// The name of the thread.
    package let name: String
    let clock: any MonotonicClock
    private let clockIsMovedByHand: Bool
    private let inbox = ExecutorInbox()
    private let thread = Locked<ExecutorThread.Handle?>(nil)

    private let epoll: Int32
    private let wakeUp: Int32
    private let alarm: Int32
    private let events: UnsafeMutablePointer<reveille_linux_event>

    // Unchecked exclusivity: these are touched on one thread, by accesses that end before any handler, closure or job is called,
    // and checking each of them was half of a turn's instructions.
    @exclusivity(unchecked) private var descriptors: DescriptorTable
    @exclusivity(unchecked) private var timers = TimerHeap()
    @exclusivity(unchecked) private var armedDeadline: MonotonicInstant?
    @exclusivity(unchecked) private var instantOfTurn: MonotonicInstant?
    @exclusivity(unchecked) private var batch: [ExecutorWork] = []
    @exclusivity(unchecked) private var endOfTurn: [any EndOfTurnHandler] = []
    @exclusivity(unchecked) private var endingTurn: [any EndOfTurnHandler] = []
    /// Loop-confined.
    let sleepers = LoopSleepers()

    /// A loop that does not run yet; what is put into it waits for ``start()``.
    ///
    /// - Precondition: the process may open three more descriptors.
    package init(name: String, clock: any MonotonicClock = SystemMonotonicClock()) {
        self.name = name
        self.clock = clock
        clockIsMovedByHand = clock.isMovedByHand
        epoll = reveille_linux_epoll_create()
        wakeUp = reveille_linux_eventfd_create(0)
        alarm = reveille_linux_timerfd_create()
        precondition(epoll >= 0 && wakeUp >= 0 && alarm >= 0, "no descriptors for an event loop")
        events = .allocate(capacity: Self.maximumEventsPerTurn)
        descriptors = DescriptorTable(epoll: epoll)
        // Edge-triggered, so that neither the counter nor the timer has to be read.
        let edge = UInt32(REVEILLE_LINUX_EPOLL_IN) | REVEILLE_LINUX_EPOLL_EDGE
        let watching =
            reveille_linux_epoll_add(epoll, wakeUp, edge, Self.wakeData) == 0
            && reveille_linux_epoll_add(epoll, alarm, edge, Self.timerData) == 0
        precondition(watching, "an event loop could not watch its own descriptors")
        clock.onAdvance { [weak self] in self?.nudge() }
    }

    deinit {
        for descriptor in [epoll, wakeUp, alarm] { _ = reveille_linux_close(descriptor) }
        events.deallocate()
    }

    // MARK: Life

    /// Starts the thread.
    ///
    /// A second call, or one after ``stop()``, does nothing.
    package func start() {
        thread.withLock { thread in
            guard thread == nil, inbox.threadStarts() else { return }
            thread = ExecutorThread.start(name: name, for: self) { self.run() }
        }
    }

    /// Ends the thread and waits for it.
    ///
    /// Jobs put in before and while it ends still run; timers and descriptors do not.
    ///
    /// Work that comes even later, as when a task returns to its actor, runs in order on a thread of its own, so nothing waits
    /// for ever. Further calls do nothing.
    ///
    /// - Precondition: not called on the loop's thread.
    package func stop() {
        precondition(!isCurrent, "an event loop cannot wait for itself")
        perform(inbox.requestStop())
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// Whether the calling thread is the loop's.
    package var isCurrent: Bool { ExecutorThread.isCurrent(self) }

    /// Traps unless called on the loop's thread.
    package func preconditionCurrent() {
        precondition(isCurrent, "called outside the event loop's thread")
    }

    // MARK: Work from any thread

    /// Runs `work` on the loop, after everything that was put in before.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        perform(inbox.put(.closure(work)))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        perform(inbox.put(.job(UnownedJob(job))))
    }

    package func checkIsolated() {
        preconditionCurrent()
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func nudge() {
        perform(inbox.nudge())
    }

    private func perform(_ duty: ExecutorInbox.Duty) {
        switch duty {
        case .nothing: break
        case .wake: _ = reveille_linux_eventfd_signal(wakeUp)
        case .drain: ExecutorThread.startDetached(name: name, for: self) { self.drain() }
        }
    }

    // MARK: Loop-confined

    /// The present instant: read once a turn, unless the clock is moved by hand.
    ///
    /// Loop-confined.
    package func now() -> MonotonicInstant {
        preconditionCurrent()
        return currentInstant()
    }

    /// The present instant, read anew: for what must not go on by a reading from before the process was stopped.
    ///
    /// Loop-confined. ``now()`` shows the same until the end of the turn.
    package func refreshedNow() -> MonotonicInstant {
        preconditionCurrent()
        instantOfTurn = nil
        return currentInstant()
    }

    /// Watches `descriptor`, level-triggered, and keeps `handler` alive until the registration is cancelled.
    ///
    /// Loop-confined.
    ///
    /// - Throws: `SystemError` when the kernel refuses the descriptor.
    package func register(
        _ descriptor: Int32, _ interest: Interest, _ handler: any DescriptorHandler
    ) throws(SystemError) -> DescriptorRegistration {
        preconditionCurrent()
        let position = try descriptors.add(descriptor, interest, handler)
        return DescriptorRegistration(loop: self, position: position)
    }

    /// Calls `body` once, `delay` from now; a delay of zero or less means the next turn.
    ///
    /// Loop-confined.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> LoopTimer {
        schedule(at: now() + delay, body)
    }

    /// Calls `body` once, when the clock shows `deadline`.
    ///
    /// Loop-confined.
    @discardableResult
    package func schedule(at deadline: MonotonicInstant, _ body: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer.once(on: self, body)
        timer.start(at: deadline)
        return timer
    }

    /// A timer that is not set yet and may be set any number of times.
    ///
    /// Loop-confined.
    package func makeTimer(_ body: @escaping () -> Void) -> LoopTimer {
        preconditionCurrent()
        return LoopTimer.reusable(on: self, body)
    }

    /// Calls `handler` once at the end of this turn, or of the next one when turns are just ending.
    ///
    /// Loop-confined.
    ///
    /// Asking twice in one turn means two calls: the handler remembers that it asked.
    package func atEndOfTurn(_ handler: any EndOfTurnHandler) {
        preconditionCurrent()
        endOfTurn.append(handler)
    }

    /// How many timers are set; loop-confined.
    package var pendingTimerCount: Int {
        preconditionCurrent()
        return timers.count
    }

    /// How many descriptors are watched; loop-confined.
    package var registrationCount: Int {
        preconditionCurrent()
        return descriptors.count
    }
}

// MARK: - For registrations and timers

extension EventLoop {
    func isRegistered(_ position: DescriptorTable.Position) -> Bool {
        preconditionCurrent()
        return descriptors.isCurrent(position)
    }

    func modify(_ position: DescriptorTable.Position, _ interest: Interest) throws(SystemError) {
        preconditionCurrent()
        try descriptors.modify(position, interest)
    }

    func deregister(_ position: DescriptorTable.Position) {
        preconditionCurrent()
        // Let go of after the table was changed, see DescriptorTable.
        let handler = descriptors.remove(position)
        withExtendedLifetime(handler) {}
    }

    func insert(_ timer: LoopTimer, deadline: MonotonicInstant) -> TimerHeap.Ticket {
        timers.insert(timer, deadline: deadline)
    }

    func remove(_ ticket: TimerHeap.Ticket) {
        // Let go of after the heap was changed, see TimerHeap.
        let timer = timers.remove(ticket)
        withExtendedLifetime(timer) {}
    }
}

// MARK: - The thread

extension EventLoop {
    private func run() {
        var next = ExecutorInbox.Next.poll
        while true {
            switch next {
            case .poll: waitForEvents(milliseconds: 0)
            case .sleep:
                armAlarm()
                waitForEvents(milliseconds: -1)
            case .leave:
                letGo()
                return drain()
            }
            fireTimers()
            runJobs()
            endTurn()
            next = inbox.beforeSleep(isBusy: !endOfTurn.isEmpty || hasDueTimer())
        }
    }

    private func waitForEvents(milliseconds: Int32) {
        let count = reveille_linux_epoll_wait(
            epoll, events, Int32(Self.maximumEventsPerTurn), milliseconds)
        precondition(count >= 0, "an event loop lost its descriptors")
        instantOfTurn = nil
        for index in 0..<Int(count) {
            let event = events[index]
            switch event.data {
            case Self.wakeData: continue
            case Self.timerData: armedDeadline = nil
            default:
                if let (handler, readiness) = descriptors.recipient(of: event) {
                    handler.descriptorReady(readiness)
                }
            }
        }
    }

    private func fireTimers() {
        guard timers.earliest() != nil else { return }
        let limit = timers.sequenceLimit
        let now = currentInstant()
        while let timer = timers.popDue(at: now, before: limit) { timer.fire() }
    }

    private func hasDueTimer() -> Bool {
        guard let deadline = timers.earliest() else { return false }
        return deadline <= currentInstant()
    }

    private func runJobs() {
        let executor = asUnownedSerialExecutor()
        for _ in 0..<Self.maximumRoundsPerTurn {
            inbox.take(into: &batch)
            guard !batch.isEmpty else { return }
            for work in batch { work.run(on: executor) }
            batch.removeAll(keepingCapacity: true)
        }
    }

    private func endTurn() {
        guard !endOfTurn.isEmpty else { return }
        swap(&endOfTurn, &endingTurn)
        for handler in endingTurn { handler.turnDidEnd() }
        endingTurn.removeAll(keepingCapacity: true)
    }

    /// Sets the kernel's timer for the earliest deadline, unless it rings earlier anyway: then the loop wakes once too often,
    /// which is cheaper than setting the timer for each change.
    private func armAlarm() {
        guard !clockIsMovedByHand, let deadline = timers.earliest() else { return }
        if let armedDeadline, armedDeadline <= deadline { return }
        let delay = deadline.nanoseconds - clock.now().nanoseconds
        _ = reveille_linux_timerfd_arm(alarm, max(delay, 1))
        armedDeadline = deadline
    }

    private func currentInstant() -> MonotonicInstant {
        if let instantOfTurn { return instantOfTurn }
        let now = clock.now()
        if !clockIsMovedByHand { instantOfTurn = now }
        return now
    }

    /// Lets go of timers and handlers here, so that they end on the thread they lived on, and of none while a table is changed.
    private func letGo() {
        sleepers.wakeAll()
        let (timers, descriptors, handlers) = (timers, descriptors, endOfTurn)
        self.timers = TimerHeap()
        self.descriptors = DescriptorTable(epoll: epoll)
        endOfTurn = []
        withExtendedLifetime((timers, descriptors, handlers)) {}
    }

    /// Runs what came too late for a turn; what it set up will not happen any more and is let go of again.
    private func drain() {
        let executor = asUnownedSerialExecutor()
        var late: [ExecutorWork] = []
        while inbox.takeLate(into: &late) {
            for work in late { work.run(on: executor) }
            late.removeAll(keepingCapacity: true)
            letGo()
        }
    }
}
