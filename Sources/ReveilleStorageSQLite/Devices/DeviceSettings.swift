internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What a device's owner chooses, and its token, sealed into its row.
struct DeviceSettings {
    private let transaction: WriteTransaction

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
    }

    /// Seals a token into a device's row.
    func setToken(_ octets: [UInt8], of row: DeviceRow) throws {
        let update = try transaction.statements["UPDATE device SET token = ?2 WHERE id = ?1"]
        update.bind(1, row.number)
        update.bind(2, transaction.sealer.seal(octets, .deviceToken, row: row.number))
        try update.run()
    }

    /// Changes name and categories as far as they are given; empty ones are taken away.
    func apply(name: Given<String>, categories: Given<[String]>, to row: DeviceRow) throws {
        switch name {
        case .absent: break
        case .empty: try setName(nil, of: row)
        case .value(let text): try setName(Array(text.utf8), of: row)
        }
        switch categories {
        case .absent: break
        case .empty: try setCategories(nil, of: row)
        case .value(let list): try setCategories(TextList.octets(list), of: row)
        }
    }

    /// Changes the push mode; anything but private push cancels what is under way and raises the version.
    func setPushMode(_ mode: PushMode, of device: StoredDevice) throws {
        guard mode != device.pushMode else { return }
        let update = try transaction.statements["UPDATE device SET push_mode = ?2 WHERE id = ?1"]
        update.bind(1, device.row.number)
        update.bind(2, mode.storedNumber)
        try update.run()
        if mode != .privatePush { try silence(device.row) }
    }

    /// Cancels everything for a device that may not be woken any more.
    func silence(_ row: DeviceRow) throws {
        try Outbox(transaction).cancelAll(of: row)
        try DeviceTable(statements: transaction.statements).raiseVersion(row)
    }

    private func setName(_ octets: [UInt8]?, of row: DeviceRow) throws {
        let update = try transaction.statements["UPDATE device SET name = ?2 WHERE id = ?1"]
        update.bind(1, row.number)
        update.bind(2, octets.map { transaction.sealer.seal($0, .deviceName, row: row.number) })
        try update.run()
    }

    private func setCategories(_ octets: [UInt8]?, of row: DeviceRow) throws {
        let update = try transaction.statements["UPDATE device SET categories = ?2 WHERE id = ?1"]
        update.bind(1, row.number)
        update.bind(2, octets.map { transaction.sealer.seal($0, .deviceCategories, row: row.number) })
        try update.run()
    }
}
