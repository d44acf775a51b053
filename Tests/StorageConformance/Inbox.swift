import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let inbox: [ConformanceCase] = [
        ConformanceCase("changes come ascending and without gaps, page by page", pages),
        ConformanceCase("without a cursor the newest page comes, and its cursor goes on from there") { world in
            var deliveries: [DeliveryRow] = []
            for _ in 0..<5 { deliveries.append(try await world.deliver()) }
            let profile = try await world.profile()
            let page = try await world.page(profile, since: nil, limit: 3)
            #expect(page.isReset && !page.hasMore && page.changes.map(\.delivery) == Array(deliveries[2...]))
            #expect(page.unread == 5)
            let next = try await world.page(profile, since: page.next, limit: 3)
            #expect(next.changes.isEmpty && !next.isReset)
            let sixth = try await world.deliver()
            #expect(try await world.page(profile, since: page.next, limit: 3).changes.map(\.delivery) == [sixth])
        },
        ConformanceCase("an empty inbox has a cursor from which the first delivery is seen") { world in
            try await world.deliver("bob")
            let profile = try await world.profile()
            let page = try await world.page(profile, since: nil, limit: 3)
            #expect(page.changes.isEmpty && page.unread == 0)
            let first = try await world.deliver("ann")
            #expect(try await world.page(profile, since: page.next, limit: 3).changes.map(\.delivery) == [first])
        },
        ConformanceCase("cursors of others, of the future and of another epoch are gone") { world in
            let delivery = try await world.deliver()
            try await world.deliver("bob")
            let profile = try await world.profile()
            let cursor = try await world.cursor(at: delivery)
            for wrong in [
                Cursor(profile: try await world.profile("bob"), epoch: cursor.epoch, change: cursor.change),
                Cursor(profile: profile, epoch: cursor.epoch + 1, change: cursor.change),
                Cursor(profile: profile, epoch: cursor.epoch, change: cursor.change + 2),
                Cursor(profile: profile, epoch: cursor.epoch, change: -1),
            ] {
                guard case .cursorGone = try await world.store.changes(of: profile, since: wrong, limit: 5) else {
                    throw Unexpected("\(wrong)")
                }
            }
        },
        ConformanceCase("reading is a change of its own, once") { world in
            let delivery = try await world.deliver()
            let profile = try await world.profile()
            let page = try await world.page(profile, since: nil, limit: 9)
            #expect(try await world.store.markRead(delivery, of: profile))
            #expect(try await world.store.markRead(delivery, of: profile))
            let next = try await world.page(profile, since: page.next, limit: 9)
            #expect(next.changes.map(\.kind) == [.read] && next.changes.map(\.delivery) == [delivery])
            #expect(next.changes.first?.content == nil && next.unread == 0)
            #expect(try await world.store.delivery(delivery, of: profile)?.isRead == true)
            let bob = try await world.profile("bob")
            #expect(try await world.store.markRead(delivery, of: bob) == false)
            #expect(try await world.store.markRead(DeliveryRow(9_999), of: profile) == false)
        },
        ConformanceCase("silent deliveries are changes, but never in the list or the unread count") { world in
            let profile = try await world.profile()
            let visible = try await world.deliver()
            let silent = try await world.deliver(alert: .silent)
            let page = try await world.page(profile, since: nil, limit: 9)
            #expect(page.changes.map(\.delivery) == [visible, silent] && page.unread == 1)
            #expect(page.changes.last?.content?.alert == .silent)
            #expect(try await world.store.deliveries(of: profile, before: nil, limit: 9).map(\.row) == [visible])
        },
        ConformanceCase("the list is newest first and paged") { world in
            var deliveries: [DeliveryRow] = []
            for _ in 0..<5 { deliveries.append(try await world.deliver()) }
            let profile = try await world.profile()
            let first = try await world.store.deliveries(of: profile, before: nil, limit: 3)
            #expect(first.map(\.row) == deliveries[2...].reversed())
            let second = try await world.store.deliveries(of: profile, before: first.last?.row, limit: 3)
            #expect(second.map(\.row) == deliveries[..<2].reversed())
        },
        ConformanceCase("old changes are forgotten, and cursors from before them are gone", forgotten),
        ConformanceCase("what was read leaves the inbox before what was not", readLeaves),
        ConformanceCase("settled wakes are kept for their time, failed ones longer", wakesKept),
    ]

    @Sendable private static func pages(_ world: StoreWorld) async throws {
        let profile = try await world.profile()
        let start = try await world.page(profile, since: nil, limit: 1).next
        var expected: [Int64] = []
        for number in 0..<10 {
            expected.append(try await world.deliver("ann").number)
            try await world.deliver("bob")
            if number % 3 == 0 {
                #expect(try await world.store.markRead(DeliveryRow(expected[0]), of: profile) == true)
            }
        }
        var seen: [Change] = []
        var cursor = start
        for round in 0..<10 {
            let page = try await world.page(profile, since: cursor, limit: 4)
            seen += page.changes
            cursor = page.next
            #expect(page.changes.count <= 4 && round < 9)
            if !page.hasMore { break }
        }
        #expect(seen.map(\.number) == seen.map(\.number).sorted())
        #expect(seen.filter { $0.kind == .new }.map(\.delivery.number) == expected)
        #expect(seen.filter { $0.kind == .new }.allSatisfy { $0.content?.title == "title" })
        #expect(seen.filter { $0.kind == .read }.map(\.delivery.number) == [expected[0]])
    }

    @Sendable private static func forgotten(_ world: StoreWorld) async throws {
        let profile = try await world.profile()
        let bob = try await world.profile("bob")
        let early = try await world.page(profile, since: nil, limit: 1).next
        let bobs = try await world.page(bob, since: nil, limit: 1).next
        try await world.deliver()
        let middle = try await world.page(profile, since: nil, limit: 1).next
        world.advance(by: .seconds(100 * 86_400))
        try await world.deliver()
        world.advance(by: .seconds(81 * 86_400))
        #expect(try await world.pruneAll() > 0)
        guard case .cursorGone = try await world.store.changes(of: profile, since: early, limit: 9) else {
            throw Unexpected("a change behind the cursor is forgotten")
        }
        #expect(try await world.page(profile, since: middle, limit: 9).changes.count == 1)
        // Nothing of bob's was forgotten, so his cursor is as good as ever.
        #expect(try await world.page(bob, since: bobs, limit: 9).changes.isEmpty)
        let new = try await world.deliver("bob")
        #expect(try await world.page(bob, since: bobs, limit: 9).changes.map(\.delivery) == [new])
    }

    @Sendable private static func readLeaves(_ world: StoreWorld) async throws {
        let profile = try await world.profile()
        let read = try await world.deliver()
        let unread = try await world.deliver()
        #expect(try await world.store.markRead(read, of: profile))
        let start = try await world.page(profile, since: nil, limit: 9)
        world.advance(by: .seconds(91 * 86_400))
        #expect(try await world.pruneAll() > 0)
        #expect(try await world.store.deliveries(of: profile, before: nil, limit: 9).map(\.row) == [unread])
        let kept = try #require(try await world.store.delivery(read, of: profile))
        #expect(kept.isRemoved && kept.title.isEmpty)
        #expect(try await world.page(profile, since: start.next, limit: 9).changes.isEmpty)
    }

    @Sendable private static func wakesKept(_ world: StoreWorld) async throws {
        try await world.device()
        try await world.deliver(series: "a")
        try await world.deliver(series: "b")
        let wakes = try await world.lease()
        try await world.settle(wakes[0], .accepted)
        try await world.settle(wakes[1], .refusal)
        world.advance(by: .seconds(13 * 86_400))
        _ = try await world.pruneAll()
        #expect(try await world.store.wakeCounts() == [.accepted: 1, .failed: 1])
        world.advance(by: .seconds(2 * 86_400))
        _ = try await world.pruneAll()
        #expect(try await world.store.wakeCounts() == [.failed: 1])
        world.advance(by: .seconds(80 * 86_400))
        _ = try await world.pruneAll()
        #expect(try await world.store.wakeCounts() == [:])
        #expect(try await world.store.tries(of: wakes[1].wake).isEmpty)
    }
}

extension StoreWorld {
    struct Page {
        let changes: [Change]
        let next: Cursor
        let hasMore: Bool
        let unread: Int64
        let isReset: Bool
    }

    func page(_ profile: ProfileRow, since: Cursor?, limit: Int) async throws -> Page {
        let result = try await store.changes(of: profile, since: since, limit: limit)
        guard case .page(let changes, let next, let hasMore, let unread, let isReset) = result else {
            throw Unexpected("the cursor is gone")
        }
        return Page(changes: changes, next: next, hasMore: hasMore, unread: unread, isReset: isReset)
    }

    /// Prunes in small pieces until nothing is old any more.
    @discardableResult
    func pruneAll(on store: (any HomeStore)? = nil) async throws -> Int {
        var removed = 0
        for _ in 0..<100 {
            let count = try await (store ?? self.store).prune(Retention(), limit: 2)
            removed += count
            if count == 0 { return removed }
        }
        throw Unexpected("pruning does not end")
    }
}
