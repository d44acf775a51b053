package import ReveilleCore
package import ReveilleRuntime
package import ReveilleStorage

/// The part of a lane that other threads reach: room for wakes that are leased at insert, and what the store's writer has to
/// tell.
///
/// Every call holds the lock for a moment and rings the lane's loop once for all that gathers before it looks.
package final class LaneMailbox: Sendable {
    /// What gathered since the lane last looked.
    struct Mail {
        var taken: [LeasedWake] = []
        var revoked: [WakeRow] = []
        /// The earliest time at which unleased wakes are due, on the wall clock.
        var due: Int64?
        var settingsChanged = false
        /// What the store knows as paused, when it was asked.
        var pauses: [PauseScope: ProviderReason] = [:]
        var wasPlanned = false
        var mayHaveStranded = false
        var mustStop = false
    }

    private struct State {
        var mail = Mail()
        /// The loop was rung and has not looked yet.
        var isRung = false
        /// Wakes that the lane would hold, and those it holds or was promised by a running call.
        var capacity = 0
        var held = 0
        /// Room that transactions were granted and have not used or given back.
        var granted = 0
        var token: Int64 = 0

        var room: Int { max(0, capacity - held - granted - mail.taken.count) }
    }

    private let state = Locked(State())
    private let steady: any MonotonicClock
    private let leaseMilliseconds: Int64
    private let ring: @Sendable () -> Void

    /// A mailbox without room.
    ///
    /// - Parameter ring: makes the lane's loop look soon; called on any thread.
    package init(steady: any MonotonicClock, leaseMilliseconds: Int64, ring: @escaping @Sendable () -> Void) {
        self.steady = steady
        self.leaseMilliseconds = leaseMilliseconds
        self.ring = ring
    }

    // MARK: The writer's side

    /// Room for wakes that are leased at insert.
    package func reserve(upTo count: Int) -> LeaseGrant? {
        let until = steady.now().nanoseconds / 1_000_000 + leaseMilliseconds
        return state.withLock { state in
            let granted = min(count, state.room)
            guard granted > 0 else { return nil }
            state.granted += granted
            return LeaseGrant(count: granted, lease: Lease(token: state.token, untilMilliseconds: until))
        }
    }

    /// Takes back room that was not used.
    package func release(_ count: Int) {
        state.withLock { $0.granted = max(0, $0.granted - count) }
    }

    /// Wakes leased at insert, after their commit.
    package func take(_ wakes: [LeasedWake]) {
        post { state in
            state.granted = max(0, state.granted - wakes.count)
            state.mail.taken.append(contentsOf: wakes)
        }
    }

    /// Wakes that must not be sent any more.
    package func revoke(_ rows: [WakeRow]) { post { $0.mail.revoked.append(contentsOf: rows) } }

    /// Unleased wakes are due at a time of the wall clock.
    package func noteDue(_ milliseconds: Int64) { post { $0.mail.due = min($0.mail.due ?? .max, milliseconds) } }

    /// Settings changed: what is paused is probed at once.
    package func noteSettingsChange() { post { $0.mail.settingsChanged = true } }

    /// The store knows of these pauses; one that another process began holds here too, until a probe ends it.
    package func notePauses(_ pauses: [PauseScope: ProviderReason]) { post { $0.mail.pauses = pauses } }

    /// The store holds wakes although it knows of no pause: a process ended between holding and recording, or gave wakes back
    /// after another one had caught up.
    package func noteStranded() { post { $0.mail.mayHaveStranded = true } }

    /// The store planned anew after a jump of the wall clock.
    package func notePlan() { post { $0.mail.wasPlanned = true } }

    /// The lane ends.
    package func stop() { post { $0.mail.mustStop = true } }

    private func post(_ change: (inout State) -> Void) {
        let mustRing = state.withLock { state in
            change(&state)
            defer { state.isRung = true }
            return !state.isRung
        }
        if mustRing { ring() }
    }

    // MARK: The lane's side

    /// Takes what gathered.
    func collect() -> Mail {
        state.withLock { state in
            let mail = state.mail
            // Between now and the next publication the lane holds them.
            state.held += mail.taken.count
            state.mail = Mail()
            state.isRung = false
            return mail
        }
    }

    /// Says how many wakes the lane would hold and how many it holds, what running calls may bring included.
    func publish(capacity: Int, held: Int, token: Int64) {
        state.withLock { state in
            state.capacity = capacity
            state.held = held
            state.token = token
        }
    }

    /// Takes at most half of the room for a call that leases; it counts as held until the next publication.
    ///
    /// The other half stays open for wakes leased at insert, which cost less.
    func claim(upTo count: Int) -> Int {
        state.withLock { state in
            let claimed = min(count, (state.room + 1) / 2)
            state.held += claimed
            return claimed
        }
    }
}
