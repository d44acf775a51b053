import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let processes: [ConformanceCase] = [
        ConformanceCase("what one process accepted another sends") { world in
            let other = try await world.openAnother()
            try await world.device()
            let delivery = try await world.deliver()
            let wake = try #require(try await world.lease(from: other.store).first)
            #expect(wake.delivery == delivery)
            #expect(try other.vault.open(wake.sealedToken, device: wake.device).octets.first == 1)
            #expect(wake.collapse == (try await world.record(wake.wake).collapse))
        },
        ConformanceCase("processes share ids, cursors and display tokens") { world in
            let other = try await world.openAnother()
            let device = try await world.device()
            let here = world.opened.secrets
            #expect(
                here.publicIDs.serverDeviceID(of: device.row) == other.secrets.publicIDs.serverDeviceID(of: device.row))
            let cursor = Cursor(profile: device.profile, epoch: 1, change: 5)
            #expect(other.secrets.cursors.open(here.cursors.seal(cursor)) == cursor)
            let token = here.displayTokens.issue(device: device.row, generation: 3)
            #expect(other.secrets.displayTokens.issue(device: device.row, generation: 3) == token)
        },
        ConformanceCase("rows of two processes are numbered in one sequence") { world in
            let other = try await world.openAnother()
            var numbers: [Int64] = []
            for round in 0..<6 {
                let store = round % 2 == 0 ? world.store : other.store
                guard case .accepted(let accepted) = try await store.accept(world.post()) else {
                    throw Unexpected("not accepted")
                }
                numbers += accepted.deliveries.map(\.number)
            }
            #expect(numbers == Array(numbers[0]..<numbers[0] + 6))
        },
        ConformanceCase("a process that ends leaves its leases to the next start, not to its neighbours") { world in
            let other = try await world.openAnother()
            try await world.device()
            try await world.deliver()
            let wake = try #require(try await world.lease(from: other.store).first)
            let second = try await world.openAnother()
            #expect(try await world.record(wake.wake).state == .leased)
            await other.store.close()
            let third = try await world.openAnother()
            let record = try await world.record(wake.wake)
            #expect(record.state == .waiting && record.everLeased && record.failures == 0)
            #expect(try await world.lease(from: third.store).map(\.wake) == [wake.wake])
            #expect(try await world.lease(from: second.store).isEmpty)
        },
        ConformanceCase("a quarantine leaves alone what another process is sending, until it gives it back", neighbour),
        ConformanceCase("a closed store refuses everything") { world in
            let other = try await world.openAnother()
            await other.store.close()
            await expectClosed { _ = try await other.store.accept(world.post()) }
            await expectClosed { _ = try await other.store.producers() }
            await expectClosed { try await other.store.probeWrite() }
        },
        ConformanceCase("readiness is proved by writing") { world in
            try await world.store.probeWrite()
            #expect(try await world.store.reseal(limit: 100) == 0)
        },
    ]

    @Sendable private static func neighbour(_ world: StoreWorld) async throws {
        let other = try await world.openAnother()
        let device = try await world.device()
        try await world.deliver(series: "theirs")
        let theirs = try #require(try await world.lease(from: other.store).first)
        try await world.deliver(series: "gone")
        try await world.deliver(series: "ours")
        let ours = try await world.lease()
        try await world.settle(ours[0], .gone)
        #expect(try await world.reload(device).state == .quarantined)
        #expect(try await world.record(theirs.wake).state == .leased)
        #expect(try await world.record(ours[1].wake).state == .held)
        let given = [GivenBackWake(wake: theirs.wake, leaseToken: theirs.lease.token)]
        #expect(try await other.store.unsendable(StoreWorld.production, given) == [theirs.wake])
        try await other.store.giveBack(StoreWorld.production, given, as: .waiting)
        #expect(try await world.lease(from: other.store).isEmpty)
        #expect(try await world.record(theirs.wake).hold == .deviceQuarantined)
    }
}

private func expectClosed(_ body: () async throws -> Void) async {
    do {
        try await body()
        Issue.record("a closed store answered")
    } catch {
        #expect((error as? StoreError)?.code == .closed)
    }
}
