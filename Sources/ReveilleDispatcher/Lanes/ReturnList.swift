import ReveilleCore
import ReveilleStorage

/// Wakes that a lane gives back unsent, by reason, until the store has taken them.
struct ReturnList {
    /// A wake with when its lease ends by itself.
    private struct Item {
        let wake: GivenBackWake
        let leaseUntil: Int64
    }

    /// In the order in which the reasons came up.
    private var waiting: [(reason: GiveBackReason, items: [Item])] = []
    private var rows: Set<WakeRow> = []
    private var running: (reason: GiveBackReason, items: [Item])?

    var isEmpty: Bool { waiting.isEmpty && running == nil }
    /// How many wakes are on the list.
    var count: Int { rows.count + (running?.items.count ?? 0) }

    mutating func add(_ entry: WakeTable.Entry, as reason: GiveBackReason) {
        let wake = GivenBackWake(wake: entry.wake.wake, leaseToken: entry.wake.lease.token)
        guard rows.insert(wake.wake).inserted else { return }
        append([Item(wake: wake, leaseUntil: entry.leaseUntil)], for: reason)
    }

    /// Lets wakes that were to wait until a time of the wall clock simply wait: the clock jumped.
    mutating func forgetTimes() {
        let all = waiting
        waiting = []
        for (reason, items) in all {
            if case .notBefore = reason { append(items, for: .waiting) } else { append(items, for: reason) }
        }
    }

    /// Takes a wake off that was leased to the lane again before it went back.
    mutating func withdraw(_ row: WakeRow) {
        guard rows.remove(row) != nil else { return }
        for index in waiting.indices { waiting[index].items.removeAll { $0.wake.wake == row } }
        waiting.removeAll(where: \.items.isEmpty)
    }

    /// The next wakes to give back, at most `limit`, all for one reason; leases that ran out need no giving back.
    mutating func start(limit: Int, at now: LaneTime) -> (wakes: [GivenBackWake], reason: GiveBackReason)? {
        while !waiting.isEmpty {
            var (reason, items) = waiting.removeFirst()
            items.removeAll { item in
                guard item.leaseUntil <= now.steady else { return false }
                rows.remove(item.wake.wake)
                return true
            }
            guard !items.isEmpty else { continue }
            if items.count > limit {
                waiting.insert((reason, Array(items[limit...])), at: 0)
                items.removeSubrange(limit...)
            }
            for item in items { rows.remove(item.wake.wake) }
            running = (reason, items)
            return (items.map(\.wake), reason)
        }
        return nil
    }

    /// The store took what was started.
    mutating func succeed() { running = nil }

    /// The store did not; it is offered again.
    mutating func fail() {
        guard let running else { return }
        append(running.items.filter { rows.insert($0.wake.wake).inserted }, for: running.reason)
        self.running = nil
    }

    private mutating func append(_ items: [Item], for reason: GiveBackReason) {
        if let index = waiting.firstIndex(where: { $0.reason == reason }) {
            waiting[index].items += items
        } else if !items.isEmpty {
            waiting.append((reason, items))
        }
    }
}
