import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let pauses: [ConformanceCase] = [
        ConformanceCase("a paused lane holds what waits and what comes, and is shown with its reason") { world in
            let device = try await world.device()
            try await world.deliver(series: "a")
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            world.intake.give(room: 10, world.freshLease())
            try await world.deliver(series: "b")
            #expect(world.intake.seen.taken.isEmpty)
            let wakes = try await world.unsettled(device)
            #expect(wakes.count == 2 && wakes.allSatisfy { $0.state == .held && $0.hold == .laneMisconfigured })
            #expect(try await world.lease().isEmpty)
            let lane = try #require(try await world.store.lanes().first)
            #expect(lane.key == StoreWorld.production && lane.held == 2 && lane.waiting == 0)
            #expect(lane.pauses.map(\.reason) == [.badCredential] && lane.pauses.first?.topic == nil)
        },
        ConformanceCase("a paused topic leaves the others alone") { world in
            let phone = try await world.device(token: 1)
            let mail = try await world.device("bob", token: 2, app: StoreWorld.mailApp)
            try await world.store.recordPause(
                StoreWorld.production, topic: "org.example.mail", reason: ProviderReason("BadTopic"))
            try await world.accept(world.post(["ann", "bob"]))
            #expect(try await world.unsettled(phone).map(\.state) == [.waiting])
            #expect(try await world.unsettled(mail).map(\.state) == [.held])
            let lane = try #require(try await world.store.lanes().first)
            #expect(lane.pauses.map(\.topic) == ["org.example.mail"])
        },
        ConformanceCase("a pause without wakes is known at the next start, and gone when it ended") { world in
            try await world.store.recordPause(StoreWorld.sandbox, topic: nil, reason: .badCredential)
            let other = try await world.openAnother()
            #expect(try await other.store.lanes().map(\.key) == [StoreWorld.sandbox])
            try await world.store.recordPause(StoreWorld.sandbox, topic: nil, reason: nil)
            #expect(try await other.store.lanes().isEmpty)
        },
        ConformanceCase("a lane without work is shown to the operator, and not started") { world in
            try await world.proveLane()
            #expect(try await world.store.lanes().isEmpty)
            let lane = try #require(try await world.store.allLanes().first)
            #expect(
                lane.key == StoreWorld.production && lane.devices == 1 && lane.lastAcceptedMilliseconds == world.now)
        },
        ConformanceCase("a paused lane is probed with one held wake, else with one that waits") { world in
            try await world.device(token: 1)
            try await world.device("bob", token: 2)
            try await world.deliver("ann")
            let lease = world.freshLease()
            let waiting = try await world.store.leaseLaneProbe(StoreWorld.production, topic: nil, lease: lease)
            let first = try #require(waiting)
            try await world.settle(first, .misconfiguredLane)
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            try await world.deliver("bob")
            let held = try #require(
                try await world.store.leaseLaneProbe(StoreWorld.production, topic: nil, lease: lease))
            #expect(try await world.record(held.wake).state == .leased)
            try await world.settle(held, .misconfiguredLane)
            #expect(try await world.record(held.wake).state == .held)
            let topic = try await world.store.leaseLaneProbe(
                StoreWorld.production, topic: "org.example.mail", lease: lease)
            #expect(topic == nil)
        },
        ConformanceCase("the wake that is due next can be leased before its time, a held or expired one cannot") {
            world in
            let lane = StoreWorld.production
            #expect(try await world.store.leaseEarliest(lane, lease: world.freshLease()) == nil)
            try await world.device(token: 1)
            try await world.device("bob", token: 2)
            try await world.deliver("ann", ttl: 60)
            let first = try await world.leaseOne()
            try await world.settle(first, .retry(reason: .busy, after: .lanePaced(seconds: 30)))
            try await world.deliver("bob")
            let second = try await world.leaseOne()
            try await world.settle(second, .retry(reason: .busy, after: .lanePaced(seconds: 1_000)))
            #expect(try await world.lease().isEmpty)
            let earliest = try await world.store.leaseEarliest(lane, lease: world.freshLease())
            #expect(earliest?.wake == first.wake && earliest?.failures == 1)
            try await world.settle(first, .misconfiguredLane)
            let next = try await world.store.leaseEarliest(lane, lease: world.freshLease())
            #expect(next?.wake == second.wake)
            #expect(try await world.store.leaseEarliest(lane, lease: world.freshLease()) == nil)
        },
        ConformanceCase("after a pause each device gets one wake for all that was held or expired", oneForAll),
        ConformanceCase("after a pause a device that missed nothing visible any more gets none") { world in
            let device = try await world.device()
            let delivery = try await world.deliver(ttl: 60)
            let synced = try await world.device("bob", token: 2)
            let fetched = try await world.deliver("bob")
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            try await world.store.acknowledge(try await world.cursor(at: fetched, "bob"), by: synced.row)
            world.advance(by: .seconds(61))
            _ = try await world.store.sweep(expiryAllowed: true)
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: nil)
            #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 0)
            #expect(try await world.unsettled(device).isEmpty && delivery != fetched)
            #expect(try await world.unsettled(synced).isEmpty)
            #expect(try await world.lease().isEmpty)
        },
        ConformanceCase("a held wake that is alone goes out as it was") { world in
            let device = try await world.device()
            try await world.deliver(series: "s")
            let first = try await world.leaseOne()
            try await world.settle(first, .misconfiguredLane)
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: nil)
            #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 1)
            let again = try await world.leaseOne()
            #expect(again.wake == first.wake && again.collapse == first.collapse)
            #expect(try await world.unsettled(device).count == 1)
        },
        ConformanceCase("silent wakes that were held are released") { world in
            let device = try await world.device()
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            try await world.deliver(alert: .silent)
            try await world.deliver(alert: .silent)
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: nil)
            #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 0)
            #expect(try await world.unsettled(device).map(\.state) == [.waiting])
        },
        ConformanceCase("a silent delivery that had merged into a visible wake is caught up with it") { world in
            // On a Mac both are background wakes, and merge.
            let device = try await world.device(app: StoreWorld.mailApp) { $0.os = .macOS }
            try await world.deliver(series: "sent")
            try await world.settle(try await world.leaseOne(), .misconfiguredLane)
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            let silent = try await world.deliver(alert: .silent)
            let visible = try await world.deliver(series: "visible")
            #expect(try await world.unsettled(device).last?.deliveries == [silent, visible])
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: nil)
            #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 1)
            #expect(try await world.unsettled(device).map { $0.deliveries.contains(silent) } == [true])
        },
        ConformanceCase(
            "after a pause a visible delivery is caught up, however many silent ones came after it", behindSilent),
        ConformanceCase("after a pause the life of a delivery does not count what the clock jumped") { world in
            let device = try await world.device()
            try await world.store.replan()
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            let deliveries = [
                try await world.deliver(series: "a", ttl: 3_600), try await world.deliver(series: "b", ttl: 3_600),
            ]
            world.jumpWall(by: .seconds(7_200))
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: nil)
            #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 1)
            #expect(try await world.unsettled(device).map(\.deliveries) == [deliveries])
        },
        ConformanceCase("a wake that a pause stopped on its way to the other environment is caught up") { world in
            let device = try await world.device()
            let first = try await world.deliver(series: "a")
            try await world.settle(try await world.leaseOne(), .wrongEnvironment(reason: .badToken))
            let deliveries = [first, try await world.deliver(series: "b")]
            try await world.store.recordPause(StoreWorld.sandbox, topic: nil, reason: .badCredential)
            try await world.store.recordPause(StoreWorld.sandbox, topic: nil, reason: nil)
            #expect(try await world.store.catchUp(StoreWorld.sandbox, topic: nil) == 1)
            let wakes = try await world.unsettled(device)
            #expect(Set(wakes.flatMap(\.deliveries)) == Set(deliveries))
            #expect(wakes.allSatisfy { $0.state == .waiting })
        },
        ConformanceCase("many devices are caught up, each once") { world in
            var names: [String] = []
            for number in 0..<450 {
                names.append("user-\(number)")
                try await world.device(names[number], octets: [1, UInt8(number / 250), UInt8(number % 250)])
            }
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            for series in ["a", "b"] { try await world.accept(world.post(names, series: series)) }
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: nil)
            #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 450)
            let wakes = try await world.lease(1_000)
            #expect(wakes.count == 450 && Set(wakes.map(\.device)).count == 450)
        },
    ]

    @Sendable private static func behindSilent(_ world: StoreWorld) async throws {
        // On a Mac the silent ones merge into the visible one's wake.
        for (name, token, os) in [("phone", 1, DeviceOS.iOS), ("mac", 2, .macOS)] as [(String, UInt8, DeviceOS)] {
            let device = try await world.device(name, token: token, app: StoreWorld.mailApp) { $0.os = os }
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
            let visible = try await world.deliver(name)
            try await withThrowingTaskGroup { group in
                for _ in 0..<1_005 { group.addTask { try await world.deliver(name, alert: .silent) } }
                try await group.waitForAll()
            }
            let wake = try #require(try await world.unsettled(device).first { $0.deliveries.contains(visible) })
            try await world.store.recordPause(StoreWorld.production, topic: nil, reason: nil)
            #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 1)
            #expect(try await world.record(wake.row).state == .waiting)
            for wake in try await world.lease() { try await world.settle(wake, .accepted) }
            #expect(try await world.record(wake.row).state == .accepted)
        }
    }

    @Sendable private static func oneForAll(_ world: StoreWorld) async throws {
        let device = try await world.device()
        let gone = try await world.deliver(series: "gone", ttl: 60)
        let failed = try await world.deliver(series: "failed", ttl: 7_200)
        let first = try #require(try await world.lease().last)
        try await world.settle(first, .misconfiguredLane)
        try await world.giveBack(try #require(try await world.leasedOf(device)), as: .laneMisconfigured)
        try await world.store.recordPause(StoreWorld.production, topic: nil, reason: .badCredential)
        let held = try await world.deliver(series: "held", ttl: 7_000)
        world.advance(by: .seconds(1_800))
        _ = try await world.store.sweep(expiryAllowed: true)
        let before = try await world.unsettled(device)
        #expect(before.map(\.deliveries) == [[failed], [held]])
        world.intake.forget()
        try await world.store.recordPause(StoreWorld.production, topic: nil, reason: nil)
        #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 1)
        #expect(try await world.store.catchUp(StoreWorld.production, topic: nil) == 0)
        let wake = try #require(try await world.unsettled(device).first)
        #expect(try await world.unsettled(device).count == 1)
        #expect(wake.state == .waiting && wake.deliveries == [failed, held] && gone < failed)
        #expect(wake.expiresAtMilliseconds == world.now + (7_200 - 1_800) * 1_000)
        #expect(world.intake.seen.due == [StoreWorld.production: world.now])
        #expect(try await world.states(before.map(\.row)) == [.superseded, .merged])
    }
}

extension StoreWorld {
    /// The one leased wake of a device, with its lease.
    func leasedOf(_ device: Device) async throws -> LeasedWake? {
        guard let record = try await unsettled(device).first(where: { $0.state == .leased }) else { return nil }
        return LeasedWake(
            wake: record.row, lease: freshLease(), device: device.row, delivery: record.deliveries.last,
            sealedToken: [], standing: .unproven, topic: record.topic, shape: .reveille, mode: record.mode,
            reason: record.reason, collapse: record.collapse,
            expiresAtMilliseconds: record.expiresAtMilliseconds, failures: record.failures, verificationCode: nil,
            committedAtMilliseconds: 0)
    }
}
