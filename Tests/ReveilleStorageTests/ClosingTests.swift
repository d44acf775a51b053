import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("A store that was closed", .temporaryDirectory, .timeLimit(.minutes(1)))
struct ClosingTests {
    /// Clocks that tell when nobody holds them any more.
    private final class HeldClock: MonotonicClock, WallClock {
        private let clock = ManualClock()
        private let released: Probe<Bool>

        init(_ released: Probe<Bool>) { self.released = released }

        deinit { released.update { $0 = true } }

        func now() -> MonotonicInstant { clock.now() }
        func now() -> WallInstant { clock.now() }
        var isMovedByHand: Bool { true }
    }

    @Test("leaves nothing of itself in memory")
    func freed() async throws {
        let released = Probe(false)
        try await Self.use(HeldClock(released))
        // Its threads end when they have handed over their last answers.
        try await released.wait { $0 }
        #expect(released.value)
    }

    /// Opens a store on `clock`, writes and reads through it, and closes it.
    private static func use(_ clock: HeldClock) async throws {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let store = try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: try #require(SQLiteStores.key)),
            apps: AppRegistry([SQLiteStores.app]), clock: clock, steady: clock)
        let producer = try #require(try await store.createProducer(name: "mail"))
        _ = try await store.profile("ann", of: producer)
        _ = try await store.wakeCounts()
        // Last, something that the writer does in its own name.
        try await store.probeWrite()
        await store.close()
    }
}
