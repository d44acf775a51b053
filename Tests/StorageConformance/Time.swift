import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let time: [ConformanceCase] = [
        ConformanceCase("wakes expire when their life is over, waiting or held") { world in
            let device = try await world.device()
            try await world.deliver(series: "a", ttl: 60)
            try await world.deliver(series: "b", ttl: 600)
            let wake = try #require(try await world.lease(1).first)
            try await world.settle(wake, .misconfiguredLane)
            let both = try await world.unsettled(device).map(\.row)
            world.advance(by: .seconds(60))
            _ = try await world.store.sweep(expiryAllowed: false)
            #expect(try await world.unsettled(device).count == 2)
            _ = try await world.store.sweep(expiryAllowed: true)
            #expect(try await world.states(both) == [.expired, .waiting])
        },
        ConformanceCase("a jump of the wall clock expires nothing for ten minutes", jump),
        ConformanceCase("a jump moves due times and lives with it, once, whoever notices it", replanned),
        ConformanceCase("who writes first after a jump moves the times before it writes", firstWriter),
        ConformanceCase("a wake that is given back after a jump back is due again by the new time", givenBack),
        ConformanceCase("small steps of the wall clock move nothing") { world in
            let device = try await world.device()
            try await world.store.replan()
            try await world.deliver()
            let before = try #require(try await world.unsettled(device).first)
            world.jumpWall(by: .seconds(50))
            try await world.store.replan()
            world.jumpWall(by: .seconds(50))
            try await world.store.replan()
            let after = try #require(try await world.unsettled(device).first)
            #expect(after.dueAtMilliseconds == before.dueAtMilliseconds)
            #expect(after.expiresAtMilliseconds == before.expiresAtMilliseconds)
        },
        ConformanceCase("sweeping names the lanes that have due wakes") { world in
            #expect(try await world.store.sweep(expiryAllowed: true).isEmpty)
            try await world.device()
            try await world.deliver()
            #expect(try await world.store.sweep(expiryAllowed: true) == [StoreWorld.production])
            let wake = try await world.leaseOne()
            #expect(try await world.store.sweep(expiryAllowed: true).isEmpty)
            try await world.giveBack(wake, as: .notBefore(milliseconds: world.now + 1_000))
            #expect(try await world.store.sweep(expiryAllowed: true).isEmpty)
        },
    ]

    @Sendable private static func jump(_ world: StoreWorld) async throws {
        let device = try await world.device()
        try await world.deliver(series: "a", ttl: 60)
        try await world.deliver(series: "b", ttl: 60)
        let wakes = try await world.lease()
        try await world.settle(wakes[1], .unavailable)
        world.jumpWall(by: .seconds(7_200))
        _ = try await world.store.sweep(expiryAllowed: true)
        let given = [GivenBackWake(wake: wakes[0].wake, leaseToken: wakes[0].lease.token)]
        #expect(try await world.store.unsendable(StoreWorld.production, given).isEmpty)
        try await world.settle(wakes[0], .retry(reason: .busy, after: .schedule(seconds: 1)))
        #expect(try await world.unsettled(device).count == 2)
        #expect(try await world.lease().map(\.wake) == [wakes[1].wake])
        world.advance(by: .seconds(600))
        _ = try await world.store.sweep(expiryAllowed: true)
        #expect(try await world.record(wakes[0].wake).state == .expired)
    }

    @Sendable private static func replanned(_ world: StoreWorld) async throws {
        let other = try await world.openAnother()
        let device = try await world.device()
        try await world.store.replan()
        try await world.deliver()
        let before = try #require(try await world.unsettled(device).first)
        let jump: Int64 = -3_600_000
        world.jumpWall(by: .milliseconds(jump))
        world.intake.forget()
        try await world.store.replan()
        try await other.store.replan()
        try await world.store.replan()
        let after = try #require(try await world.unsettled(device).first)
        #expect(after.dueAtMilliseconds == before.dueAtMilliseconds + jump)
        #expect(after.expiresAtMilliseconds == before.expiresAtMilliseconds + jump)
        #expect(world.intake.seen.due[StoreWorld.production] != nil)
        #expect(try await world.lease().count == 1)
    }

    @Sendable private static func givenBack(_ world: StoreWorld) async throws {
        try await world.device()
        try await world.store.replan()
        try await world.deliver()
        let leased = try await world.leaseOne()
        world.jumpWall(by: .seconds(-3_600))
        try await world.store.replan()
        try await world.giveBack(leased, as: .notBefore(milliseconds: world.now + 1_000))
        #expect(try await world.record(leased.wake).dueAtMilliseconds == world.now + 1_000)
        world.advance(by: .seconds(1))
        #expect(try await world.lease().map(\.wake) == [leased.wake])
    }

    @Sendable private static func firstWriter(_ world: StoreWorld) async throws {
        let device = try await world.device()
        try await world.store.replan()
        try await world.deliver(series: "before")
        world.jumpWall(by: .seconds(-7_200))
        try await world.deliver(series: "after")
        try await world.store.replan()
        let wakes = try await world.unsettled(device)
        #expect(wakes.map(\.dueAtMilliseconds) == [world.now, world.now])
        #expect(try await world.lease().count == 2)
    }
}
