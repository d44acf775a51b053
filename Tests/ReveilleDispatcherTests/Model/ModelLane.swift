import ReveilleCore
import ReveilleDispatcher
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting

/// The store's view of one simulated process: its lanes' mailboxes.
final class ModelIntake: LaneIntake {
    private let mailboxes: [LaneKey: LaneMailbox]

    init(_ mailboxes: [LaneKey: LaneMailbox]) {
        self.mailboxes = mailboxes
    }

    func reserve(_ lane: LaneKey, upTo count: Int) -> LeaseGrant? { mailboxes[lane]?.reserve(upTo: count) }
    func release(_ lane: LaneKey, count: Int) { mailboxes[lane]?.release(count) }
    func take(_ lane: LaneKey, _ wakes: [LeasedWake]) {
        taken.withLock { $0 += wakes.map { Taken(wake: $0.wake, until: $0.lease.untilMilliseconds) } }
        mailboxes[lane]?.take(wakes)
    }
    func wakesAreWaiting(_ lane: LaneKey, dueMilliseconds: Int64) { mailboxes[lane]?.noteDue(dueMilliseconds) }
    func revoke(_ lane: LaneKey, _ wakes: [WakeRow]) {
        revoked.withLock { $0.formUnion(wakes) }
        mailboxes[lane]?.revoke(wakes)
    }

    /// Whether a wake was revoked here since it was last leased.
    func wasRevoked(_ wake: WakeRow) -> Bool { revoked.withLock { $0.contains(wake) } }

    /// A wake was leased here, which it would not have been after its end.
    func leasedAnew(_ wake: WakeRow) { _ = revoked.withLock { $0.remove(wake) } }

    private let revoked = Locked<Set<WakeRow>>([])

    /// A lease made at insert.
    struct Taken: Sendable {
        let wake: WakeRow
        let until: Int64
    }

    private let taken = Locked<[Taken]>([])

    /// The leases made at insert since the last look.
    func collectTaken() -> [Taken] {
        taken.withLock { taken in
            defer { taken = [] }
            return taken
        }
    }
}

/// One lane of one simulated process, moved by hand.
final class ModelLane {
    let key: LaneKey
    let driver: LaneDriver
    let host: SteppedHost
    let sender = HandSender()
    let mailbox: LaneMailbox
    private let buffer = TryBuffer()
    private var pulls = 0

    init(
        key: LaneKey, mailbox: LaneMailbox, store: SQLiteHomeStore, pauses: [PauseScope: ProviderReason],
        clock: ManualClock, seed: UInt64
    ) {
        self.key = key
        self.mailbox = mailbox
        host = SteppedHost(clock: clock)
        driver = LaneDriver(
            key: key, limits: LaneLimits(), pauses: pauses, mailbox: mailbox, tokens: store.vault,
            ids: store.secrets.publicIDs, collapses: nil, random: SeededRandom(seed: seed),
            metrics: DispatcherMetrics(registry: MetricsRegistry(), reasons: []), log: .silent, at: host.time())
        driver.host = host
        driver.use(sender)
        driver.senderDidChange(.ready)
        turn()
    }

    func turn() {
        driver.attend()
        host.run(driver)
    }

    /// What a free stream gets; the mailbox is looked at first, as the loop does before it serves a stream.
    func pull() -> SentRequest? {
        turn()
        // Streams for either standing become free in turn.
        pulls += 1
        let standings = pulls.isMultiple(of: 2) ? TokenStanding.allCases : TokenStanding.allCases.reversed()
        guard standings.contains(where: { driver.nextTry(of: $0, into: buffer) }) else {
            turn()
            return nil
        }
        return SentRequest(buffer)
    }
}

/// One simulated process on the shared file.
final class ModelProcess {
    let number: Int
    let store: SQLiteHomeStore
    let lanes: [ModelLane]
    let intake: ModelIntake
    var sweepClock = ClockJump()

    init(number: Int, store: SQLiteHomeStore, clock: ManualClock, seed: UInt64) async throws {
        self.number = number
        self.store = store
        let keys = APNsEnvironment.allCases.map { LaneKey.apns($0) }
        let mailboxes = Dictionary(
            uniqueKeysWithValues: keys.map {
                ($0, LaneMailbox(steady: clock, leaseMilliseconds: 60_000, ring: {}))
            })
        let intake = ModelIntake(mailboxes)
        self.intake = intake
        // As the dispatcher does: it plans when it starts, and holds later readings against this one.
        _ = sweepClock.observe(
            wall: (clock.now() as WallInstant).milliseconds,
            steady: (clock.now() as MonotonicInstant).nanoseconds / 1_000_000)
        try await store.replan()
        let statuses = try await store.lanes()
        await store.attach(intake)
        for status in statuses where status.pauses.isEmpty && status.held > 0 { mailboxes[status.key]?.noteStranded() }
        var lanes: [ModelLane] = []
        for (index, key) in keys.enumerated() {
            guard let mailbox = mailboxes[key] else { continue }
            var pauses: [PauseScope: ProviderReason] = [:]
            for status in statuses where status.key == key {
                for pause in status.pauses { pauses[pause.topic.map { .topic($0) } ?? .lane] = pause.reason }
            }
            lanes.append(
                ModelLane(
                    key: key, mailbox: mailbox, store: store, pauses: pauses, clock: clock, seed: seed + UInt64(index)))
        }
        self.lanes = lanes
    }
}
