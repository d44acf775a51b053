import Glibc
import ReveilleCore
import ReveilleInbox
import ReveilleRuntime
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
        _ clock: ManualClock
    ) async throws -> (SQLiteHomeStore, ReveilleInbox.Readiness, path: String) {
        let path = try #require(TemporaryDirectory.current).file("store.db")
        let store = try await SQLiteHomeStore.open(
            path: path, masterKeys: MasterKeys(current: .generate()), apps: AppRegistry([]), clock: clock, steady: clock
        )
        let lanes = LaneReports(store: store, control: NoLanes(), clock: clock)
        let readiness = ReveilleInbox.Readiness(store: store, lanes: lanes, clock: clock)
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
}
