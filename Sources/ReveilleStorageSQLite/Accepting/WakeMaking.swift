internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What the outbox must know of a device to wake it.
struct WakeTarget {
    let row: DeviceRow
    let lane: Int64
    let topic: Int64
    let state: DeviceState
    let os: DeviceOS
    let version: Int64
    let tokenVersion: Int64
    /// Whether an accepted wake must be noted in the device's row.
    let needsAttention: Bool
    let standing: TokenStanding
    let token: [UInt8]
    let categories: [UInt8]?
    let probedAt: Int64?

    /// A recorded success is not written again for this long.
    static let successMilliseconds: Int64 = 600_000

    /// Takes the columns of ``Recipients``'s queries.
    init(_ row: SQLiteRow, now: Int64) throws {
        guard let state = DeviceState(rawValue: row.integer(3)) else { throw StoreError(.corrupt) }
        let isQuiet = row.boolean(7) && !row.boolean(8) && state == .active
        self.row = DeviceRow(row.integer(0))
        lane = row.integer(1)
        topic = row.integer(2)
        self.state = state
        os = try .stored(row.integer(4))
        version = row.integer(5)
        tokenVersion = row.integer(6)
        standing = isQuiet ? .proven : .unproven
        needsAttention = !(isQuiet && row.integer(9) > now - Self.successMilliseconds)
        token = row.bytes(10)
        categories = row.optionalBytes(11)
        probedAt = row.optionalInteger(12)
    }

    /// Takes a whole row.
    init(_ device: StoredDevice) {
        row = device.row
        lane = device.lane
        topic = device.topic
        state = device.state
        os = device.os
        version = device.version
        tokenVersion = device.tokenVersion
        needsAttention = true
        standing = device.standing
        token = device.token
        categories = device.categories
        probedAt = device.probedAt
    }
}

/// Makes the wakes of one post.
struct WakeMaking {
    private let transaction: WriteTransaction
    private let post: NotificationPost
    private let outbox: Outbox
    private let expiresAt: Int64
    private var batch: LeasedWakeBatch
    private var apps: [(topic: Int64, app: App?)] = []

    init(_ transaction: WriteTransaction, post: NotificationPost) throws {
        self.transaction = transaction
        self.post = post
        outbox = Outbox(transaction)
        batch = try LeasedWakeBatch(transaction)
        expiresAt = Lifetime.wakeExpiry(
            alert: post.alert, ttlSeconds: post.ttlSeconds, nowMilliseconds: transaction.now)
    }

    /// Makes a wake for a device that wants one; ``finish()`` must follow the last.
    mutating func wake(_ target: WakeTarget, for delivery: Int64) throws {
        // A topic that the operator took off the list has nobody to wake.
        guard try wants(target), let app = try app(of: target.topic) else { return }
        guard let mode = app.wakeMode(alert: post.alert, os: target.os), try isOn(target.lane) else { return }
        let wish = Outbox.Wish(
            target: target, shape: app.shape, mode: mode, isVisible: post.alert == .visible, delivery: delivery,
            collapse: collapse(target, mode: mode, delivery: delivery), expiresAt: expiresAt,
            wantedRoom: post.recipients.count)
        try outbox.add(wish, to: &batch)
    }

    /// Puts the last wakes into the table.
    mutating func finish() throws {
        try batch.flush()
    }

    private func wants(_ target: WakeTarget) throws -> Bool {
        // Most want everything.
        guard let sealed = target.categories else { return true }
        return try WantedCategories(sealed, of: target.row, transaction.sealer).contains(post.category)
    }

    /// Whether the operator has the provider of a lane switched on.
    private func isOn(_ lane: Int64) throws -> Bool {
        let off = transaction.environment.options.providersOff
        return try off.isEmpty || !off.contains(transaction.lanes.key(of: lane).provider)
    }

    private mutating func app(of topic: Int64) throws -> App? {
        // A handful of topics: a search along an array is quicker than hashing their names.
        if let known = apps.first(where: { $0.topic == topic }) { return known.app }
        let app = transaction.environment.apps.app(topic: try transaction.lanes.topic(of: topic))
        apps.append((topic, app))
        return app
    }

    private func collapse(_ target: WakeTarget, mode: WakeMode, delivery: Int64) -> CollapseID? {
        switch mode {
        case .backgroundWake: return nil
        case .privateAlert:
            let subject = post.series.map { CollapseSubject.series($0) } ?? .delivery(DeliveryRow(delivery))
            return transaction.collapse.collapseID(of: target.row, subject: subject)
        }
    }
}
