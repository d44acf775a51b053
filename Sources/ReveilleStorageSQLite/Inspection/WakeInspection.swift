internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// The outbox as an operator may see it.
struct WakeInspection {
    private let session: ReadSession
    private let table: WakeTable

    init(_ session: ReadSession) {
        self.session = session
        table = WakeTable(statements: session.statements)
    }

    func wake(_ row: WakeRow) throws -> WakeRecord? {
        try table.find(row).map { try record($0) }
    }

    func unsettled(of device: DeviceRow) throws -> [WakeRecord] {
        try table.unsettled(of: device).map { try record($0) }
    }

    func wakes(after row: WakeRow?, state: WakeState?, limit: Int) throws -> [WakeRecord] {
        let find = try session.statements[
            "SELECT id FROM wake WHERE id > ?1 AND (?2 IS NULL OR state = ?2) ORDER BY id LIMIT ?3"]
        find.bind(1, row?.number ?? 0)
        find.bind(2, state?.rawValue)
        find.bind(3, Int64(limit))
        return try find.map { WakeRow($0.integer(0)) }.compactMap { try wake($0) }
    }

    func tries(of wake: WakeRow) throws -> [TryRecord] {
        let find = try session.statements[
            "SELECT outcome, reason, status, ended_at FROM wake_try WHERE wake_id = ?1 ORDER BY number"]
        find.bind(1, wake.number)
        return try find.map { row in
            guard let outcome = StoredOutcome(rawValue: row.integer(0)) else { throw StoreError(.corrupt) }
            return TryRecord(
                outcome: outcome.word, reason: ProviderReason(stored: row.text(1)), status: Int(row.integer(2)),
                endedAtMilliseconds: row.integer(3))
        }
    }

    func counts() throws -> [WakeState: Int64] {
        var counts: [WakeState: Int64] = [:]
        try session.statements["SELECT state, count(*) FROM wake GROUP BY state"].forEach { row in
            guard let state = WakeState(rawValue: row.integer(0)) else { throw StoreError(.corrupt) }
            counts[state] = row.integer(1)
        }
        return counts
    }

    private func record(_ wake: StoredWake) throws -> WakeRecord {
        WakeRecord(
            row: wake.row, device: wake.device, lane: try session.lanes.key(of: wake.lane),
            topic: try session.lanes.topic(of: wake.topic), mode: wake.mode, reason: wake.reason, state: wake.state,
            hold: wake.hold, deliveries: try table.deliveries(of: wake).map { DeliveryRow($0) },
            collapse: wake.collapse, tokenVersion: wake.tokenVersion, deviceVersion: wake.deviceVersion,
            everLeased: wake.wasLeased, failures: wake.failures, isProbe: wake.isProbe, dueAtMilliseconds: wake.dueAt,
            expiresAtMilliseconds: wake.expiresAt, createdAtMilliseconds: wake.createdAt,
            settledAtMilliseconds: wake.settledAt, successor: wake.successor)
    }
}
