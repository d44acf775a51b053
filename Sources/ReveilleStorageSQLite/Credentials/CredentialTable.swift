internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// The rows of producers and tokens, for one transaction or read.
struct CredentialTable {
    let statements: StatementCache

    // MARK: Producers

    /// Makes a producer; nil when the name is taken.
    func createProducer(_ name: String, now: Int64) throws -> ProducerRow? {
        let insert = try statements[
            "INSERT INTO producer (name, created_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING id"]
        insert.bind(1, name)
        insert.bind(2, now)
        return try insert.first { ProducerRow($0.integer(0)) }
    }

    /// The producer of a name.
    func producer(_ name: String) throws -> ProducerRow? {
        let find = try statements["SELECT id FROM producer WHERE name = ?1"]
        find.bind(1, name)
        return try find.first { ProducerRow($0.integer(0)) }
    }

    /// All producers.
    func producers() throws -> [(row: ProducerRow, name: String)] {
        try statements["SELECT id, name FROM producer ORDER BY id"].map { (ProducerRow($0.integer(0)), $0.text(1)) }
    }

    // MARK: Tokens

    /// Keeps a token by its hash.
    func insert(
        _ holder: CredentialHolder, hash: [UInt8], scopes: Set<Scope>, label: String, now: Int64
    ) throws -> CredentialRow {
        let insert = try statements[
            """
            INSERT INTO credential (hash, kind, producer_id, profile_id, scopes, label, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id
            """]
        let parts = Self.parts(holder)
        insert.bind(1, hash)
        insert.bind(2, parts.kind)
        insert.bind(3, parts.producer)
        insert.bind(4, parts.profile)
        insert.bind(5, ScopeBits.pack(scopes))
        insert.bind(6, label)
        insert.bind(7, now)
        guard let row = try insert.first({ CredentialRow($0.integer(0)) }) else { throw StoreError(.programming) }
        return row
    }

    /// The meaning of a token that was not revoked.
    func find(hash: [UInt8]) throws -> Credential? {
        let find = try statements[
            """
            SELECT id, kind, producer_id, profile_id, scopes, created_at FROM credential
            WHERE hash = ?1 AND revoked_at IS NULL
            """]
        find.bind(1, hash)
        return try find.first { row in
            let holder: CredentialHolder =
                switch row.integer(1) {
                case 0: .producer(ProducerRow(row.integer(2)))
                case 1: .profile(ProfileRow(row.integer(3)))
                case 2: .admin
                default: throw StoreError(.corrupt)
                }
            return Credential(
                row: CredentialRow(row.integer(0)), holder: holder, scopes: ScopeBits.unpack(row.integer(4)),
                createdAtMilliseconds: row.integer(5))
        }
    }

    /// Whether a token was revoked, or never was.
    func isRevoked(_ row: CredentialRow) throws -> Bool {
        let find = try statements["SELECT revoked_at IS NOT NULL FROM credential WHERE id = ?1"]
        find.bind(1, row.number)
        return try find.first { $0.boolean(0) } ?? true
    }

    /// Revokes a token of a holder; false when it has no such token.
    ///
    /// The display tokens of the devices that it registered end with it: their generation rises.
    func revoke(_ row: CredentialRow, of holder: CredentialHolder, now: Int64) throws -> Bool {
        let parts = Self.parts(holder)
        let find = try statements[
            """
            SELECT revoked_at IS NOT NULL FROM credential
            WHERE id = ?1 AND kind = ?2 AND producer_id IS ?3 AND profile_id IS ?4
            """]
        find.bind(1, row.number)
        find.bind(2, parts.kind)
        find.bind(3, parts.producer)
        find.bind(4, parts.profile)
        guard let wasRevoked = try find.first({ $0.boolean(0) }) else { return false }
        if !wasRevoked { try end(row, now: now) }
        return true
    }

    /// Revokes the token of a hash, whoever holds it; names its row when there is one.
    func revoke(hash: [UInt8], now: Int64) throws -> (row: CredentialRow?, revocation: Revocation) {
        let find = try statements["SELECT id, revoked_at IS NOT NULL FROM credential WHERE hash = ?1"]
        find.bind(1, hash)
        guard let found = try find.first({ (row: CredentialRow($0.integer(0)), wasRevoked: $0.boolean(1)) }) else {
            return (nil, .unknownToken)
        }
        guard !found.wasRevoked else { return (found.row, .wasRevokedBefore) }
        try end(found.row, now: now)
        return (found.row, .revoked)
    }

    private func end(_ row: CredentialRow, now: Int64) throws {
        let revoke = try statements["UPDATE credential SET revoked_at = ?2 WHERE id = ?1"]
        revoke.bind(1, row.number)
        revoke.bind(2, now)
        try revoke.run()
        let devices = try statements["UPDATE device SET generation = generation + 1 WHERE credential_id = ?1"]
        devices.bind(1, row.number)
        try devices.run()
    }

    private static func parts(_ holder: CredentialHolder) -> (kind: Int64, producer: Int64?, profile: Int64?) {
        switch holder {
        case .producer(let row): (0, row.number, nil)
        case .profile(let row): (1, nil, row.number)
        case .admin: (2, nil, nil)
        }
    }
}
