internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Ends wakes whose deliveries need no wake any more, so that nobody is woken for what they have seen.
///
/// A delivery is covered for a device when it was read, dismissed or removed, when the device presented a cursor behind it,
/// or a receipt for it. A wake ends only when all that it stands for is covered.
struct Coverage {
    /// Who covered deliveries.
    enum Witness {
        /// The wake's own device, by cursor or receipt.
        case device
        /// Anybody, by reading, dismissing or removing.
        case reader
    }

    private let transaction: WriteTransaction
    private let outbox: Outbox

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
    }

    /// Looks at the unsettled wakes of a device after something of its deliveries was covered.
    func apply(to device: DeviceRow, syncedChange: Int64, witness: Witness) throws {
        for wake in try outbox.wakes.unsettled(of: device) where wake.reason != .verify {
            let deliveries = try outbox.wakes.deliveries(of: wake)
            let open = try deliveries.filter { try !isCovered($0, for: device, syncedChange: syncedChange) }
            if open.isEmpty {
                try outbox.end(wake, as: ending(of: wake, witness))
            } else if !wake.wasLeased, open.count < deliveries.count {
                try shorten(wake, from: deliveries, to: open)
            }
        }
    }

    /// Looks at the wakes of every device of a profile after deliveries were read, dismissed or removed.
    func apply(toDevicesOf profile: ProfileRow) throws {
        let find = try transaction.statements[
            "SELECT id, synced_change FROM device INDEXED BY device_by_profile WHERE profile_id = ?1"]
        find.bind(1, profile.number)
        for (device, synced) in try find.map({ (DeviceRow($0.integer(0)), $0.integer(1)) }) {
            try apply(to: device, syncedChange: synced, witness: .reader)
        }
    }

    /// Where nobody knows whether a wake arrived, its own device's word that it needs it no more says that it did.
    private func ending(of wake: StoredWake, _ witness: Witness) -> WakeState {
        switch witness {
        case .device: wake.lastOutcome.leavesOpenWhetherSent ? .accepted : .cancelled
        case .reader: .cancelled
        }
    }

    private func isCovered(_ delivery: Int64, for device: DeviceRow, syncedChange: Int64) throws -> Bool {
        if delivery <= syncedChange { return true }
        let find = try transaction.statements[
            """
            SELECT read_at IS NOT NULL OR removed_at IS NOT NULL
              OR EXISTS (SELECT 1 FROM receipt WHERE device_id = ?2 AND delivery_id = ?1)
            FROM delivery WHERE id = ?1
            """]
        find.bind(1, delivery)
        find.bind(2, device.number)
        return try find.first { $0.boolean(0) } ?? true
    }

    /// Takes covered deliveries off the list of a wake that nobody has seen yet.
    private func shorten(_ wake: StoredWake, from deliveries: [Int64], to open: [Int64]) throws {
        guard let newest = open.last else { return }
        // A wake that was held for long stands for very many.
        let kept = Set(open)
        for delivery in deliveries where !kept.contains(delivery) || delivery == newest {
            try outbox.wakes.takeOff(delivery, from: wake.row)
        }
        if wake.delivery != newest { try outbox.wakes.name(newest, by: wake.row) }
    }
}
