package import ReveilleRuntime
package import ReveilleStorage

/// Whether the server can do its work: the store takes writes.
///
/// The listener answers by answering.
package final class Readiness: Sendable {
    /// How long a good probe counts; strangers may ask, and each probe is a write.
    package static let recentNanoseconds: Int64 = 1_000_000_000
    /// How long a probe may take before the store counts as busy: who asks has deadlines too.
    package static let patience = Duration.seconds(1)
    private static let busyRetrySeconds: Int64 = 1

    /// Waits, and throws when the task is cancelled.
    package typealias Pause = @Sendable (Duration) async throws -> Void

    /// What a look found.
    private typealias Finding = Result<[LaneAnswer], InboxError>

    private struct State {
        /// When a probe last succeeded; a failure is never kept, so that the next look finds the cause gone.
        var succeededAt: MonotonicInstant?
        /// The look that is under way; it has its finding before its end when it takes too long.
        ///
        /// All who ask meanwhile share it, so that a store in trouble gets one probe at a time.
        var look: OneShot<Finding>?
    }

    private let store: any MaintenanceStore
    private let lanes: LaneReports
    private let clock: any MonotonicClock
    private let pause: Pause
    private let state = Locked(State())

    /// Probes `store`.
    ///
    /// - Parameter pause: measures how long a probe takes.
    package init(
        store: any MaintenanceStore, lanes: LaneReports, clock: any MonotonicClock, pause: @escaping Pause
    ) {
        self.store = store
        self.lanes = lanes
        self.clock = clock
        self.pause = pause
    }

    /// Proves that the store can write, at most once a second while it can, and returns the lanes for information.
    ///
    /// - Throws: what keeps the store from writing; `storageBusy` when that is not known within ``patience``.
    package func check() async throws(InboxError) -> [LaneAnswer] {
        let (look, isNew) = state.withLock { state -> (OneShot<Finding>, Bool) in
            if let look = state.look { return (look, false) }
            let look = OneShot<Finding>()
            state.look = look
            return (look, true)
        }
        if isNew { begin(look) }
        let finding: Finding
        do throws(CancellationError) {
            finding = try await look.wait()
        } catch {
            finding = .failure(Self.busy)
        }
        return try finding.get()
    }

    private static var busy: InboxError { InboxError(.storageBusy, retryAfterSeconds: busyRetrySeconds) }

    private func begin(_ look: OneShot<Finding>) {
        let limit = Task { [pause] in
            do {
                try await pause(Self.patience)
            } catch {
                return
            }
            look.fulfil(.failure(Self.busy))
        }
        Task {
            let finding = await find()
            // Before anybody learns of it: who asks next looks anew.
            state.withLock { $0.look = nil }
            limit.cancel()
            look.fulfil(finding)
        }
    }

    private func find() async -> Finding {
        do throws(InboxError) {
            if !isRecent {
                try await translating { () throws(StoreError) in try await store.probeWrite() }
                let now = clock.now()
                state.withLock { $0.succeededAt = now }
            }
            return .success(try await lanes.recent())
        } catch {
            state.withLock { $0.succeededAt = nil }
            return .failure(error)
        }
    }

    private var isRecent: Bool {
        let now = clock.now()
        return state.withLock { state in
            state.succeededAt.map { now.nanoseconds - $0.nanoseconds < Self.recentNanoseconds } ?? false
        }
    }
}
