package import ReveilleRuntime
package import ReveilleStorage

/// Whether the server can do its work: the store takes writes.
///
/// The listener answers by answering.
package final class Readiness: Sendable {
    /// How long one probe counts; strangers may ask, and each probe is a write.
    package static let recentNanoseconds: Int64 = 1_000_000_000

    private struct Kept {
        var failure: InboxError?
        var at: MonotonicInstant
    }

    private let store: any MaintenanceStore
    private let lanes: LaneReports
    private let clock: any MonotonicClock
    private let kept = Locked<Kept?>(nil)

    /// Probes `store`.
    package init(store: any MaintenanceStore, lanes: LaneReports, clock: any MonotonicClock) {
        self.store = store
        self.lanes = lanes
        self.clock = clock
    }

    /// Proves that the store can write, at most once a second, and returns the lanes for information.
    package func check() async throws(InboxError) -> [LaneAnswer] {
        let now = clock.now()
        if let kept = kept.withLock({ $0 }),
            now.nanoseconds - kept.at.nanoseconds < Self.recentNanoseconds
        {
            if let failure = kept.failure { throw failure }
            return try await lanes.recent()
        }
        do throws(InboxError) {
            try await translating { () throws(StoreError) in try await store.probeWrite() }
        } catch {
            kept.withLock { [error] in $0 = Kept(failure: error, at: now) }
            throw error
        }
        kept.withLock { $0 = Kept(failure: nil, at: now) }
        return try await lanes.recent()
    }
}
