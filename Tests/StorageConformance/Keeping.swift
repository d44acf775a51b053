import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    /// How long things are kept when the wall clock is wrong for a while.
    static let keeping: [ConformanceCase] = [
        ConformanceCase("a jump ahead deletes nothing that is young") { world in
            try await jump(world, days: 200) { world.store }
        },
        ConformanceCase("a jump back, and the clock set right again, delete nothing that is young") { world in
            try await jump(world, days: -200) { world.store }
        },
        ConformanceCase("a jump ahead that the next process finds deletes nothing that is young") { world in
            try await jump(world, days: 200) { try await world.openAnother().store }
        },
        ConformanceCase("a jump back that the next process finds deletes nothing that is young") { world in
            try await jump(world, days: -200) { try await world.openAnother().store }
        },
        ConformanceCase("an idempotency key is free after a day, and not after a jump of two", keyAndJump),
        ConformanceCase("what was read of late stays in the inbox, however old it is and wherever the clock jumps") {
            world in
            let profile = try await world.profile()
            try await world.store.replan()
            let delivery = try await world.deliver()
            world.advance(by: .seconds(100 * 86_400))
            #expect(try await world.store.markRead(delivery, of: profile))
            world.jumpWall(by: .seconds(200 * 86_400))
            try await world.pruneAll()
            #expect(try await world.store.delivery(delivery, of: profile)?.isRemoved == false)
            world.advance(by: .seconds(79 * 86_400))
            try await world.pruneAll()
            #expect(try await world.store.delivery(delivery, of: profile)?.isRemoved == false)
        },
        ConformanceCase("the oldest wake goes first, however often nothing was old enough") { world in
            try await world.device()
            var wakes: [WakeRow] = []
            for _ in 0..<30 { wakes.append(try await sendOne(world)) }
            for _ in 0..<3 { #expect(try await world.store.prune(Retention(), limit: 1) == 0) }
            world.advance(by: .seconds(15 * 86_400))
            #expect(try await world.store.prune(Retention(), limit: 1) == 1)
            #expect(try await world.store.wake(wakes[0]) == nil)
        },
        ConformanceCase("wakes that are dated in the future keep none behind them from being pruned", future),
    ]

    /// - Parameter next: the store that works after a jump.
    @Sendable private static func jump(
        _ world: StoreWorld, days: Int64, next: () async throws -> any HomeStore
    ) async throws {
        let profile = try await world.profile()
        try await world.store.replan()
        let start = try await world.page(profile, since: nil, limit: 9).next
        var read = [try await world.deliver()]
        var unread = [try await world.deliver()]
        #expect(try await world.store.markRead(read[0], of: profile))
        world.jumpWall(by: .seconds(days * 86_400))
        try await world.pruneAll(on: try await next())
        try await expectAll(read + unread, of: profile, since: start, changes: 3, in: world)
        // What comes while the clock is wrong.
        read.append(try await world.deliver())
        unread.append(try await world.deliver())
        #expect(try await world.store.markRead(read[1], of: profile))
        world.jumpWall(by: .seconds(-days * 86_400))
        try await world.pruneAll(on: try await next())
        try await expectAll(read + unread, of: profile, since: start, changes: 6, in: world)

        world.advance(by: .seconds(91 * 86_400))
        try await world.pruneAll()
        let left = try await world.store.deliveries(of: profile, before: nil, limit: 9)
        #expect(left.map(\.row) == unread.reversed())
        world.advance(by: .seconds(90 * 86_400))
        try await world.pruneAll()
        #expect(try await world.store.deliveries(of: profile, before: nil, limit: 9).isEmpty)
        #expect(try await world.store.delivery(read[0], of: profile) == nil)
        guard case .cursorGone = try await world.store.changes(of: profile, since: start, limit: 9) else {
            throw Unexpected("the changes are over their time")
        }
    }

    private static func expectAll(
        _ deliveries: [DeliveryRow], of profile: ProfileRow, since: Cursor, changes: Int, in world: StoreWorld
    ) async throws {
        for row in deliveries {
            let delivery = try #require(try await world.store.delivery(row, of: profile))
            #expect(!delivery.isRemoved && delivery.title == "title")
        }
        #expect(try await world.page(profile, since: since, limit: 9).changes.count == changes)
    }

    @Sendable private static func keyAndJump(_ world: StoreWorld) async throws {
        let key = Idempotency(key: "k1", fingerprint: [1])
        try await world.store.replan()
        let first = try await world.accept(world.post(key: key))
        world.jumpWall(by: .seconds(2 * 86_400))
        try await world.pruneAll()
        #expect(try await world.store.accept(world.post(key: key)) == .replayed(first))
        world.jumpWall(by: .seconds(-4 * 86_400))
        world.advance(by: .seconds(86_400 - 1))
        try await world.pruneAll()
        #expect(try await world.store.accept(world.post(key: key)) == .replayed(first))
        world.advance(by: .seconds(1))
        // The clock is two days behind plan time, and the key counts from here.
        let second = try await world.accept(world.post(key: key))
        world.advance(by: .seconds(86_400 - 1))
        try await world.pruneAll()
        #expect(try await world.store.accept(world.post(key: key)) == .replayed(second))
        world.advance(by: .seconds(1))
        try await world.accept(world.post(key: key))
    }

    @Sendable private static func future(_ world: StoreWorld) async throws {
        try await world.device()
        try await world.store.replan()
        world.jumpWall(by: .seconds(200 * 86_400))
        for _ in 0..<20 { try await sendOne(world) }
        world.jumpWall(by: .seconds(-200 * 86_400))
        for _ in 0..<2 {
            for _ in 0..<5 { try await sendOne(world) }
            world.advance(by: .seconds(13 * 86_400))
            for _ in 0..<20 { _ = try await world.store.prune(Retention(), limit: 2) }
            #expect(try await world.store.wakeCounts() == [.accepted: 25])
            world.advance(by: .seconds(2 * 86_400))
            for _ in 0..<20 { _ = try await world.store.prune(Retention(), limit: 2) }
            #expect(try await world.store.wakeCounts() == [.accepted: 20])
        }
    }

    @discardableResult
    private static func sendOne(_ world: StoreWorld) async throws -> WakeRow {
        try await world.deliver()
        let wake = try await world.leaseOne()
        try await world.settle(wake, .accepted)
        return wake.wake
    }
}
