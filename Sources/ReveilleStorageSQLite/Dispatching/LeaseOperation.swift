internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Puts due wakes into the hands of a lane and freezes their requests.
struct LeaseOperation {
    private let transaction: WriteTransaction
    private let lease: Lease
    private let outbox: Outbox
    private let devices: DeviceTable

    init(_ transaction: WriteTransaction, lease: Lease) {
        self.transaction = transaction
        self.lease = lease
        outbox = Outbox(transaction)
        devices = DeviceTable(statements: transaction.statements)
    }

    /// Leases up to `limit` due wakes of a lane, oldest due first.
    func run(
        _ lane: LaneKey, limit: Int, onlyTopic: String?, excludingTopics: Set<String>
    ) throws -> [LeasedWake] {
        guard let number = try transaction.lanes.number(of: lane) else { return [] }
        let topics = try TopicFilter(only: onlyTopic, excluding: excludingTopics, transaction.lanes)
        let due = try transaction.statements[
            """
            SELECT id, device_id, lane_id, topic_id, shape, mode, reason, visible, delivery_id, collapse, token_version,
              device_version, state, hold_reason, due_at, lease_token, ever_leased, is_probe, is_combined, failures,
              last_outcome, expires_at, created_at, settled_at, successor_id
            FROM wake INDEXED BY wake_waiting
            WHERE lane_id = ?1 AND state = 0 AND due_at <= ?2 AND (?3 IS NULL OR topic_id = ?3)
              AND topic_id NOT IN (SELECT value FROM json_each(?4))
            ORDER BY due_at LIMIT ?5
            """]
        due.bind(1, number)
        due.bind(2, transaction.now)
        due.bind(3, topics.only)
        due.bind(4, topics.excludedJSON)
        due.bind(5, Int64(limit))
        var leased: [LeasedWake] = []
        for wake in try due.map({ try WakeTable.read($0) }) {
            if let result = try take(wake, on: number) { leased.append(result) }
        }
        return leased
    }

    /// Leases one wake if it may be sent at all.
    func take(_ wake: StoredWake, on lane: Int64) throws -> LeasedWake? {
        if transaction.mayExpire, wake.expiresAt <= transaction.now {
            try outbox.wakes.expire(wake.row, now: transaction.now)
            return nil
        }
        guard let device = try devices.find(wake.device), device.version == wake.deviceVersion else {
            try outbox.end(wake, as: .cancelled)
            return nil
        }
        if wake.reason == .verify { return try takeVerification(wake, of: device) }
        guard device.isWakeable else {
            try outbox.end(wake, as: .cancelled)
            return nil
        }
        if let reason = try reasonToHold(wake, device) {
            try outbox.wakes.hold(wake.row, reason)
            return nil
        }
        if wake.wasLeased, wake.tokenVersion != device.tokenVersion {
            return try takeSuccessor(of: wake, device, on: lane)
        }
        try freeze(wake.row, device)
        return try leased(wake, device)
    }

    private func takeVerification(_ wake: StoredWake, of device: StoredDevice) throws -> LeasedWake? {
        let claimed = try ClaimTable(transaction.statements, transaction.sealer).code(of: wake.row)
        guard let code = try claimed ?? Proofs(transaction).code(of: wake.row, for: wake.device) else {
            try outbox.end(wake, as: .cancelled)
            return nil
        }
        try freeze(wake.row, device)
        return try leased(wake, device, code: code)
    }

    private func reasonToHold(_ wake: StoredWake, _ device: StoredDevice) throws -> HoldReason? {
        switch device.state {
        case .pending: .deviceUnverified
        case .quarantined: wake.isProbe ? nil : .deviceQuarantined
        case .active, .needsRegistration: nil
        }
    }

    private func takeSuccessor(
        of wake: StoredWake, _ device: StoredDevice, on lane: Int64
    ) throws -> LeasedWake? {
        guard let successor = try Succession(transaction).succeed(wake, of: device), successor.lane == lane,
            case .waiting = successor.placement, let stored = try outbox.wakes.find(successor.row)
        else { return nil }
        try freeze(stored.row, device)
        return try leased(stored, device)
    }

    private func freeze(_ row: WakeRow, _ device: StoredDevice) throws {
        let environment = transaction.environment
        try outbox.wakes.lease(
            row, lease, tokenVersion: device.tokenVersion, slot: environment.slot, boot: environment.boot)
    }

    private func leased(_ wake: StoredWake, _ device: StoredDevice, code: String? = nil) throws -> LeasedWake {
        LeasedWake(
            wake: wake.row, lease: lease, device: wake.device, delivery: wake.delivery.map { DeliveryRow($0) },
            sealedToken: device.token, standing: device.standing, topic: try transaction.lanes.topic(of: wake.topic),
            shape: wake.shape, mode: wake.mode, reason: wake.reason, collapse: wake.collapse,
            expiresAtMilliseconds: wake.expiresAt, failures: wake.failures, verificationCode: code,
            committedAtMilliseconds: transaction.steady)
    }
}

/// Topics by their numbers, as the queries of a lane's wakes take them.
struct TopicFilter {
    /// The one topic that is asked for; a number that no topic has when it is unknown.
    let only: Int64?
    /// The numbers of the topics that are left out, as a JSON array.
    let excludedJSON: String

    init(only: String?, excluding: Set<String>, _ lanes: LaneDirectory) throws {
        self.only = try only.map { try lanes.number(ofTopic: $0) ?? 0 }
        let numbers = try excluding.compactMap { try lanes.number(ofTopic: $0) }
        excludedJSON = "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }
}
