internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What owners and the operator do with a registered device.
struct DeviceOperations {
    private let transaction: WriteTransaction
    private let devices: DeviceTable

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        devices = DeviceTable(statements: transaction.statements)
    }

    /// Changes what is given; nil when the device is not the profile's.
    func update(_ row: DeviceRow, of profile: ProfileRow, _ change: DeviceUpdate) throws -> Device? {
        guard let device = try devices.find(row), device.profile == profile else { return nil }
        let settings = DeviceSettings(transaction)
        try settings.apply(name: change.name, categories: change.categories, to: row)
        if let mode = change.pushMode { try settings.setPushMode(mode, of: device) }
        guard let changed = try devices.find(row) else { throw StoreError(.programming) }
        return try DeviceViews(transaction.lanes, transaction.sealer).device(changed)
    }

    /// Removes a device and cancels its wakes; false when there was none.
    func remove(_ row: DeviceRow, of profile: ProfileRow) throws -> Bool {
        guard let device = try devices.find(row), device.profile == profile else { return false }
        try Outbox(transaction).cancelAll(of: row)
        try devices.delete(row)
        return true
    }

    /// Enables a device again and gives it one wake for what it missed; false when there is none.
    func enable(_ row: DeviceRow) throws -> Bool {
        guard let device = try devices.find(row) else { return false }
        let clear = try transaction.statements[
            "UPDATE device SET gone_days = 0, refused_days = 0, probe_not_before = 0, probed_at = NULL WHERE id = ?1"]
        switch device.state {
        case .active, .pending: return true
        case .quarantined:
            clear.bind(1, row.number)
            try clear.run()
            try devices.setState(row, .active)
            try Outbox(transaction).releaseHeld(of: row, .deviceQuarantined)
        case .needsRegistration:
            clear.bind(1, row.number)
            try clear.run()
            try devices.setState(row, .active)
            if let enabled = try devices.find(row) { _ = try CatchUp(transaction).wakeForMissed(enabled) }
        }
        return true
    }

    /// Sets the push mode of a profile; anything but private push silences all its devices.
    func setPushMode(_ mode: PushMode, of profile: ProfileRow) throws {
        let profiles = ProfileTable(statements: transaction.statements)
        guard let present = try profiles.pushMode(of: profile), present != mode else { return }
        try profiles.setPushMode(mode, of: profile)
        guard mode != .privatePush else { return }
        for device in try devices.all(of: profile) { try DeviceSettings(transaction).silence(device.row) }
    }
}

/// What is read of devices.
struct DeviceQueries {
    private let session: ReadSession
    private let devices: DeviceTable

    init(_ session: ReadSession) {
        self.session = session
        devices = DeviceTable(statements: session.statements)
    }

    private var views: DeviceViews { DeviceViews(session.lanes, session.sealer) }

    /// The devices of a profile, newest registration first.
    func all(of profile: ProfileRow) throws -> [Device] {
        try devices.all(of: profile)
            .sorted { ($0.registeredAt, $0.row.number) > ($1.registeredAt, $1.row.number) }
            .map { try views.device($0) }
    }

    /// One device; of any profile for nil.
    func device(_ row: DeviceRow, of profile: ProfileRow?) throws -> Device? {
        guard let stored = try devices.find(row), profile == nil || stored.profile == profile else { return nil }
        return try views.device(stored)
    }

    /// Devices of all profiles in pages.
    func all(after row: DeviceRow?, limit: Int) throws -> [Device] {
        try devices.all(after: row?.number ?? 0, limit: limit).map { try views.device($0) }
    }

    /// Devices by state, as the triggers count them.
    func counts() throws -> DeviceCounts {
        let find = try session.statements[
            "SELECT sum(active), sum(pending), sum(quarantined), sum(disabled) FROM lane_topic"]
        let counts = try find.first { row in
            DeviceCounts(
                active: row.integer(0), pending: row.integer(1), quarantined: row.integer(2),
                needsRegistration: row.integer(3))
        }
        return counts ?? DeviceCounts(active: 0, pending: 0, quarantined: 0, needsRegistration: 0)
    }
}
