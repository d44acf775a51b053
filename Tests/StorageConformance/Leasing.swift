import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let leasing: [ConformanceCase] = [
        ConformanceCase("the oldest due wakes are leased first, as many as were asked for") { world in
            try await world.device()
            var deliveries: [DeliveryRow] = []
            for number in 0..<4 {
                deliveries.append(try await world.deliver(series: "\(number)"))
                world.advance(by: .seconds(1))
            }
            #expect(try await world.lease(3).map(\.delivery) == Array(deliveries[0..<3]))
            #expect(try await world.lease(3).map(\.delivery) == [deliveries[3]])
            #expect(try await world.lease(3).isEmpty)
        },
        ConformanceCase("a leased wake says whether its token is proven, until something speaks against it", standing),
        ConformanceCase("no wake is leased to two workers") { world in
            let other = try await world.openAnother()
            try await world.device()
            for number in 0..<4 { try await world.deliver(series: "\(number)") }
            async let mine = world.lease(4, token: 1)
            async let theirs = world.lease(4, token: 2, from: other.store)
            let (left, right) = (Set(try await mine.map(\.wake)), Set(try await theirs.map(\.wake)))
            #expect(left.isDisjoint(with: right) && left.union(right).count == 4)
        },
        ConformanceCase("a claim survives the death of its worker and runs out after the lease", claimSurvives),
        ConformanceCase(
            "leases that end without an answer are no failures: a lost answer after them is repeated at once"
        ) {
            world in
            try await world.device()
            try await world.deliver()
            var wake = try await world.leaseOne()
            for _ in 0..<5 {
                world.advance(by: .seconds(61))
                _ = try await world.store.sweep(expiryAllowed: true)
                wake = try await world.leaseOne()
                #expect(wake.failures == 0)
            }
            let settled = try await world.settle(wake, .lost)
            #expect(settled.dueAtMilliseconds == world.now)
            #expect(try await world.leaseOne().failures == 1)
            #expect(try await world.record(wake.wake).everLeased)
        },
        ConformanceCase("topics can be asked for and left out") { world in
            try await world.device(token: 1)
            try await world.device("bob", token: 2, app: StoreWorld.mailApp)
            try await world.accept(world.post(["ann", "bob"]))
            let lease = world.freshLease()
            let none = try await world.store.lease(
                StoreWorld.production, limit: 9, lease: lease, onlyTopic: "org.example.unknown", excludingTopics: [])
            #expect(none.isEmpty)
            let phone = try await world.store.lease(
                StoreWorld.production, limit: 9, lease: lease, onlyTopic: nil, excludingTopics: ["org.example.mail"])
            #expect(phone.map(\.topic) == ["org.example.app"])
            let mail = try await world.store.lease(
                StoreWorld.production, limit: 9, lease: lease, onlyTopic: "org.example.mail", excludingTopics: [])
            #expect(mail.map(\.topic) == ["org.example.mail"])
        },
        ConformanceCase("lanes have wakes of their own environment only") { world in
            try await world.device { $0.lane = .apns(.sandbox) }
            try await world.deliver()
            #expect(try await world.lease().isEmpty)
            #expect(try await world.lease(on: StoreWorld.sandbox).count == 1)
        },
        ConformanceCase("a wake whose life is over expires instead of being leased") { world in
            let device = try await world.device()
            try await world.deliver(ttl: 60)
            let wake = try #require(try await world.unsettled(device).first)
            world.advance(by: .seconds(60))
            #expect(try await world.lease().isEmpty)
            #expect(try await world.record(wake.row).state == .expired)
        },
        ConformanceCase("every try repeats the frozen request") { world in
            try await world.device()
            try await world.deliver(series: "s")
            let first = try await world.leaseOne(token: 1)
            try await world.settle(first, .lost)
            let second = try await world.leaseOne(token: 2)
            #expect(second.wake == first.wake && second.delivery == first.delivery)
            #expect(second.collapse == first.collapse && second.sealedToken == first.sealedToken)
            #expect(second.failures == 1 && second.expiresAtMilliseconds == first.expiresAtMilliseconds)
        },
        ConformanceCase("a never-leased wake takes the token of a rotation by the same install") { world in
            let device = try await world.device()
            try await world.deliver()
            let profile = try await world.profile()
            let rotated = try await world.existing(try world.registration(profile, token: 2, install: "install-1"))
            #expect(rotated.row == device.row && rotated.version == device.version)
            let wake = try await world.leaseOne()
            let token = try world.opened.vault.open(wake.sealedToken, device: device.row)
            #expect(token.octets.first == 2)
        },
        ConformanceCase(
            "a wake that was leased before a rotation is superseded before its next try", supersededByRotation),
        ConformanceCase("renewing prolongs leases and names those that were lost") { world in
            try await world.device()
            try await world.deliver(series: "a")
            try await world.deliver(series: "b")
            let wakes = try await world.lease(token: 5)
            try await world.settle(wakes[1], .unavailable)
            world.advance(by: .seconds(40))
            let lost = try await world.store.renew(
                StoreWorld.production, wakes.map(\.wake), token: 5, untilMilliseconds: world.steady + 60_000)
            #expect(lost == [wakes[1].wake])
            let foreign = try await world.store.renew(
                StoreWorld.production, [wakes[0].wake], token: 6, untilMilliseconds: world.steady + 60_000)
            #expect(foreign == [wakes[0].wake])
            world.advance(by: .seconds(40))
            _ = try await world.store.sweep(expiryAllowed: true)
            #expect(try await world.record(wakes[0].wake).state == .leased)
        },
        ConformanceCase("what is given back waits at once, later, or held, and only by its holder", givesBack),
        ConformanceCase("the earliest due time is known, with topics left out") { world in
            #expect(try await world.store.nextDue(StoreWorld.production, excludingTopics: []) == nil)
            try await world.device()
            try await world.device("bob", token: 2, app: StoreWorld.mailApp)
            try await world.deliver("ann")
            let first = world.now
            world.advance(by: .seconds(3))
            try await world.deliver("bob")
            #expect(try await world.store.nextDue(StoreWorld.production, excludingTopics: []) == first)
            let without = try await world.store.nextDue(
                StoreWorld.production, excludingTopics: ["org.example.app"])
            #expect(without == first + 3_000)
        },
        ConformanceCase("wakes that must not be sent are named before the first byte leaves", unsendable),
    ]

    @Sendable private static func claimSurvives(_ world: StoreWorld) async throws {
        let other = try await world.openAnother()
        try await world.device()
        try await world.deliver()
        let claimed = try await world.leaseOne(token: 1)
        world.advance(by: .seconds(30))
        _ = try await other.store.sweep(expiryAllowed: true)
        #expect(try await world.lease(token: 2, from: other.store).isEmpty)
        world.advance(by: .seconds(31))
        world.intake.forget()
        #expect(try await world.store.sweep(expiryAllowed: true) == [StoreWorld.production])
        #expect(world.intake.seen.revoked == [claimed.wake])
        let again = try #require(try await world.lease(token: 2, from: other.store).first)
        #expect(again.wake == claimed.wake && again.collapse == claimed.collapse && again.failures == 0)
        // What the first worker says now still counts when it is "accepted".
        try await world.settle(claimed, .accepted)
        #expect(try await world.record(claimed.wake).state == .accepted)
    }

    @Sendable private static func supersededByRotation(_ world: StoreWorld) async throws {
        let device = try await world.device()
        let deliveries = [try await world.deliver(series: "s"), try await world.deliver(series: "s")]
        let first = try await world.leaseOne()
        try await world.settle(first, .lost)
        let profile = try await world.profile()
        _ = try await world.existing(try world.registration(profile, token: 2, install: "install-1"))
        let successor = try await world.leaseOne()
        #expect(successor.wake != first.wake && successor.collapse == first.collapse && successor.failures == 0)
        let old = try await world.record(first.wake)
        #expect(old.state == .superseded && old.successor == successor.wake)
        #expect(try await world.record(successor.wake).deliveries == deliveries)
        #expect(try world.opened.vault.open(successor.sealedToken, device: device.row).octets.first == 2)
    }

    @Sendable private static func givesBack(_ world: StoreWorld) async throws {
        let device = try await world.device()
        try await world.deliver(series: "a")
        let wake = try await world.leaseOne()
        let stale = LeasedWake.stale(wake)
        try await world.giveBack(stale, as: .waiting)
        #expect(try await world.record(wake.wake).state == .leased)
        world.intake.forget()
        try await world.giveBack(wake, as: .waiting)
        #expect(world.intake.seen.due == [StoreWorld.production: world.now])
        let second = try await world.leaseOne()
        let later = world.now + 30_000
        try await world.giveBack(second, as: .notBefore(milliseconds: later))
        #expect(try await world.lease().isEmpty)
        let record = try #require(try await world.unsettled(device).first)
        #expect(record.dueAtMilliseconds == later && !record.everLeased && record.failures == 0)
        world.advance(by: .seconds(30))
        let third = try await world.leaseOne()
        try await world.giveBack(third, as: .laneMisconfigured)
        let held = try await world.record(third.wake)
        #expect(held.state == .held && held.hold == .laneMisconfigured)
        #expect(try await world.lease().isEmpty)
    }

    @Sendable private static func unsendable(_ world: StoreWorld) async throws {
        var wakes: [LeasedWake] = []
        for token in 1...5 as ClosedRange<UInt8> {
            try await world.device("user-\(token)", token: token)
            try await world.deliver("user-\(token)", ttl: token == 4 ? 60 : nil)
            wakes.append(try await world.leaseOne())
        }
        var given = wakes.map { GivenBackWake(wake: $0.wake, leaseToken: $0.lease.token) }
        #expect(try await world.store.unsendable(StoreWorld.production, given).isEmpty)
        let off = try #require(try await world.store.device(wakes[0].device))
        let change = DeviceUpdate(name: .absent, pushMode: .off, categories: .absent)
        _ = try await world.store.update(off.row, of: off.profile, change)
        try await world.settle(wakes[1], .unavailable)
        _ = try await world.store.remove(wakes[2].device, of: try await world.profile("user-3"))
        world.advance(by: .seconds(60))
        given.append(GivenBackWake(wake: wakes[4].wake, leaseToken: 1))
        let refused = try await world.store.unsendable(StoreWorld.production, given)
        #expect(refused == [wakes[0].wake, wakes[1].wake, wakes[2].wake, wakes[3].wake, wakes[4].wake])
    }
}

