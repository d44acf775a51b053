internal import ReveilleRuntime
internal import ReveilleStorage
internal import ReveilleTelemetry

/// Removes what is older than its retention and seals values of an older key anew, in small steps beside the work.
enum Upkeep {
    /// Rows of each kind removed or sealed in one step, small enough that a post never waits for it noticeably.
    private static let stepRows = 500
    /// The pause when nothing is left to do.
    private static let idlePause = Duration.seconds(600)
    /// The pause between two steps of work.
    private static let busyPause = Duration.milliseconds(200)

    static func start(
        store: any MaintenanceStore, retention: Retention, loop: EventLoop, log: Log
    ) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                var done = 0
                do throws(StoreError) {
                    done += try await store.prune(retention, limit: stepRows)
                    done += try await store.reseal(limit: stepRows)
                } catch {
                    log.warning("upkeep failed", ["code": .code(error.code)])
                }
                do {
                    try await loop.sleep(for: done > 0 ? busyPause : idlePause)
                } catch {
                    return
                }
            }
        }
    }
}
