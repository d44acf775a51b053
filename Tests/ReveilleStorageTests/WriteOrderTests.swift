import Dispatch
import ReveilleCore
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Who writes first", .temporaryDirectory)
struct WriteOrderTests {
    /// A wake's row.
    private struct Seen: Hashable {
        let state: Int64
        let leaseUntil: Int64?

        static let leased = Seen(state: WakeState.leased.rawValue, leaseUntil: .max)
    }

    /// Leases everything at insert, and notes what had become of a wake when others are handed over.
    ///
    /// From the watching on, each post waits within its transaction until it may go on.
    private final class WatchingIntake: LaneIntake {
        private let path: String
        private let watched = Locked<WakeRow?>(nil)
        private let states = Locked<[Seen?]>([])
        let taken = Probe<[LeasedWake]>([])
        /// How many posts are or were within a transaction since the watching began.
        let begun = Probe(0)
        private let gate = DispatchSemaphore(value: 0)

        init(path: String) { self.path = path }

        func watch(_ wake: WakeRow) { watched.withLock { $0 = wake } }
        /// What was stored of the watched wake, one for each time that wakes were handed over.
        var seen: [Seen?] { states.withLock { $0 } }

        func reserve(_ lane: LaneKey, upTo count: Int) -> LeaseGrant? {
            if watched.withLock({ $0 }) != nil {
                begun.update { $0 += 1 }
                gate.wait()
            }
            return LeaseGrant(count: count, lease: Lease(token: 7, untilMilliseconds: .max))
        }

        /// Lets the post within a transaction go on.
        func letGo() { gate.signal() }

        func take(_ lane: LaneKey, _ wakes: [LeasedWake]) {
            if let wake = watched.withLock({ $0 }) {
                let file = try? SQLiteConnection(path: path, access: .readOnly, busyMilliseconds: 5_000)
                let find = try? file?.prepare("SELECT state, lease_until FROM wake WHERE id = ?1")
                find?.bind(1, wake.number)
                let seen = try? find?.first { Seen(state: $0.integer(0), leaseUntil: $0.optionalInteger(1)) }
                states.withLock { $0.append(seen) }
            }
            for wake in wakes { taken.append(wake) }
        }

        func release(_ lane: LaneKey, count: Int) {}
        func wakesAreWaiting(_ lane: LaneKey, dueMilliseconds: Int64) {}
        func revoke(_ lane: LaneKey, _ wakes: [WakeRow]) {}
    }

    private enum Finishing: CaseIterable {
        case settle, giveBack, renew

        /// What the wake's row says afterwards.
        var result: Seen {
            switch self {
            case .settle: Seen(state: WakeState.accepted.rawValue, leaseUntil: nil)
            case .giveBack: Seen(state: WakeState.waiting.rawValue, leaseUntil: nil)
            case .renew: Seen(state: WakeState.leased.rawValue, leaseUntil: 5_000)
            }
        }

        func run(_ store: SQLiteHomeStore, _ wake: LeasedWake) async throws {
            switch self {
            case .settle:
                _ = try await store.settle(
                    SQLiteStores.lane,
                    [
                        EndedTry(
                            wake: wake.wake, leaseToken: wake.lease.token, outcome: .accepted, status: 200,
                            endedAtMilliseconds: 1)
                    ])
            case .giveBack:
                try await store.giveBack(
                    SQLiteStores.lane, [GivenBackWake(wake: wake.wake, leaseToken: wake.lease.token)], as: .waiting)
            case .renew:
                _ = try await store.renew(
                    SQLiteStores.lane, [wake.wake], token: wake.lease.token, untilMilliseconds: 5_000)
            }
        }
    }

    @Test("what finishes a wake goes before the posts that wait already", arguments: Finishing.allCases)
    private func finishingFirst(_ finishing: Finishing) async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let store = try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: try #require(SQLiteStores.key)),
            apps: AppRegistry([SQLiteStores.app]), steady: SteppingClock())
        let intake = WatchingIntake(path: path)
        await store.attach(intake)
        let producer = try #require(try await store.createProducer(name: "producer"))
        for name in ["ann", "bob", "cid", "dan"] { try await Self.register(name, of: producer, in: store) }
        _ = try await store.accept(Self.post(to: "ann", producer))
        let wake = try #require(try await intake.taken.wait { !$0.isEmpty }.first)
        intake.watch(wake.wake)

        // Each is in the writer's queue when the next line runs.
        let first = Task.immediate { try await store.accept(Self.post(to: "bob", producer)) }
        try await intake.begun.wait { $0 == 1 }
        let second = Task.immediate { try await store.accept(Self.post(to: "cid", producer)) }
        let third = Task.immediate { try await store.accept(Self.post(to: "dan", producer)) }
        intake.letGo()
        try await intake.begun.wait { $0 == 2 }
        // The writer has the third in hand already.
        let last = Task.immediate { try await finishing.run(store, wake) }
        intake.letGo()
        try await intake.begun.wait { $0 == 3 }
        intake.letGo()
        _ = try await (first.value, second.value, third.value, last.value)
        #expect(intake.seen == [.leased, .leased, finishing.result])
        await store.close()
    }

    private static func post(to name: String, _ producer: ProducerRow) -> NotificationPost {
        NotificationPost(
            producer: producer, recipients: [name], category: "mail", title: "title", body: "", data: [], series: nil,
            alert: .visible, ttlSeconds: nil, idempotency: nil)
    }

    private static func register(_ name: String, of producer: ProducerRow, in store: SQLiteHomeStore) async throws {
        _ = try await store.register(
            DeviceRegistration(
                profile: try await store.profile(name, of: producer), signedInAtMilliseconds: 1, credential: nil,
                app: SQLiteStores.app, topic: SQLiteStores.app.identifier, lane: .apns(.production),
                address: .apns(try DeviceToken(octets: Array(name.utf8) + [UInt8](repeating: 1, count: 29))),
                installID: name,
                installationKey: nil, generation: nil, os: .iOS, name: .absent, appVersion: nil, locale: nil,
                pushMode: nil, categories: .absent, idempotencyKey: nil, verificationCode: nil))
    }
}
