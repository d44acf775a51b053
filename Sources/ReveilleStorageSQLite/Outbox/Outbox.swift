internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What happens to wakes besides sending: they are added, merged, held and cancelled, inside one transaction.
struct Outbox {
    /// A wake that a delivery asks for.
    struct Wish {
        let target: WakeTarget
        let shape: Shape
        let mode: WakeMode
        let isVisible: Bool
        let delivery: Int64
        let collapse: CollapseID?
        let expiresAt: Int64
        /// How many wakes the same post may still need room for.
        let wantedRoom: Int

        var key: MergeRule.Key { MergeRule.Key(mode: mode, collapse: collapse) }
    }

    let transaction: WriteTransaction
    let wakes: WakeTable

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        wakes = WakeTable(statements: transaction.statements)
    }

    /// Adds a wake, or lets a waiting one stand for its delivery.
    ///
    /// - Parameter batch: takes what is leased at insert.
    func add(_ wish: Wish, to batch: inout LeasedWakeBatch) throws {
        let target = wish.target
        if let hold = try holdReason(of: target) { return try keep(wish, .held(hold)) }
        if try transaction.someWakeIsUnleased(), try merge(wish, .waiting(dueMilliseconds: transaction.now)) { return }
        let key = try transaction.lanes.key(of: target.lane)
        let lease = transaction.effects.takeRoom(
            target.lane, key, wanted: wish.wantedRoom, from: transaction.intake)
        if let lease {
            try insertLeased(wish, lease, key, to: &batch)
        } else {
            try insertUnleased(wish, .waiting(dueMilliseconds: transaction.now))
        }
    }

    /// Why wakes of a device must be kept back, if they must.
    func holdReason(of target: WakeTarget) throws -> HoldReason? {
        switch target.state {
        case .pending: .deviceUnverified
        case .quarantined: .deviceQuarantined
        case .active, .needsRegistration:
            try transaction.pauses(of: target.lane).holds(target.topic) ? .laneMisconfigured : nil
        }
    }

    /// Keeps a wish back; a visible one for a quarantined device may become its probe.
    private func keep(_ wish: Wish, _ placement: NewWake.Placement) throws {
        if try !merge(wish, placement) { try insertUnleased(wish, placement) }
        guard wish.target.state == .quarantined, wish.isVisible else { return }
        try QuarantineProbes(transaction).probe(
            wish.target.row, lane: wish.target.lane, topic: wish.target.topic, lastProbe: wish.target.probedAt)
    }

    // MARK: Inserting

    private func insertLeased(
        _ wish: Wish, _ lease: Lease, _ key: LaneKey, to batch: inout LeasedWakeBatch
    ) throws {
        let target = wish.target
        let row = WakeRow(transaction.sequence.nextWake())
        if !batch.takes(lease) { try batch.flush() }
        try batch.add(newWake(wish, row: row, .leased(lease)), lease)
        transaction.effects.leased(
            LeasedWake(
                wake: row, lease: lease, device: target.row, delivery: DeliveryRow(wish.delivery),
                sealedToken: target.token, standing: target.standing,
                topic: try transaction.lanes.topic(of: target.topic),
                shape: wish.shape, mode: wish.mode, reason: .changed, collapse: wish.collapse,
                expiresAtMilliseconds: wish.expiresAt, failures: 0, verificationCode: nil,
                committedAtMilliseconds: transaction.steady),
            on: target.lane, key)
    }

    private func insertUnleased(_ wish: Wish, _ placement: NewWake.Placement) throws {
        try insert(newWake(wish, row: WakeRow(transaction.sequence.nextWake()), placement))
    }

    /// Inserts a wake and tells its lane when it waits.
    func insert(_ wake: NewWake) throws {
        let environment = transaction.environment
        try wakes.insert(wake, now: transaction.now, slot: environment.slot, boot: environment.boot)
        switch wake.placement {
        case .leased: break
        case .held: transaction.noteUnleasedWake()
        case .waiting(let due):
            transaction.noteUnleasedWake()
            transaction.effects.due(at: due, on: wake.lane, try transaction.lanes.key(of: wake.lane))
        }
    }

    private func newWake(_ wish: Wish, row: WakeRow, _ placement: NewWake.Placement) -> NewWake {
        let target = wish.target
        return NewWake(
            row: row, device: target.row, lane: target.lane, topic: target.topic, shape: wish.shape, mode: wish.mode,
            reason: .changed, isVisible: wish.isVisible, delivery: wish.delivery, collapse: wish.collapse,
            tokenVersion: target.tokenVersion, deviceVersion: target.version, placement: placement,
            needsAttention: target.needsAttention, expiresAt: wish.expiresAt)
    }

    // MARK: Merging

    /// Lets waiting wakes of the device stand for the delivery if the rule says so; false when it needs a wake of its own.
    private func merge(_ wish: Wish, _ placement: NewWake.Placement) throws -> Bool {
        let waiting = try wakes.mergeable(of: wish.target.row)
            .filter { $0.lane == wish.target.lane && $0.topic == wish.target.topic }
        guard !waiting.isEmpty else { return false }
        let decision = MergeRule.decide(
            wish.key, waiting: waiting.map(\.mergeKey), combined: waiting.firstIndex { $0.isCombined })
        switch decision {
        case .insert: return false
        case .absorb(let index):
            try absorb(wish, into: waiting[index])
            return true
        case .combine(let indices):
            try combine(wish, with: indices.map { waiting[$0] }, placement)
            return true
        }
    }

    /// A waiting wake takes one more delivery: it names the newest, lives as long as the longest and stays in its place.
    private func absorb(_ wish: Wish, into wake: StoredWake) throws {
        let update = try transaction.statements[
            """
            UPDATE wake SET delivery_id = ?2, expires_at = max(expires_at, ?3), visible = max(visible, ?4),
              attention = max(attention, ?5)
            WHERE id = ?1
            """]
        update.bind(1, wake.row.number)
        update.bind(2, wish.delivery)
        update.bind(3, wish.expiresAt)
        update.bind(4, wish.isVisible)
        update.bind(5, wish.target.needsAttention)
        try update.run()
        if let named = wake.delivery { try wakes.absorb(named, into: wake.row) }
    }

    /// Six become one, with a collapse id of its own.
    private func combine(_ wish: Wish, with others: [StoredWake], _ placement: NewWake.Placement) throws {
        let row = WakeRow(transaction.sequence.nextWake())
        var wake = newWake(wish, row: row, placement)
        wake.isCombined = true
        wake.collapse = collapse(of: row, on: wish.target.row)
        wake.expiresAt = others.map(\.expiresAt).reduce(wish.expiresAt, max)
        if case .waiting(let due) = placement {
            wake.placement = .waiting(dueMilliseconds: others.map(\.dueAt).reduce(due, min))
        }
        try insert(wake)
        for other in others { try fold(other, into: row, as: .merged) }
    }

    /// A wake ends, and another stands for all that it stood for.
    func fold(_ wake: StoredWake, into row: WakeRow, as state: WakeState) throws {
        if let named = wake.delivery { try wakes.absorb(named, into: row) }
        try wakes.moveAbsorbed(from: wake.row, to: row)
        try wakes.settle(wake.row, as: state, now: transaction.now, successor: row)
    }

    /// The collapse id of a wake that stands for several.
    func collapse(of row: WakeRow, on device: DeviceRow) -> CollapseID {
        transaction.collapse.collapseID(of: device, subject: .wake(row))
    }
}
