import Glibc
import ReveilleCore
import ReveilleInbox
import ReveilleRuntime
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Readiness follows the store", .temporaryDirectory)
struct ReadinessTests {
    private static func code(_ readiness: ReveilleInbox.Readiness) async -> InboxErrorCode? {
        do throws(InboxError) {
            _ = try await readiness.check()
            return nil
        } catch {
            return error.code
        }
    }

    private static func opened(
        _ clock: ManualClock, pause: @escaping ReveilleInbox.Readiness.Pause = { _ in try await OneShot<Void>().wait() }
    ) async throws -> (SQLiteHomeStore, ReveilleInbox.Readiness, path: String) {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let store = try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: .generate()), apps: AppRegistry([]), clock: clock, steady: clock
        )
        let lanes = LaneReports(store: store, control: NoLanes(), clock: clock)
        let readiness = ReveilleInbox.Readiness(store: store, lanes: lanes, clock: clock, pause: pause)
        return (store, readiness, path)
    }

    @Test("trouble is told at the next look, and its end at the look after it, without any time between")
    func recovery() async throws {
        let clock = ManualClock()
        let (store, readiness, path) = try await Self.opened(clock)
        #expect(await Self.code(readiness) == nil)
        for _ in 0..<3 {
            clock.advance(by: .seconds(1))
            #expect(rename(path, path + ".moved") == 0)
            #expect(await Self.code(readiness) == .storageFileMissing)
            #expect(await Self.code(readiness) == .storageFileMissing)
            #expect(rename(path + ".moved", path) == 0)
            #expect(await Self.code(readiness) == nil)
        }
        await store.close()
    }

    @Test("a good probe counts for a second")
    func recent() async throws {
        let clock = ManualClock()
        let (store, readiness, _) = try await Self.opened(clock)
        #expect(await Self.code(readiness) == nil)
        await store.close()
        clock.advance(by: .milliseconds(999))
        #expect(await Self.code(readiness) == nil)
        clock.advance(by: .milliseconds(1))
        #expect(await Self.code(readiness) == .storageClosed)
    }

    @Test("a store whose lock another process holds is busy after a second, for all who ask, and well when it is free")
    func lockedStore() async throws {
        let clock = ManualClock()
        try await withEventLoop(name: "pause", clock: clock) { loop in
            let pauses = Probe(0)
            let (store, readiness, path) = try await Self.opened(clock) { duration in
                #expect(duration == .seconds(1))
                pauses.update { $0 += 1 }
                try await loop.sleep(for: duration)
            }
            let other = try SQLiteConnection(path: path, access: .readWrite, busyMilliseconds: 0)
            try other.execute("BEGIN IMMEDIATE")
            async let first = Self.code(readiness)
            async let second = Self.code(readiness)
            try await pauses.wait { $0 == 1 }
            await loop.settle()
            clock.advance(by: .seconds(1))
            #expect(await first == .storageBusy)
            #expect(await second == .storageBusy)
            // The probe still waits; whoever asks now is told at once, without another.
            for _ in 0..<100 { #expect(await Self.code(readiness) == .storageBusy) }
            #expect(pauses.value == 1)
            try other.execute("ROLLBACK")
            var code: InboxErrorCode? = .storageBusy
            while code == .storageBusy {
                await Task.yield()
                code = await Self.code(readiness)
            }
            #expect(code == nil)
            await store.close()
        }
    }
}
