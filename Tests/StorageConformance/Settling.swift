import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let settling: [ConformanceCase] = [
        ConformanceCase("an accepted wake is settled, and its device and lane have a success") { world in
            let device = try await world.device()
            try await world.deliver()
            let wake = try await world.leaseOne()
            world.advance(by: .seconds(2))
            let settled = try await world.settle(wake, .accepted, status: 200)
            #expect(settled.topic == "org.example.app" && settled.dueAtMilliseconds == nil)
            #expect(settled.settlement.wake == .settle(.accepted) && settled.settlement.lane == .healthy)
            let record = try await world.record(wake.wake)
            #expect(record.state == .accepted && record.settledAtMilliseconds == world.now)
            #expect(try await world.reload(device).lastSuccessMilliseconds == world.now)
            #expect(try await world.store.tries(of: wake.wake).isEmpty)
            try await world.deliver()
            let lane = try #require(try await world.store.lanes().first)
            #expect(lane.lastAcceptedMilliseconds == world.now && lane.waiting == 1 && lane.devices == 1)
        },
        ConformanceCase("accepted is recorded whatever became of the lease, everything else by its holder only") {
            world in
            try await world.device()
            try await world.deliver(series: "a")
            let wake = try await world.leaseOne()
            let ignored = try await world.settle(.stale(wake), .unavailable)
            #expect(ignored.settlement.wake == .none)
            #expect(try await world.record(wake.wake).state == .leased)
            try await world.settle(.stale(wake), .accepted)
            #expect(try await world.record(wake.wake).state == .accepted)
            let late = try await world.settle(wake, .refusal)
            #expect(late.settlement.wake == .none)
            #expect(try await world.record(wake.wake).state == .accepted)
        },
        ConformanceCase("a retry is due by the schedule and never under the provider's floor", retries),
        ConformanceCase("a try whose time was taken before the clock was set back is due by the new time") { world in
            try await world.device()
            try await world.deliver()
            let wake = try await world.leaseOne()
            let ahead = world.now + 3_600_000
            let ended = EndedTry(
                wake: wake.wake, leaseToken: wake.lease.token, outcome: .unavailable, status: 503,
                startedAtMilliseconds: ahead - 1_000, endedAtMilliseconds: ahead)
            let settled = try await world.store.settle(StoreWorld.production, [ended])
            let due = try #require(settled.first?.dueAtMilliseconds)
            #expect(due >= world.now && due <= world.now + 60_000)
            #expect(try await world.record(wake.wake).dueAtMilliseconds == due)
            #expect(try await world.store.tries(of: wake.wake).map(\.endedAtMilliseconds) == [world.now])
            world.advance(by: .seconds(60))
            let again = EndedTry(
                wake: try await world.leaseOne().wake, leaseToken: wake.lease.token, outcome: .accepted, status: 200,
                endedAtMilliseconds: ahead)
            _ = try await world.store.settle(StoreWorld.production, [again])
            #expect(try await world.record(wake.wake).settledAtMilliseconds == world.now)
        },
        ConformanceCase("a wake whose connection died goes again as it was, and nothing is held against its device") {
            world in
            let device = try await world.device()
            try await world.deliver(series: "s")
            let first = try await world.leaseOne()
            let settled = try await world.settle(first, .lost)
            #expect(settled.dueAtMilliseconds == world.now)
            let again = try await world.leaseOne()
            #expect(again.wake == first.wake && again.collapse == first.collapse)
            let after = try await world.reload(device)
            #expect(after.state == .active && after.lastFailureMilliseconds == nil)
        },
        ConformanceCase("of many devices only the one that failed is tried again") { world in
            for name in ["a", "b", "c"] { try await world.device(name, token: name.utf8.first ?? 0) }
            try await world.accept(world.post(["a", "b", "c"]))
            let wakes = try await world.lease()
            #expect(wakes.count == 3)
            let tries = wakes.enumerated().map { index, wake in
                EndedTry(
                    wake: wake.wake, leaseToken: wake.lease.token, outcome: index == 2 ? .unavailable : .accepted,
                    status: index == 2 ? 503 : 200, endedAtMilliseconds: world.now)
            }
            _ = try await world.store.settle(StoreWorld.production, tries)
            world.advance(by: .seconds(61))
            let again = try await world.lease()
            #expect(again.map(\.wake) == [wakes[2].wake])
        },
        ConformanceCase("a retry that would come after the end of the life is the end") { world in
            try await world.device()
            try await world.deliver(ttl: 60)
            let wake = try await world.leaseOne()
            try await world.settle(wake, .retry(reason: .busy, after: .schedule(seconds: 300)))
            #expect(try await world.record(wake.wake).state == .expired)
        },
        ConformanceCase("a new credential is tried once, then an operator must act") { world in
            try await world.device()
            try await world.deliver()
            let outcome = Outcome.renewCredential(reason: .badCredential)
            let first = try await world.settle(try await world.leaseOne(), outcome)
            #expect(first.dueAtMilliseconds == world.now)
            let wake = try await world.leaseOne()
            let second = try await world.settle(wake, outcome)
            #expect(second.settlement.lane == .misconfigured(reason: .badCredential, scope: .lane))
            let record = try await world.record(wake.wake)
            #expect(record.state == .held && record.hold == .laneMisconfigured)
        },
        ConformanceCase("a refused wake fails and is shown with its try") { world in
            let device = try await world.device()
            try await world.deliver()
            let wake = try await world.leaseOne()
            try await world.settle(wake, .refusal, status: 400)
            #expect(try await world.record(wake.wake).state == .failed)
            let tries = try await world.store.tries(of: wake.wake)
            #expect(tries.map(\.outcome) == ["refused"] && tries.map(\.status) == [400])
            #expect(tries.map(\.reason) == [.refusedPayload])
            let after = try await world.reload(device)
            #expect(after.state == .active && after.lastFailure == .refusedPayload)
            let failed = try await world.store.wakes(after: nil, state: .failed, limit: 10)
            #expect(failed.map(\.row) == [wake.wake])
            #expect(try await world.store.wakeCounts() == [.failed: 1])
        },
        ConformanceCase("tries of a batch are settled in order, each in the light of those before it") { world in
            try await world.device("first", token: 1)
            try await world.device("second", token: 2)
            try await world.device("third", token: 3)
            try await world.accept(world.post(["first", "second", "third"]))
            let wakes = try await world.lease()
            let outcomes: [Outcome] = [.gone, .accepted, .gone]
            let tries = zip(wakes, outcomes).map { wake, outcome in
                EndedTry(
                    wake: wake.wake, leaseToken: wake.lease.token, outcome: outcome, status: 0,
                    endedAtMilliseconds: world.now)
            }
            let settled = try await world.store.settle(StoreWorld.production, tries)
            #expect(settled.map(\.wake) == wakes.map(\.wake))
            // No accepted send stood before the first "gone", one before the third.
            #expect(try await world.store.device(wakes[0].device)?.state == .quarantined)
            #expect(try await world.store.device(wakes[2].device)?.state == .needsRegistration)
        },
        ConformanceCase("a wake that was rotated away in flight is superseded when its try does not end accepted") {
            world in
            let device = try await world.device()
            try await world.deliver()
            let wake = try await world.leaseOne()
            let rotated = try world.registration(try await world.profile(), token: 2, install: "install-1")
            _ = try await world.existing(rotated)
            #expect(try await world.record(wake.wake).state == .leased)
            world.intake.forget()
            let settled = try await world.settle(wake, .gone)
            #expect(settled.settlement.wake == .supersede && settled.dueAtMilliseconds == world.now)
            #expect(world.intake.seen.due == [StoreWorld.production: world.now])
            let successor = try await world.leaseOne()
            #expect(successor.wake != wake.wake)
            #expect(try world.opened.vault.open(successor.sealedToken, device: device.row).octets.first == 2)
            #expect(try await world.reload(device).state == .active)
        },
        ConformanceCase("an accepted send to a token that was rotated away is no success of the device") { world in
            let device = try await world.device()
            try await world.deliver()
            let wake = try await world.leaseOne()
            _ = try await world.existing(
                try world.registration(try await world.profile(), token: 2, install: "install-1"))
            try await world.settle(wake, .accepted)
            #expect(try await world.record(wake.wake).state == .accepted)
            #expect(try await world.reload(device).lastSuccessMilliseconds == nil)
        },
        ConformanceCase("the end of a try of a wake that does not exist changes nothing") { world in
            let ended = EndedTry(
                wake: WakeRow(4_711), leaseToken: 1, outcome: .accepted, status: 200, endedAtMilliseconds: world.now)
            let settled = try await world.store.settle(StoreWorld.production, [ended])
            #expect(settled.map(\.settlement.wake) == [.none])
        },
    ]

    @Sendable private static func retries(_ world: StoreWorld) async throws {
        try await world.device()
        try await world.deliver()
        for failures in 1...3 as ClosedRange<Int64> {
            let wake = try await world.leaseOne()
            #expect(wake.failures == failures - 1)
            world.intake.forget()
            let settled = try await world.settle(wake, .unavailable, status: 503)
            let due = try #require(settled.dueAtMilliseconds)
            #expect(due >= world.now && due <= world.now + (60_000 << (failures - 1)))
            #expect(world.intake.seen.due == [StoreWorld.production: due])
            #expect(try await world.record(wake.wake).dueAtMilliseconds == due)
            world.advance(by: .milliseconds(due - world.now))
        }
        let wake = try await world.leaseOne()
        let settled = try await world.settle(wake, .retry(reason: .busy, after: .lanePaced(seconds: 1_000)))
        let due = try #require(settled.dueAtMilliseconds)
        #expect(due >= world.now + 1_000_000 && settled.settlement.lane == .paced(reason: .busy, seconds: 1_000))
        let lane = try await world.store.allLanes().first { $0.key == StoreWorld.production }
        #expect(lane?.lastFailure == .busy && lane?.lastFailureMilliseconds == world.now)
        #expect(try await world.lease().isEmpty)
        #expect(try await world.store.tries(of: wake.wake).map(\.status) == [503, 503, 503, 0])
    }
}
