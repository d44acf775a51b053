internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// Seals values under the present master key that a former one still seals, and lets go of former keys in the end.
enum Resealing {
    /// Rows that hold outdated values.
    struct Finds: Sendable {
        var devices: [Int64] = []
        var notifications: [Int64] = []

        var count: Int { devices.count + notifications.count }
    }

    /// Looks for outdated values; nil when the store knows one master key only.
    static func find(_ session: ReadSession, limit: Int) throws -> Finds? {
        let keys = try session.statements["SELECT count(*) FROM master_key"].first { $0.integer(0) } ?? 0
        guard keys > 1 else { return nil }
        var finds = Finds()
        finds.devices = try outdatedDevices(session.statements, session.environment, limit: limit)
        finds.notifications = try outdatedNotifications(
            session.statements, session.environment, limit: limit - finds.devices.count)
        return finds
    }

    /// Seals the values of rows anew.
    static func seal(_ finds: Finds, _ transaction: WriteTransaction) throws {
        let devices = DeviceTable(statements: transaction.statements)
        let sealer = transaction.sealer
        let write = try transaction.statements["UPDATE device SET token = ?2, name = ?3, categories = ?4 WHERE id = ?1"]
        for row in finds.devices {
            guard let device = try devices.find(DeviceRow(row)) else { continue }
            write.bind(1, row)
            write.bind(2, try anew(device.token, .deviceToken, row, sealer))
            write.bind(3, try device.name.map { try anew($0, .deviceName, row, sealer) })
            write.bind(4, try device.categories.map { try anew($0, .deviceCategories, row, sealer) })
            try write.run()
        }
        let read = try transaction.statements["SELECT content FROM notification WHERE id = ?1"]
        let replace = try transaction.statements["UPDATE notification SET content = ?2 WHERE id = ?1"]
        for row in finds.notifications {
            read.bind(1, row)
            guard let content = try read.first({ $0.optionalBytes(0) }) ?? nil else { continue }
            replace.bind(1, row)
            replace.bind(2, try anew(content, .content, row, sealer))
            try replace.run()
        }
    }

    /// Forgets the check values of former keys once nothing is sealed under them, codes on their way included.
    static func letGoOfFormerKeys(_ transaction: WriteTransaction) throws {
        let statements = transaction.statements
        let environment = transaction.environment
        guard try outdatedDevices(statements, environment, limit: 1).isEmpty,
            try outdatedNotifications(statements, environment, limit: 1).isEmpty
        else { return }
        for claim in [
            try statements["DELETE FROM claim WHERE substr(code, 2, 2) <> ?1"],
            try statements["DELETE FROM proof WHERE substr(code, 2, 2) <> ?1"],
            try statements[
                "DELETE FROM master_key WHERE generation < (SELECT max(generation) FROM master_key) AND ?1 <> x''"],
        ] {
            claim.bind(1, mark(environment))
            try claim.run()
        }
    }

    private static func anew(
        _ sealed: [UInt8], _ purpose: KeyPurpose, _ row: Int64, _ sealer: Sealer
    ) throws -> [UInt8] {
        guard sealer.isOutdated(sealed) else { return sealed }
        return sealer.seal(try sealer.open(sealed, purpose, row: row), purpose, row: row)
    }

    /// The generation as it stands in a sealed value, behind the number of the layout.
    private static func mark(_ environment: StoreEnvironment) -> [UInt8] {
        let generation = environment.keys.ring.generation
        return [UInt8(generation >> 8), UInt8(truncatingIfNeeded: generation)]
    }

    private static func outdatedDevices(
        _ statements: StatementCache, _ environment: StoreEnvironment, limit: Int
    ) throws -> [Int64] {
        let find = try statements[
            """
            SELECT id FROM device WHERE substr(token, 2, 2) <> ?1 OR substr(name, 2, 2) <> ?1
              OR substr(categories, 2, 2) <> ?1 LIMIT ?2
            """]
        find.bind(1, mark(environment))
        find.bind(2, Int64(max(limit, 0)))
        return try find.map { $0.integer(0) }
    }

    private static func outdatedNotifications(
        _ statements: StatementCache, _ environment: StoreEnvironment, limit: Int
    ) throws -> [Int64] {
        let find = try statements["SELECT id FROM notification WHERE substr(content, 2, 2) <> ?1 LIMIT ?2"]
        find.bind(1, mark(environment))
        find.bind(2, Int64(max(limit, 0)))
        return try find.map { $0.integer(0) }
    }
}
