package import ReveilleRuntime
package import ReveilleStorage

/// The state of the lanes, kept for a moment: anybody may ask for readiness as often as they like, and
/// counting the outbox is not free.
package final class LaneReports: Sendable {
    /// How long a report counts as recent.
    package static let recentNanoseconds: Int64 = 2_000_000_000

    private struct Kept {
        var reports: [LaneAnswer]
        var at: MonotonicInstant
    }

    private let store: any DispatchingStore
    private let control: any LaneControl
    private let clock: any MonotonicClock
    private let kept = Locked<Kept?>(nil)

    /// Reports on the lanes of `store`, and on how those are that the dispatcher behind `control` runs.
    package init(store: any DispatchingStore, control: any LaneControl, clock: any MonotonicClock) {
        self.store = store
        self.control = control
        self.clock = clock
    }

    /// The lanes as they are now, the idle ones too: an operator wants to see that they are well.
    package func current() async throws(InboxError) -> [LaneAnswer] {
        let statuses = try await translating { () throws(StoreError) in try await store.allLanes() }
        let conditions = await control.conditions()
        let reports = statuses.map { LaneAnswer($0, condition: conditions[$0.key]) }
        let now = clock.now()
        kept.withLock { $0 = Kept(reports: reports, at: now) }
        return reports
    }

    /// The lanes as they were at most two seconds ago.
    package func recent() async throws(InboxError) -> [LaneAnswer] {
        let now = clock.now()
        if let kept = kept.withLock({ $0 }),
            now.nanoseconds - kept.at.nanoseconds < Self.recentNanoseconds
        {
            return kept.reports
        }
        return try await current()
    }
}
