internal import ReveilleCore
internal import ReveilleStorage

/// What a transaction makes others do once it is on disk; dropped when it is not.
struct TransactionEffects {
    /// What concerns one lane.
    private struct Lane {
        let key: LaneKey
        var leased: [LeasedWake] = []
        var dueMilliseconds: Int64?
        var revoked: [WakeRow] = []
        var reserved = 0
        var room = 0
        var lease: Lease?
        var isExhausted = false
    }

    // A handful of lanes: a search along an array is quicker than hashing their keys.
    private var numbers: [Int64] = []
    private var lanes: [Lane] = []
    private var afterCommit: [@Sendable () -> Void] = []

    /// Takes one wake's room on a lane, asking the intake for up to `wanted` when none is left; nil when there is none.
    mutating func takeRoom(
        _ number: Int64, _ key: LaneKey, wanted: Int, from intake: (any LaneIntake)?
    ) -> Lease? {
        let index = index(of: number, key)
        if lanes[index].room == 0, !lanes[index].isExhausted {
            let grant = intake?.reserve(key, upTo: wanted)
            lanes[index].lease = grant?.lease
            lanes[index].room = max(grant?.count ?? 0, 0)
            lanes[index].reserved += lanes[index].room
            // Less than was asked for means that no more is to be had in this transaction.
            lanes[index].isExhausted = (grant?.count ?? 0) < wanted
        }
        guard lanes[index].room > 0 else { return nil }
        lanes[index].room -= 1
        return lanes[index].lease
    }

    /// A wake was leased at insert.
    mutating func leased(_ wake: LeasedWake, on number: Int64, _ key: LaneKey) {
        lanes[index(of: number, key)].leased.append(wake)
    }

    /// An unleased wake is due at a time.
    mutating func due(at milliseconds: Int64, on number: Int64, _ key: LaneKey) {
        let index = index(of: number, key)
        lanes[index].dueMilliseconds = min(lanes[index].dueMilliseconds ?? milliseconds, milliseconds)
    }

    /// A leased wake must not be sent any more.
    mutating func revoked(_ wake: WakeRow, on number: Int64, _ key: LaneKey) {
        lanes[index(of: number, key)].revoked.append(wake)
    }

    /// Something in memory follows what was written.
    mutating func afterCommit(_ body: @escaping @Sendable () -> Void) {
        afterCommit.append(body)
    }

    /// Tells everybody, the transaction being on disk since `steadyMilliseconds`.
    mutating func apply(to intake: (any LaneIntake)?, steadyMilliseconds: Int64) {
        for body in afterCommit { body() }
        guard let intake else { return }
        for index in lanes.indices {
            for wake in lanes[index].leased.indices {
                lanes[index].leased[wake].committedAtMilliseconds = steadyMilliseconds
            }
            let lane = lanes[index]
            if !lane.leased.isEmpty { intake.take(lane.key, lane.leased) }
            // After the hand-over, since a later operation of the transaction may have revoked what an earlier one leased.
            if !lane.revoked.isEmpty { intake.revoke(lane.key, lane.revoked) }
            if lane.room > 0 { intake.release(lane.key, count: lane.room) }
            if let due = lane.dueMilliseconds { intake.wakesAreWaiting(lane.key, dueMilliseconds: due) }
        }
    }

    /// Gives all room back: nothing of the transaction happened.
    func undo(for intake: (any LaneIntake)?) {
        guard let intake else { return }
        for lane in lanes where lane.reserved > 0 { intake.release(lane.key, count: lane.reserved) }
    }

    private mutating func index(of number: Int64, _ key: LaneKey) -> Int {
        if let index = numbers.firstIndex(of: number) { return index }
        numbers.append(number)
        lanes.append(Lane(key: key))
        return lanes.count - 1
    }
}
