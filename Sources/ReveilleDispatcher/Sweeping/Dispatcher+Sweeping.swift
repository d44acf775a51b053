import ReveilleCore
import ReveilleRuntime
import ReveilleStorage
import ReveilleTelemetry

/// The round that keeps lanes and store together: leases that ran out, wakes that expired, lanes nobody opened, and clocks
/// that jumped.
extension Dispatcher {
    /// Sweeps at once, then after each interval or kick, until the dispatcher is told to stop.
    func sweepUntilStopped() async {
        var sweeper = Sweeper()
        while !isStopping {
            await sweepOnce(&sweeper)
            guard !isStopping else { return }
            await kick.wait(atMost: options.sweepInterval, on: timer)
        }
    }

    private func sweepOnce(_ sweeper: inout Sweeper) async {
        let now = LaneTime(
            steady: surroundings.steady.now().nanoseconds / 1_000_000, wall: surroundings.wall.now().milliseconds)
        sweeper.observe(now, lanesWaitForPlan: kick.takePlanRequest())
        do throws(StoreError) {
            if sweeper.mustPlan {
                try await attempt(.replan) { () throws(StoreError) in try await surroundings.store.replan() }
                sweeper.planned()
                for lane in openLanes { lane.mailbox.notePlan() }
            }
            if sweeper.mustAskLanes(at: now) {
                let known = try await attempt(.lanes) { () throws(StoreError) in try await surroundings.store.lanes() }
                await openKnown(known)
                sweeper.askedLanes(at: now)
            }
            let due = try await attempt(.sweep) { () throws(StoreError) in
                try await surroundings.store.sweep(expiryAllowed: sweeper.mayExpire(at: now))
            }
            for key in due { await open(key)?.mailbox.noteDue(now.wall) }
        } catch {
            // Counted and logged; the next round tries again.
        }
    }

    /// Opens the lanes of the settings and those that have wakes or a pause from before; tells open ones of pauses that
    /// another process began.
    private func openKnown(_ known: [LaneStatus]) async {
        for status in known {
            let pauses = Dictionary(
                status.pauses.map { (PauseScope(topic: $0.topic), $0.reason) }, uniquingKeysWith: { first, _ in first })
            let known = openLane(status.key)
            var lane = known
            if lane == nil { lane = await open(status.key, pauses: pauses) }
            guard let lane else { continue }
            if known != nil, !pauses.isEmpty { lane.mailbox.notePauses(pauses) }
            if pauses.isEmpty, status.held > 0 { lane.mailbox.noteStranded() }
        }
        for key in options.lanes { await open(key) }
    }

    private func attempt<Result: Sendable>(
        _ call: StoreCallLabel, _ body: () async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        do throws(StoreError) {
            return try await body()
        } catch {
            surroundings.metrics.storeFailures[call].increment()
            surroundings.log.warning(
                "the store failed; tried again in the next round", ["call": .code(call), "error": .code(error.code)])
            throw error
        }
    }
}

/// What a round must remember.
struct Sweeper {
    private var jump = ClockJump()
    /// How often the store is asked which lanes it knows and what is paused.
    static let lanesMilliseconds: Int64 = 30_000

    private(set) var mustPlan = true
    private var askedLanesAt: Int64?

    /// Holds the clocks against each other, and takes the word of lanes that did so themselves.
    mutating func observe(_ now: LaneTime, lanesWaitForPlan: Bool) {
        if jump.observe(wall: now.wall, steady: now.steady) != nil || lanesWaitForPlan { mustPlan = true }
    }

    mutating func planned() { mustPlan = false }

    func mustAskLanes(at now: LaneTime) -> Bool {
        guard let askedLanesAt else { return true }
        return now.steady - askedLanesAt >= Self.lanesMilliseconds
    }

    mutating func askedLanes(at now: LaneTime) { askedLanesAt = now.steady }

    func mayExpire(at now: LaneTime) -> Bool { jump.mayExpire(steady: now.steady) }
}
