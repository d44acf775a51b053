internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Wakes that end without being sent, or go back.
extension Outbox {
    /// Cancels every unsettled wake of a device; lanes learn of those in their hands.
    func cancelAll(of device: DeviceRow, except kept: WakeRow? = nil) throws {
        for wake in try wakes.unsettled(of: device) where wake.row != kept { try end(wake, as: .cancelled) }
    }

    /// Settles a wake; its lane learns of it when the wake is in its hands.
    func end(_ wake: StoredWake, as state: WakeState) throws {
        try wakes.settle(wake.row, as: state, now: transaction.now)
        try tellHolder(of: wake)
    }

    /// Keeps every other unsettled wake of a device back.
    ///
    /// Those that another process leased stay with it: it may be sending them, and a wake that was held and released again
    /// meanwhile would be in two hands. It finds out when it looks them up, and gives them back.
    func holdAll(of device: DeviceRow, _ reason: HoldReason, except kept: WakeRow?) throws {
        for wake in try wakes.unsettled(of: device) where wake.row != kept && MergeRule.takesPart(wake.reason) {
            if wake.state == .leased, try !isLeasedHere(wake) { continue }
            try wakes.hold(wake.row, reason)
            try tellHolder(of: wake)
            if !wake.wasLeased { transaction.noteUnleasedWake() }
        }
    }

    /// Lets wakes that were held for one reason wait again; those of a paused lane stay held for the lane's sake.
    func releaseHeld(of device: DeviceRow, _ reason: HoldReason) throws {
        for wake in try wakes.unsettled(of: device) where wake.state == .held && wake.hold == reason {
            try release(wake, isProbe: false)
        }
    }

    /// Lets a held wake wait, due now; or holds it for its lane's sake when that is paused.
    func release(_ wake: StoredWake, isProbe: Bool) throws {
        if try transaction.pauses(of: wake.lane).holds(wake.topic) {
            return try wakes.hold(wake.row, .laneMisconfigured)
        }
        let update = try transaction.statements[
            "UPDATE wake SET state = 0, hold_reason = NULL, due_at = ?2, is_probe = ?3 WHERE id = ?1"]
        update.bind(1, wake.row.number)
        update.bind(2, transaction.now)
        update.bind(3, isProbe)
        try update.run()
        if !wake.wasLeased { transaction.noteUnleasedWake() }
        try tellWaiting(on: wake.lane, dueMilliseconds: transaction.now)
    }

    /// Lets an accepted wake of a device look at the device's row, which speaks differently now.
    func askForAttention(_ device: DeviceRow) throws {
        let update = try transaction.statements[
            "UPDATE wake INDEXED BY wake_unsettled SET attention = 1 WHERE device_id = ?1 AND state < 3"]
        update.bind(1, device.number)
        try update.run()
    }

    /// Moves never-leased wakes of a device to the lane that it belongs to now.
    func moveUnleased(of device: DeviceRow, to lane: Int64) throws {
        let update = try transaction.statements[
            """
            UPDATE wake INDEXED BY wake_unleased SET lane_id = ?2
            WHERE device_id = ?1 AND state < 3 AND state <> 1 AND ever_leased = 0 AND lane_id <> ?2 AND reason <> 2
            """]
        update.bind(1, device.number)
        update.bind(2, lane)
        if try update.runCountingChanges() > 0 { try tellWaiting(on: lane, dueMilliseconds: transaction.now) }
    }

    /// Tells a lane that an unleased wake is due.
    func tellWaiting(on lane: Int64, dueMilliseconds: Int64) throws {
        transaction.effects.due(at: dueMilliseconds, on: lane, try transaction.lanes.key(of: lane))
    }

    private func isLeasedHere(_ wake: StoredWake) throws -> Bool {
        let find = try transaction.statements[
            "SELECT 1 FROM wake WHERE id = ?1 AND lease_slot = ?2 AND lease_boot = ?3"]
        find.bind(1, wake.row.number)
        find.bind(2, transaction.environment.slot)
        find.bind(3, transaction.environment.boot)
        return try find.first { _ in true } ?? false
    }

    private func tellHolder(of wake: StoredWake) throws {
        guard wake.state == .leased else { return }
        transaction.effects.revoked(wake.row, on: wake.lane, try transaction.lanes.key(of: wake.lane))
    }
}
