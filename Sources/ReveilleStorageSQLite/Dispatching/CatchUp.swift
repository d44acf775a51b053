internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// After a pause: one wake for each device that missed something visible, instead of all that were held.
struct CatchUp {
    /// Devices caught up in one transaction.
    static let devicesPerTransaction = 200
    /// The most deliveries one wake names; a device that missed more fetches the rest with them.
    private static let maximumDeliveries = 1_000

    /// How far the devices of a lane were caught up.
    struct Progress: Sendable {
        var made = 0
        /// Where the next transaction goes on; nil at the end.
        var next: Position?
    }

    /// A topic and device of the lane.
    struct Position: Sendable {
        let topic: Int64
        let device: Int64
    }

    private let transaction: WriteTransaction
    private let outbox: Outbox
    private let devices: DeviceTable

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
        devices = DeviceTable(statements: transaction.statements)
    }

    /// Catches up the next devices of a lane, or of one topic of it, behind a position.
    func run(_ key: LaneKey, topic: String?, after position: Position?) throws -> Progress {
        guard let lane = try transaction.lanes.number(of: key) else { return Progress() }
        let find = try transaction.statements[
            """
            SELECT DISTINCT topic_id, device_id FROM wake INDEXED BY wake_stalled
            WHERE lane_id = ?1 AND hold_reason = 3 AND (?2 IS NULL OR topic_id = ?2)
              AND (topic_id, device_id) > (?3, ?4)
            ORDER BY topic_id, device_id LIMIT ?5
            """]
        find.bind(1, lane)
        find.bind(2, try topic.map { try transaction.lanes.number(ofTopic: $0) ?? 0 })
        find.bind(3, position?.topic ?? -1)
        find.bind(4, position?.device ?? -1)
        find.bind(5, Int64(Self.devicesPerTransaction))
        let places = try find.map { Position(topic: $0.integer(0), device: $0.integer(1)) }
        var progress = Progress()
        for place in places where try catchUp(place, on: lane) { progress.made += 1 }
        progress.next = places.count == Self.devicesPerTransaction ? places.last : nil
        return progress
    }

    /// Gives a device that was enabled again one wake for what it missed; false when there is nothing.
    func wakeForMissed(_ device: StoredDevice) throws -> Bool {
        guard device.isWakeable else { return false }
        let missed = try MissedDeliveries(transaction, device).visible(limit: Self.maximumDeliveries)
        guard !missed.isEmpty else { return false }
        try insert(for: device, missed, replacing: [])
        return true
    }

    /// One device: its held and expired wakes become one, if something visible is still missed.
    private func catchUp(_ place: Position, on lane: Int64) throws -> Bool {
        let row = DeviceRow(place.device)
        let stalled = try stalledWakes(at: place, on: lane)
        // A wake may be on its way to the other environment: its device is caught up where its row says.
        guard let device = try devices.find(row), device.isWakeable else {
            for wake in stalled { try drop(wake) }
            return false
        }
        try releaseSilent(stalled)
        let visible = stalled.filter(\.isVisible)
        guard !visible.isEmpty else { return false }
        let waiting = try outbox.wakes.mergeable(of: row).filter { $0.state == .waiting && $0.isVisible && !$0.isProbe }
        let stoodFor = Set(try (visible + waiting).flatMap { try outbox.wakes.deliveries(of: $0) })
        // Silent ones among them came by merging, and have no wake of their own to go out with.
        let missed = try MissedDeliveries(transaction, device).among(stoodFor, limit: Self.maximumDeliveries)
        guard !missed.isEmpty else {
            for wake in visible { try drop(wake) }
            return false
        }
        if visible.count == 1, waiting.isEmpty, let only = visible.first, only.state == .held,
            missed.contains(where: \.isVisible)
        {
            try outbox.release(only, isProbe: false)
            return true
        }
        try insert(for: device, missed, replacing: visible + waiting)
        return true
    }

    private func stalledWakes(at place: Position, on lane: Int64) throws -> [StoredWake] {
        let find = try transaction.statements[
            """
            SELECT id, device_id, lane_id, topic_id, shape, mode, reason, visible, delivery_id, collapse, token_version,
              device_version, state, hold_reason, due_at, lease_token, ever_leased, is_probe, is_combined, failures,
              last_outcome, expires_at, created_at, settled_at, successor_id
            FROM wake INDEXED BY wake_stalled
            WHERE lane_id = ?1 AND topic_id = ?2 AND device_id = ?3 AND hold_reason = 3
            ORDER BY id
            """]
        find.bind(1, lane)
        find.bind(2, place.topic)
        find.bind(3, place.device)
        return try find.map { try WakeTable.read($0) }
    }

    // MARK: Effects

    /// Held silent wakes go out as they are: they show nothing, and what merges has merged.
    private func releaseSilent(_ stalled: [StoredWake]) throws {
        for wake in stalled where !wake.isVisible {
            if wake.state == .held { try outbox.release(wake, isProbe: false) } else { try forget(wake) }
        }
    }

    /// Nothing that the wake stands for is missed any more.
    private func drop(_ wake: StoredWake) throws {
        if wake.state == .held { try outbox.end(wake, as: .cancelled) } else { try forget(wake) }
    }

    /// An expired wake is no longer marked for the catch-up.
    private func forget(_ wake: StoredWake) throws {
        let update = try transaction.statements["UPDATE wake SET hold_reason = NULL WHERE id = ?1"]
        update.bind(1, wake.row.number)
        try update.run()
    }

    private func insert(for device: StoredDevice, _ missed: [MissedDelivery], replacing old: [StoredWake]) throws {
        guard let newest = missed.last(where: \.isVisible) ?? missed.last,
            let app = transaction.environment.apps.app(topic: try transaction.lanes.topic(of: device.topic)),
            let mode = app.wakeMode(alert: newest.isVisible ? .visible : .silent, os: device.os)
        else { return }
        let target = WakeTarget(device)
        let row = WakeRow(transaction.sequence.nextWake())
        let hold = try outbox.holdReason(of: target)
        try outbox.insert(
            NewWake(
                row: row, device: device.row, lane: device.lane, topic: device.topic, shape: app.shape, mode: mode,
                reason: .changed, isVisible: newest.isVisible, delivery: newest.row,
                collapse: mode == .privateAlert ? outbox.collapse(of: row, on: device.row) : nil,
                tokenVersion: device.tokenVersion, deviceVersion: device.version,
                placement: hold.map { .held($0) } ?? .waiting(dueMilliseconds: transaction.now), needsAttention: true,
                isCombined: true,
                expiresAt: Lifetime.catchUpExpiry(
                    longestLife: missed.map(\.endsAt).reduce(0, max), nowMilliseconds: transaction.now)))
        for other in missed where other.row != newest.row { try outbox.wakes.absorb(other.row, into: row) }
        for wake in old {
            if wake.state == .expired {
                try forget(wake)
            } else {
                try outbox.wakes.settle(
                    wake.row, as: wake.wasLeased ? .superseded : .merged, now: transaction.now, successor: row)
            }
        }
    }
}
