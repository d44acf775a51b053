package import ReveilleCore
package import ReveilleRuntime
package import ReveilleStorage
package import ReveilleTelemetry

/// Makes the sender of a lane on the lane's event loop; nil when no credential is set up for it.
package typealias LaneSenderFactory = @Sendable (LaneKey, any TrySource, EventLoop) -> (any WakeSender)?

/// Settings of a dispatcher.
package struct DispatcherOptions: Sendable {
    /// The lanes opened at start; others open when the store has wakes for them.
    package var lanes: [LaneKey] = []
    /// What bounds each lane.
    package var limits = LaneLimits()
    /// How often the store is swept and asked for due wakes.
    package var sweepInterval: Duration = .seconds(5)
    /// How long ``Dispatcher/run()`` may take to end after it is cancelled.
    package var drainLimit: Duration = .seconds(20)
    /// The part of it that is kept for recording what was answered.
    package var recordingReserve: Duration = .seconds(3)

    /// The defaults; each number has its reason above.
    package init() {}
}

/// Sends the wakes of a store: one lane for each key, each on one event loop.
///
/// The store's writer calls it as ``LaneIntake`` on its own thread: these calls take a lock for a moment and ring a loop.
package final class Dispatcher: LaneIntake, Service {
    enum Tenant {
        case opening
        case open(Lane, LaneDoorbell)
        /// There is no sender for the lane.
        case notConfigured
    }

    let options: DispatcherOptions
    let surroundings: Lane.Surroundings
    private let senders: LaneSenderFactory
    private let loops: [EventLoop]
    let tenants = Locked<[LaneKey: Tenant]>([:])
    private let jobs: JobQueue
    private let stopRequest = OneShot<Void>()
    let kick: Kick

    /// A dispatcher that does not run yet.
    ///
    /// - Parameters:
    ///   - tokens: opens sealed device tokens just before they are sent.
    ///   - senders: makes the sender of a lane, called on the lane's loop.
    ///   - loops: running event loops; lanes are spread over them.
    package init(
        store: any DispatchingStore, tokens: any TokenOpening, publicIDs: PublicIDs, collapse: CollapseKey,
        senders: @escaping LaneSenderFactory, loops: [EventLoop], options: DispatcherOptions,
        steady: any MonotonicClock = SystemMonotonicClock(), wall: any WallClock = SystemWallClock(),
        random: any RandomSource = SystemRandom(), log: Log, metrics: DispatcherMetrics
    ) {
        precondition(!loops.isEmpty, "lanes need an event loop")
        self.senders = senders
        self.loops = loops
        self.options = options
        let jobs = JobQueue()
        let kick = Kick()
        self.jobs = jobs
        self.kick = kick
        surroundings = Lane.Surroundings(
            store: store, tokens: tokens, ids: publicIDs, collapse: collapse, limits: options.limits, steady: steady,
            wall: wall,
            random: random, metrics: metrics, log: log.scoped("dispatcher"), jobs: jobs,
            clockDidJump: { kick.askForPlan() })
    }

    /// Sends until the task is cancelled, then drains: what was not sent goes back, what is in flight is awaited.
    package func run() async throws {
        // Apart from the caller's cancellation, which must not reach what still has to be recorded.
        let supervisor = Task { await self.supervise() }
        await withTaskCancellationHandler {
            await supervisor.value
        } onCancel: {
            stopRequest.fulfil(())
            kick.send()
        }
    }

    /// Settings changed: paused lanes and topics are probed at once.
    package func settingsChanged() {
        for lane in openLanes { lane.mailbox.noteSettingsChange() }
    }

    /// How each lane is, for readiness and diagnostics.
    package func health() async -> [LaneHealth] {
        let known = tenants.withLock { $0 }
        var all: [LaneHealth] = []
        for (key, tenant) in known {
            switch tenant {
            case .open(let lane, _): all.append(await lane.health())
            case .opening, .notConfigured: all.append(LaneHealth(notConfigured: key))
            }
        }
        return all.sorted { LaneLabel($0.key).rawValue < LaneLabel($1.key).rawValue }
    }

    // MARK: Life

    private func supervise() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await self.live()
                self.jobs.finish()
            }
            while let job = await jobs.next() { group.addTask { await job() } }
        }
        let tenants = tenants.withLock { $0 }
        for case .open(_, let doorbell) in tenants.values { doorbell.remove() }
    }

    private func live() async {
        await surroundings.store.attach(self)
        await sweepUntilStopped()
        let lanes = openLanes
        await withDiscardingTaskGroup { group in
            for lane in lanes {
                group.addTask {
                    await lane.drain(
                        within: self.options.drainLimit, recording: self.options.recordingReserve)
                }
            }
        }
    }

    var isStopping: Bool { stopRequest.value != nil }

    var timer: EventLoop { loops[0] }

    var openLanes: [Lane] {
        tenants.withLock { tenants in
            tenants.values.compactMap { tenant in
                switch tenant {
                case .open(let lane, _): lane
                case .opening, .notConfigured: nil
                }
            }
        }
    }

    /// A lane that is open.
    func openLane(_ key: LaneKey) -> Lane? {
        tenants.withLock { tenants in
            switch tenants[key] {
            case .open(let lane, _): lane
            case .opening, .notConfigured, nil: nil
            }
        }
    }

    /// Opens a lane unless it is open; returns it when it has a sender.
    @discardableResult
    func open(_ key: LaneKey, pauses: [PauseScope: ProviderReason] = [:]) async -> Lane? {
        enum Found {
            case lane(Lane)
            case nothing
            case mustOpen(Int)
        }
        let found: Found = tenants.withLock { tenants in
            switch tenants[key] {
            case .open(let lane, _): return .lane(lane)
            case .opening, .notConfigured: return .nothing
            case nil:
                tenants[key] = .opening
                return .mustOpen(tenants.count - 1)
            }
        }
        switch found {
        case .lane(let lane): return lane
        case .nothing: return nil
        case .mustOpen(let number):
            let loop = loops[number % loops.count]
            let doorbell = LaneDoorbell(loop: loop)
            let lane = Lane(
                key: key, loop: loop, surroundings: surroundings, pauses: pauses, doorbell: doorbell)
            let hasSender = await lane.open(surroundings, sender: senders)
            tenants.withLock { $0[key] = hasSender ? .open(lane, doorbell) : .notConfigured }
            guard hasSender else { return nil }
            doorbell.belong(to: lane)
            return lane
        }
    }

    // MARK: LaneIntake

    private func mailbox(of key: LaneKey) -> LaneMailbox? { openLane(key)?.mailbox }

    /// Room on a lane for wakes leased at insert; nil when it has none.
    package func reserve(_ lane: LaneKey, upTo count: Int) -> LeaseGrant? {
        mailbox(of: lane)?.reserve(upTo: count)
    }

    /// Takes back room that was not used.
    package func release(_ lane: LaneKey, count: Int) {
        mailbox(of: lane)?.release(count)
    }

    /// Hands wakes to their lane, after the commit.
    package func take(_ lane: LaneKey, _ wakes: [LeasedWake]) {
        mailbox(of: lane)?.take(wakes)
    }

    /// Tells a lane of wakes that are due, and opens it when nobody has.
    package func wakesAreWaiting(_ lane: LaneKey, dueMilliseconds: Int64) {
        enum Next {
            case tell(LaneMailbox)
            case nothing
            case open
        }
        let next: Next = tenants.withLock { tenants in
            switch tenants[lane] {
            case .open(let lane, _): .tell(lane.mailbox)
            // An opening lane asks the store by itself.
            case .opening, .notConfigured: .nothing
            case nil: .open
            }
        }
        switch next {
        case .tell(let mailbox): mailbox.noteDue(dueMilliseconds)
        case .nothing: break
        case .open: jobs.put { await self.open(lane) }
        }
    }

    /// Tells a lane what it must not send any more.
    package func revoke(_ lane: LaneKey, _ wakes: [WakeRow]) {
        mailbox(of: lane)?.revoke(wakes)
    }
}
