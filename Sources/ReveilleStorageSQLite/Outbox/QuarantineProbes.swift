internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Lets one wake at a time find out whether a quarantined device is still there: one "gone" is not believed without evidence.
struct QuarantineProbes {
    private let transaction: WriteTransaction
    private let outbox: Outbox
    private let devices: DeviceTable

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
        devices = DeviceTable(statements: transaction.statements)
    }

    /// Makes a probe due for a device that just got a visible wake, if the last one is long enough ago.
    func probe(_ device: DeviceRow, lane: Int64, topic: Int64, lastProbe: Int64?) throws {
        let facts = try LaneTopicTable(statements: transaction.statements)
            .row(lane: lane, topic: topic).facts(now: transaction.now)
        let may = Brake.mayProbe(
            afterAcceptedSend: false, lane: facts, lastProbe: lastProbe, nowMilliseconds: transaction.now)
        if may { _ = try release(device) }
    }

    /// Makes due one probe for each quarantined device of a topic that has none out, at most `limit`.
    func releaseAll(lane: Int64, topic: Int64, limit: Int) throws -> Int {
        let facts = try LaneTopicTable(statements: transaction.statements)
            .row(lane: lane, topic: topic).facts(now: transaction.now)
        guard
            Brake.mayProbe(afterAcceptedSend: true, lane: facts, lastProbe: nil, nowMilliseconds: transaction.now)
        else { return 0 }
        let find = try transaction.statements[
            """
            SELECT d.id FROM device d INDEXED BY device_quarantined
            WHERE d.lane_id = ?1 AND d.topic_id = ?2 AND d.state = 2 AND d.probe_not_before <= ?3
              AND EXISTS (SELECT 1 FROM wake w INDEXED BY wake_unsettled
                WHERE w.device_id = d.id AND w.state < 3 AND w.state = 2 AND w.hold_reason = 2)
              AND NOT EXISTS (SELECT 1 FROM wake w INDEXED BY wake_unsettled
                WHERE w.device_id = d.id AND w.state < 3 AND w.is_probe = 1)
            ORDER BY d.probed_at LIMIT ?4
            """]
        find.bind(1, lane)
        find.bind(2, topic)
        find.bind(3, transaction.now)
        find.bind(4, Int64(limit))
        var released = 0
        for device in try find.map({ DeviceRow($0.integer(0)) }) where try release(device) { released += 1 }
        return released
    }

    /// Lets the held wakes of a device go out as one; false when there is none or a probe is out already.
    private func release(_ device: DeviceRow) throws -> Bool {
        let unsettled = try outbox.wakes.unsettled(of: device)
        let held = unsettled.filter {
            $0.state == .held && $0.hold == .deviceQuarantined && MergeRule.takesPart($0.reason)
        }
        guard let newest = held.last, !unsettled.contains(where: \.isProbe) else { return false }
        if try transaction.pauses(of: newest.lane).holds(newest.topic) { return false }
        if held.count == 1 {
            try outbox.release(newest, isProbe: true)
        } else {
            try combine(held)
        }
        try devices.noteProbe(device, at: transaction.now)
        return true
    }

    /// One wake for all that are held: as visible as the most visible of them, as long-lived as the longest.
    private func combine(_ held: [StoredWake]) throws {
        guard let device = try held.first.flatMap({ try devices.find($0.device) }),
            let named = held.compactMap(\.delivery).max(),
            let model = held.last(where: { $0.mode == .privateAlert }) ?? held.last
        else { return }
        let row = WakeRow(transaction.sequence.nextWake())
        let probe = NewWake(
            row: row, device: device.row, lane: device.lane, topic: device.topic, shape: model.shape, mode: model.mode,
            reason: model.reason, isVisible: held.contains(where: \.isVisible), delivery: named,
            collapse: model.mode == .privateAlert ? outbox.collapse(of: row, on: device.row) : nil,
            tokenVersion: device.tokenVersion, deviceVersion: device.version,
            placement: .waiting(dueMilliseconds: transaction.now), needsAttention: true, isProbe: true,
            isCombined: true, expiresAt: held.map(\.expiresAt).reduce(0, max))
        try outbox.insert(probe)
        for wake in held {
            try outbox.fold(wake, into: row, as: wake.wasLeased ? .superseded : .merged)
        }
        try outbox.wakes.takeOff(named, from: row)
    }
}
