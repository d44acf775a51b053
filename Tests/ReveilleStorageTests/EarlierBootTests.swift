import ReveilleCore
import ReveilleSQLite
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

@Suite("Leases from before the machine started anew", .temporaryDirectory)
struct EarlierBootTests {
    /// After a restart of the machine the numbers of slots are given out anew: that the slot of a lease is taken proves nothing.
    @Test(
        "are void at the next start though their slot is taken; those of this boot are not", arguments: [true, false])
    func freed(isEarlier: Bool) async throws {
        let scene = try await ActScene(path: try #require(TemporaryDirectory.current).file("store.db"))
        let round = try await scene.leased()
        if isEarlier {
            let file = try SQLiteConnection(path: scene.path, access: .readWrite, busyMilliseconds: 0)
            try file.execute("UPDATE wake SET lease_boot = lease_boot - 1 WHERE state = 1")
        }
        let next = try await scene.reopen()
        let wake = try #require(try await next.wake(round.wake.row))
        #expect(wake.state == (isEarlier ? .waiting : .leased))
        #expect(wake.everLeased && wake.failures == 0)
        let leased = try await next.lease(
            SQLiteStores.lane, limit: 10, lease: scene.lease(), onlyTopic: nil, excludingTopics: [])
        #expect(leased.map(\.wake) == (isEarlier ? [round.wake.row] : []))
        await next.close()
        await scene.store.close()
    }
}
