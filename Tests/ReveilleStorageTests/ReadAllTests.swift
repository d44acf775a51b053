import Dispatch
import ReveilleCore
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Reading everything lets others write in between", .temporaryDirectory)
struct ReadAllTests {
    private static let unread = 2_500

    /// Within the transaction of each post it notes how many deliveries were read already, and waits until it may go on.
    private final class WatchingIntake: LaneIntake {
        private let path: String
        private let gate = DispatchSemaphore(value: 0)
        /// What was read when each post was in its transaction.
        let read = Probe<[Int64?]>([])

        init(path: String) { self.path = path }

        func reserve(_ lane: LaneKey, upTo count: Int) -> LeaseGrant? {
            let file = try? SQLiteConnection(path: path, access: .readOnly, busyMilliseconds: 5_000)
            let seen = try? file?.integer("SELECT count(*) FROM delivery WHERE read_at IS NOT NULL")
            read.append(seen)
            gate.wait()
            // Leased at insert, so that the next post has nothing to merge with and asks again.
            return LeaseGrant(count: count, lease: Lease(token: 7, untilMilliseconds: .max))
        }

        /// Lets posts go on.
        func letGo(_ count: Int) { for _ in 0..<count { gate.signal() } }

        func release(_ lane: LaneKey, count: Int) {}
        func take(_ lane: LaneKey, _ wakes: [LeasedWake]) {}
        func wakesAreWaiting(_ lane: LaneKey, dueMilliseconds: Int64) {}
        func revoke(_ lane: LaneKey, _ wakes: [WakeRow]) {}
    }

    @Test("a post that came meanwhile goes after the first thousand, and what it brings stays unread")
    func pieces() async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let before = try await SQLiteStores.open(path)
        let producer = try #require(try await before.createProducer(name: "producer"))
        _ = try await Self.register("bob", of: producer, in: before)
        let (ann, device) = try await Self.fill(before, producer)
        await before.close()
        let store = try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: try #require(SQLiteStores.key)),
            apps: AppRegistry([SQLiteStores.app]), steady: SteppingClock())
        let intake = WatchingIntake(path: path)
        await store.attach(intake)
        // Each is in the writer's queue when the next line runs.
        let first = Task.immediate { try await store.accept(Self.post(to: ["bob", "ann"], producer)) }
        try await intake.read.wait { $0.count == 1 }
        let reading = Task.immediate { try await store.markAllRead(of: ann, upTo: nil) }
        let second = Task.immediate { try await store.accept(Self.post(to: ["bob", "ann"], producer)) }
        intake.letGo(2)
        _ = try await (first.value, second.value)
        #expect(try await reading.value == Int64(Self.unread) + 1)
        #expect(intake.read.value == [0, 1_000])

        guard case .page(_, _, _, let unread, _) = try await store.changes(of: ann, since: nil, limit: 1) else {
            Issue.record("no page")
            return
        }
        #expect(unread == 1)
        guard case .accepted(let last) = try await second.value else { throw StoreError(.programming) }
        #expect(try await store.unsettledWakes(of: device).map(\.deliveries) == [last.deliveries.suffix(1)])
        #expect(try await store.markAllRead(of: ann, upTo: nil) == 1)
        #expect(try await store.unsettledWakes(of: device).isEmpty)
        await store.close()
    }

    @Test("what a crash left between two pieces is finished by reading everything again")
    func repeated() async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let store = try await SQLiteStores.open(path)
        let producer = try #require(try await store.createProducer(name: "producer"))
        let (ann, device) = try await Self.fill(store, producer)
        let wakes = try await store.unsettledWakes(of: device)
        #expect(!wakes.isEmpty)
        // As after a crash behind the last piece but one, and even behind the last delivery.
        let file = try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 5_000)
        try file.execute("UPDATE delivery SET read_at = 1")
        #expect(try await store.markAllRead(of: ann, upTo: nil) == 0)
        #expect(try await store.unsettledWakes(of: device).isEmpty)
        await store.close()
    }

    /// Gives a new device's profile many unread deliveries.
    private static func fill(
        _ store: SQLiteHomeStore, _ producer: ProducerRow
    ) async throws -> (ProfileRow, DeviceRow) {
        let device = try await register("ann", of: producer, in: store)
        try await withThrowingTaskGroup { group in
            for _ in 0..<unread { group.addTask { _ = try await store.accept(post(to: ["ann"], producer)) } }
            try await group.waitForAll()
        }
        return (device.profile, device.row)
    }

    private static func register(
        _ name: String, of producer: ProducerRow, in store: SQLiteHomeStore
    ) async throws -> Device {
        let result = try await store.register(
            DeviceRegistration(
                profile: try await store.profile(name, of: producer), signedInAtMilliseconds: 1, credential: nil,
                app: SQLiteStores.app, topic: SQLiteStores.app.identifier, lane: .apns(.production),
                address: .apns(try DeviceToken(octets: Array(name.utf8) + [UInt8](repeating: 1, count: 29))),
                installID: name,
                installationKey: nil, generation: nil, os: .iOS, name: .absent, appVersion: nil, locale: nil,
                pushMode: nil, categories: .absent, idempotencyKey: nil, verificationCode: nil))
        guard case .created(let device) = result else { throw StoreError(.programming) }
        return device
    }

    private static func post(to names: [String], _ producer: ProducerRow) -> NotificationPost {
        NotificationPost(
            producer: producer, recipients: names, category: "mail", title: "title", body: "", data: [], series: nil,
            alert: .visible, ttlSeconds: nil, idempotency: nil)
    }
}