extension StorageConformance {
    @Sendable private static func standing(_ world: StoreWorld) async throws {
        func atInsert(_ series: String) async throws -> LeasedWake {
            world.intake.forget()
            world.intake.give(room: 1, world.freshLease(5))
            try await world.deliver(series: series)
            return try #require(world.intake.seen.taken.first)
        }
        try await world.device()
        try await world.deliver(series: "a")
        let first = try await world.leaseOne()
        #expect(first.standing == .unproven)
        let second = try await atInsert("b")
        #expect(second.standing == .unproven)
        try await world.settle(first, .accepted)
        let third = try await atInsert("c")
        #expect(third.standing == .proven)
        try await world.deliver(series: "d")
        let fourth = try await world.leaseOne()
        #expect(fourth.standing == .proven)
        // Refused once: nothing is proven any more, though the device is active.
        try await world.settle(third, .refusal)
        #expect(try await atInsert("e").standing == .unproven)
        try await world.settle(fourth, .accepted)
        #expect(try await atInsert("f").standing == .proven)
        // A new token is as good as unknown.
        _ = try await world.existing(try world.registration(try await world.profile(), token: 2, install: "install-1"))
        #expect(try await atInsert("g").standing == .unproven)
        try await world.deliver(series: "h")
        #expect(try await world.leaseOne().standing == .unproven)
    }
}

extension LeasedWake {
    /// The same wake under a lease that nobody holds.
    static func stale(_ wake: LeasedWake) -> LeasedWake {
        LeasedWake(
            wake: wake.wake, lease: Lease(token: -1, untilMilliseconds: wake.lease.untilMilliseconds),
            device: wake.device, delivery: wake.delivery, sealedToken: wake.sealedToken, standing: wake.standing,
            topic: wake.topic, shape: wake.shape, mode: wake.mode, reason: wake.reason, collapse: wake.collapse,
            expiresAtMilliseconds: wake.expiresAtMilliseconds, failures: wake.failures, verificationCode: nil,
            committedAtMilliseconds: wake.committedAtMilliseconds)
    }
}
