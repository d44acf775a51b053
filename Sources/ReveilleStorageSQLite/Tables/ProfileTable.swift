internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// The rows of profiles, for one transaction or read.
struct ProfileTable {
    let statements: StatementCache

    /// The profile of a producer by its name.
    func find(_ name: String, of producer: ProducerRow) throws -> ProfileRow? {
        let find = try statements["SELECT id FROM profile WHERE producer_id = ?1 AND name = ?2"]
        find.bind(1, producer.number)
        find.bind(2, name)
        return try find.first { ProfileRow($0.integer(0)) }
    }

    /// The profile of a producer by its name, made when there is none.
    func make(_ name: String, of producer: ProducerRow, now: Int64) throws -> ProfileRow {
        if let found = try find(name, of: producer) { return found }
        let insert = try statements[
            "INSERT INTO profile (producer_id, name, created_at) VALUES (?1, ?2, ?3) RETURNING id"]
        insert.bind(1, producer.number)
        insert.bind(2, name)
        insert.bind(3, now)
        guard let row = try insert.first({ ProfileRow($0.integer(0)) }) else { throw StoreError(.programming) }
        return row
    }

    /// The push mode of a profile; nil when there is none of that row.
    func pushMode(of profile: ProfileRow) throws -> PushMode? {
        let find = try statements["SELECT push_mode FROM profile WHERE id = ?1"]
        find.bind(1, profile.number)
        return try find.first { try PushMode.stored($0.integer(0)) }
    }

    /// Sets the push mode of a profile and, beside each of its devices, the copy that the outbox looks at.
    func setPushMode(_ mode: PushMode, of profile: ProfileRow) throws {
        let update = try statements["UPDATE profile SET push_mode = ?2 WHERE id = ?1"]
        update.bind(1, profile.number)
        update.bind(2, mode.storedNumber)
        try update.run()
        let gate = try statements["UPDATE device SET gate = ?2 WHERE profile_id = ?1 AND gate <> ?2"]
        gate.bind(1, profile.number)
        gate.bind(2, mode.storedNumber)
        try gate.run()
    }
}
