internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// A registration that waits for the code of a verification wake; the code and the registration are sealed.
struct StoredClaim {
    let row: Int64
    let profile: ProfileRow
    let holder: DeviceRow
    let wake: WakeRow
    let tokenHash: [UInt8]
    let code: [UInt8]
    let registration: [UInt8]
    let wrongCodes: Int64
    let createdAt: Int64
    let expiresAt: Int64

    init(_ row: SQLiteRow) {
        self.row = row.integer(0)
        profile = ProfileRow(row.integer(1))
        holder = DeviceRow(row.integer(2))
        wake = WakeRow(row.integer(3))
        tokenHash = row.bytes(4)
        code = row.bytes(5)
        registration = row.bytes(6)
        wrongCodes = row.integer(7)
        createdAt = row.integer(8)
        expiresAt = row.integer(9)
    }
}

/// The registrations that wait for a code.
struct ClaimTable {
    private let statements: StatementCache
    private let sealer: Sealer

    init(_ statements: StatementCache, _ sealer: Sealer) {
        self.statements = statements
        self.sealer = sealer
    }

    /// The code that a verification wake carries; nil when its claim is gone.
    func code(of wake: WakeRow) throws -> String? {
        let find = try statements["SELECT id, code FROM claim WHERE wake_id = ?1"]
        find.bind(1, wake.number)
        guard let (row, sealed) = try find.first({ ($0.integer(0), $0.bytes(1)) }) else { return nil }
        return String(decoding: try sealer.open(sealed, .claim, row: row), as: UTF8.self)
    }

    /// The claim of an install of a profile.
    func find(profile: ProfileRow, topic: Int64, installID: String) throws -> StoredClaim? {
        let find = try statements[
            """
            SELECT id, profile_id, holder_id, wake_id, token_hash, code, registration, wrong_codes, created_at, expires_at
            FROM claim WHERE profile_id = ?1 AND topic_id = ?2 AND install_id = ?3
            """]
        find.bind(1, profile.number)
        find.bind(2, topic)
        find.bind(3, installID)
        return try find.first { StoredClaim($0) }
    }

    /// The newest claim to a device's token; of one profile, or of any.
    func newest(holder: DeviceRow, profile: ProfileRow?) throws -> StoredClaim? {
        let find = try statements[
            """
            SELECT id, profile_id, holder_id, wake_id, token_hash, code, registration, wrong_codes, created_at, expires_at
            FROM claim WHERE holder_id = ?1 AND (?2 IS NULL OR profile_id = ?2) ORDER BY id DESC LIMIT 1
            """]
        find.bind(1, holder.number)
        find.bind(2, profile?.number)
        return try find.first { StoredClaim($0) }
    }

    /// Keeps a registration until its code comes.
    func insert(
        _ request: DeviceRegistration, _ marks: RegistrationMarks, topic: Int64, holder: DeviceRow, wake: WakeRow,
        code: String, now: Int64, expiresAt: Int64
    ) throws {
        let insert = try statements[
            """
            INSERT INTO claim (profile_id, topic_id, install_id, holder_id, wake_id, token_hash, code, registration,
              created_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, x'', x'', ?7, ?8) RETURNING id
            """]
        insert.bind(1, request.profile.number)
        insert.bind(2, topic)
        insert.bind(3, request.installID)
        insert.bind(4, holder.number)
        insert.bind(5, wake.number)
        insert.bind(6, marks.tokenHash)
        insert.bind(7, now)
        insert.bind(8, expiresAt)
        guard let row = try insert.first({ $0.integer(0) }) else { throw StoreError(.programming) }
        let seal = try statements["UPDATE claim SET code = ?2, registration = ?3 WHERE id = ?1"]
        seal.bind(1, row)
        seal.bind(2, sealer.seal(Array(code.utf8), .claim, row: row))
        seal.bind(3, sealer.seal(ClaimedRegistration.octets(request), .claim, row: row))
        try seal.run()
    }

    /// Counts a wrong code.
    func countWrongCode(_ row: Int64) throws {
        let update = try statements["UPDATE claim SET wrong_codes = wrong_codes + 1 WHERE id = ?1"]
        update.bind(1, row)
        try update.run()
    }

    /// Removes a claim.
    func delete(_ row: Int64) throws {
        let delete = try statements["DELETE FROM claim WHERE id = ?1"]
        delete.bind(1, row)
        try delete.run()
    }
}
