internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// The recipients of a post: their profiles, and the devices of each that want to be woken.
struct Recipients {
    /// From this many on they are looked up with one statement for all.
    static let many = 8

    /// The profile of each recipient, in the order of the post.
    private(set) var profiles: [Int64] = []
    /// Devices with the recipient that each belongs to, in the order of the post.
    private(set) var targets: [(recipient: Int, target: WakeTarget)] = []

    private let transaction: WriteTransaction
    private let prepared: PreparedPost

    init(_ transaction: WriteTransaction, _ prepared: PreparedPost) throws {
        self.transaction = transaction
        self.prepared = prepared
        let names = prepared.post.recipients
        profiles = [Int64](repeating: 0, count: names.count)
        if let list = prepared.recipientList {
            try findAll(list)
        } else {
            for index in names.indices { try find(names[index], index) }
        }
        for index in names.indices where profiles[index] == 0 {
            // It has no device yet, so there is nobody to wake.
            profiles[index] = try ProfileTable(statements: transaction.statements)
                .make(names[index], of: prepared.post.producer, now: transaction.now).number
        }
    }

    private mutating func findAll(_ list: String) throws {
        let find = try transaction.statements[
            """
            SELECT d.id, d.lane_id, d.topic_id, d.state, d.os, d.version, d.token_version, d.is_proven,
              d.gone_days + d.refused_days, d.last_success_at, d.token, d.categories, d.probed_at, r.key, p.id
            FROM json_each(?2) r CROSS JOIN profile p ON p.producer_id = ?1 AND p.name = r.value
            LEFT JOIN device d INDEXED BY device_by_profile
              ON d.profile_id = p.id AND d.state <> 3 AND d.push_mode = 2 AND d.gate = 2
            """]
        find.bind(1, prepared.post.producer.number)
        find.bind(2, list)
        try find.forEach { row in
            let index = Int(row.integer(13))
            profiles[index] = row.integer(14)
            if row.integer(0) != 0 { targets.append((index, try WakeTarget(row, now: transaction.now))) }
        }
    }

    private mutating func find(_ name: String, _ index: Int) throws {
        let find = try transaction.statements[
            """
            SELECT d.id, d.lane_id, d.topic_id, d.state, d.os, d.version, d.token_version, d.is_proven,
              d.gone_days + d.refused_days, d.last_success_at, d.token, d.categories, d.probed_at, p.id
            FROM profile p LEFT JOIN device d INDEXED BY device_by_profile
              ON d.profile_id = p.id AND d.state <> 3 AND d.push_mode = 2 AND d.gate = 2
            WHERE p.producer_id = ?1 AND p.name = ?2
            """]
        find.bind(1, prepared.post.producer.number)
        find.bind(2, name)
        try find.forEach { row in
            profiles[index] = row.integer(13)
            if row.integer(0) != 0 { targets.append((index, try WakeTarget(row, now: transaction.now))) }
        }
    }
}
