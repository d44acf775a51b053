package import ReveilleRuntime
package import ReveilleStorage

/// Whether the server can do its work: the store takes writes.
///
/// The listener answers by answering.
package final class Readiness: Sendable {
    /// How long a good probe counts; strangers may ask, and each probe is a write.
    package static let recentNanoseconds: Int64 = 1_000_000_000

    private struct State {
        /// When a probe last succeeded; a failure is never kept, so that the next look finds the cause gone.
        var succeededAt: MonotonicInstant?
        /// What the last probe found, for who asks while one runs: a store in trouble gets one probe at a time.
        var lastFailure: InboxError?
        var isProbing = false
    }

    private let store: any MaintenanceStore
    private let lanes: LaneReports
    private let clock: any MonotonicClock
    private let state = Locked(State())

    /// Probes `store`.
    package init(store: any MaintenanceStore, lanes: LaneReports, clock: any MonotonicClock) {
        self.store = store
        self.lanes = lanes
        self.clock = clock
    }

    /// Proves that the store can write, at most once a second while it can, and returns the lanes for information.
    package func check() async throws(InboxError) -> [LaneAnswer] {
        switch beginCheck() {
        case .known(let failure): if let failure { throw failure }
        case .mustProbe: try await probe()
        }
        return try await lanes.recent()
    }

    private enum Beginning {
        case mustProbe
        /// What an earlier probe found, or finds again and again.
        case known(InboxError?)
    }

    private func beginCheck() -> Beginning {
        let now = clock.now()
        return state.withLock { state in
            if let at = state.succeededAt, now.nanoseconds - at.nanoseconds < Self.recentNanoseconds {
                return .known(nil)
            }
            if state.isProbing, let failure = state.lastFailure { return .known(failure) }
            state.isProbing = true
            return .mustProbe
        }
    }

    private func probe() async throws(InboxError) {
        var failure: InboxError?
        do throws(InboxError) {
            try await translating { () throws(StoreError) in try await store.probeWrite() }
        } catch {
            failure = error
        }
        let now = clock.now()
        state.withLock { [failure] state in
            state.isProbing = false
            state.lastFailure = failure
            state.succeededAt = failure == nil ? now : nil
        }
        if let failure { throw failure }
    }
}
