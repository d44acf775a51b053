package import ReveilleCore
import ReveilleRuntime
package import ReveilleStorage

/// A lane's side of the store: gives as much room as it is told to and keeps everything that comes.
package final class RecordingIntake: LaneIntake {
    /// What came, and what room there is.
    package struct State: Sendable {
        package var room = 0
        package var lease = Lease(token: 1, untilMilliseconds: 0)
        package var reserved = 0
        package var released = 0
        package var taken: [LeasedWake] = []
        package var due: [LaneKey: Int64] = [:]
        package var revoked: [WakeRow] = []
    }

    private let state = Locked(State())

    /// An intake without room.
    package init() {}

    /// What came so far.
    package var seen: State { state.withLock { $0 } }

    /// Gives room for `count` wakes more, under a lease.
    package func give(room count: Int, _ lease: Lease) {
        state.withLock { state in
            state.room = count
            state.lease = lease
        }
    }

    /// Forgets what came.
    package func forget() {
        state.withLock { state in
            state.taken = []
            state.due = [:]
            state.revoked = []
            state.reserved = 0
            state.released = 0
        }
    }

    /// Reserves what is asked for, as far as there is room.
    package func reserve(_ lane: LaneKey, upTo count: Int) -> LeaseGrant? {
        state.withLock { state in
            let granted = min(count, state.room)
            guard granted > 0 else { return nil }
            state.room -= granted
            state.reserved += granted
            return LeaseGrant(count: granted, lease: state.lease)
        }
    }

    /// Takes room back.
    package func release(_ lane: LaneKey, count: Int) {
        state.withLock { state in
            state.room += count
            state.released += count
        }
    }

    /// Keeps wakes.
    package func take(_ lane: LaneKey, _ wakes: [LeasedWake]) {
        state.withLock { $0.taken += wakes }
    }

    /// Keeps the earliest due time.
    package func wakesAreWaiting(_ lane: LaneKey, dueMilliseconds: Int64) {
        state.withLock { $0.due[lane] = min($0.due[lane] ?? dueMilliseconds, dueMilliseconds) }
    }

    /// Keeps revoked wakes.
    package func revoke(_ lane: LaneKey, _ wakes: [WakeRow]) {
        state.withLock { $0.revoked += wakes }
    }
}
