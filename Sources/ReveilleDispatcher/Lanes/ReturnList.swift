import ReveilleCore
import ReveilleStorage

/// Wakes that a lane gives back unsent, by reason, until the store has taken them.
struct ReturnList {
    /// A wake with when its lease ends by itself.
    private struct Item {
        let wake: GivenBackWake
        let leaseUntil: Int64
    }

    private var waiting: [GiveBackReason: [Item]] = [:]
    private var rows: Set<WakeRow> = []
    private var running: (reason: GiveBackReason, items: [Item])?

    var isEmpty: Bool { waiting.isEmpty && running == nil }
    /// How many wakes are on the list.
    var count: Int { rows.count + (running?.items.count ?? 0) }

    mutating func add(_ entry: WakeTable.Entry, as reason: GiveBackReason) {
        let wake = GivenBackWake(wake: entry.wake.wake, leaseToken: entry.wake.lease.token)
        guard rows.insert(wake.wake).inserted else { return }
        waiting[reason, default: []].append(Item(wake: wake, leaseUntil: entry.leaseUntil))
    }

    /// Lets wakes that were to wait until a time of the wall clock simply wait: the clock jumped.
    mutating func forgetTimes() {
        for (reason, items) in waiting {
            guard case .notBefore = reason else { continue }
            waiting[reason] = nil
            waiting[.waiting, default: []] += items
        }
    }

    /// Takes a wake off that was leased to the lane again before it went back.
    mutating func withdraw(_ row: WakeRow) {
        guard rows.remove(row) != nil else { return }
        for reason in waiting.keys {
            waiting[reason]?.removeAll { $0.wake.wake == row }
            if waiting[reason]?.isEmpty == true { waiting[reason] = nil }
        }
    }

    /// The next wakes to give back, at most `limit`, all for one reason; leases that ran out need no giving back.
    mutating func start(limit: Int, at now: LaneTime) -> (wakes: [GivenBackWake], reason: GiveBackReason)? {
        while let reason = waiting.keys.first {
            var items = waiting.removeValue(forKey: reason) ?? []
            items.removeAll { item in
                guard item.leaseUntil <= now.steady else { return false }
                rows.remove(item.wake.wake)
                return true
            }
            guard !items.isEmpty else { continue }
            if items.count > limit {
                waiting[reason] = Array(items[limit...])
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
        for item in running.items where rows.insert(item.wake.wake).inserted {
            waiting[running.reason, default: []].append(item)
        }
        self.running = nil
    }
}
