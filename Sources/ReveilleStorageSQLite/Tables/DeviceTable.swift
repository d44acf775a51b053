internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// The rows of devices, for one transaction or read.
struct DeviceTable {
    let statements: StatementCache

    /// One device by its row.
    func find(_ row: DeviceRow) throws -> StoredDevice? {
        let find = try statements[
            """
            SELECT id, profile_id, lane_id, topic_id, state, push_mode, gate, os, version, token_version, is_proven,
              other_tried, gone_days, refused_days, last_success_at, token, categories, token_hash, install_id,
              installation_key, installation_generation, idempotency, generation, credential_id, signed_in_at,
              registered_at, name, app_version, locale, synced_change, probed_at, probe_not_before, last_failure_at,
              last_failure
            FROM device WHERE id = ?1
            """]
        find.bind(1, row.number)
        return try find.first { try StoredDevice($0) }
    }

    /// The devices of a profile, in the order of their rows.
    func all(of profile: ProfileRow) throws -> [StoredDevice] {
        let find = try statements[
            """
            SELECT id, profile_id, lane_id, topic_id, state, push_mode, gate, os, version, token_version, is_proven,
              other_tried, gone_days, refused_days, last_success_at, token, categories, token_hash, install_id,
              installation_key, installation_generation, idempotency, generation, credential_id, signed_in_at,
              registered_at, name, app_version, locale, synced_change, probed_at, probe_not_before, last_failure_at,
              last_failure
            FROM device INDEXED BY device_by_profile WHERE profile_id = ?1 ORDER BY id
            """]
        find.bind(1, profile.number)
        return try find.map { try StoredDevice($0) }
    }

    /// Devices of all profiles after a row, in the order of their rows.
    func all(after row: Int64, limit: Int) throws -> [StoredDevice] {
        let find = try statements[
            """
            SELECT id, profile_id, lane_id, topic_id, state, push_mode, gate, os, version, token_version, is_proven,
              other_tried, gone_days, refused_days, last_success_at, token, categories, token_hash, install_id,
              installation_key, installation_generation, idempotency, generation, credential_id, signed_in_at,
              registered_at, name, app_version, locale, synced_change, probed_at, probe_not_before, last_failure_at,
              last_failure
            FROM device WHERE id > ?1 ORDER BY id LIMIT ?2
            """]
        find.bind(1, row)
        find.bind(2, Int64(limit))
        return try find.map { try StoredDevice($0) }
    }

    /// The devices with a token, and those with an installation key, whatever their profile.
    func holders(tokenHash: [UInt8], installationKey: [UInt8]?, topic: Int64) throws -> [StoredDevice] {
        let find = try statements[
            """
            SELECT id, profile_id, lane_id, topic_id, state, push_mode, gate, os, version, token_version, is_proven,
              other_tried, gone_days, refused_days, last_success_at, token, categories, token_hash, install_id,
              installation_key, installation_generation, idempotency, generation, credential_id, signed_in_at,
              registered_at, name, app_version, locale, synced_change, probed_at, probe_not_before, last_failure_at,
              last_failure
            FROM device WHERE token_hash = ?1 OR (installation_key = ?2 AND topic_id = ?3) ORDER BY id
            """]
        find.bind(1, tokenHash)
        find.bind(2, installationKey)
        find.bind(3, topic)
        return try find.map { try StoredDevice($0) }
    }

    /// The device of an install of a profile.
    func find(installID: String, topic: Int64, of profile: ProfileRow) throws -> StoredDevice? {
        let find = try statements["SELECT id FROM device WHERE profile_id = ?1 AND topic_id = ?2 AND install_id = ?3"]
        find.bind(1, profile.number)
        find.bind(2, topic)
        find.bind(3, installID)
        return try find.first({ DeviceRow($0.integer(0)) }).flatMap { try self.find($0) }
    }

    /// How many devices a profile has.
    func count(of profile: ProfileRow) throws -> Int {
        let count = try statements["SELECT count(*) FROM device INDEXED BY device_by_profile WHERE profile_id = ?1"]
        count.bind(1, profile.number)
        return Int(try count.first { $0.integer(0) } ?? 0)
    }

    // MARK: Transitions

    /// Records an accepted send: no evidence against the device is left.
    func succeed(_ row: DeviceRow, at milliseconds: Int64, lane: Int64?) throws {
        try succeed([row.number], at: milliseconds)
        guard let lane else { return }
        let move = try statements["UPDATE device SET lane_id = ?2 WHERE id = ?1"]
        move.bind(1, row.number)
        move.bind(2, lane)
        try move.run()
    }

    /// Records an accepted send for each of several devices.
    func succeed(_ rows: [Int64], at milliseconds: Int64) throws {
        let update = try statements[
            """
            UPDATE device SET last_success_at = max(coalesce(last_success_at, 0), ?2), is_proven = 1, gone_days = 0,
              refused_days = 0
            WHERE id IN (SELECT value FROM json_each(?1))
            """]
        update.bind(1, JSONList.of(rows))
        update.bind(2, milliseconds)
        try update.run()
    }

    /// Moves a device from one state to another.
    func setState(_ row: DeviceRow, _ state: DeviceState) throws {
        let update = try statements["UPDATE device SET state = ?2 WHERE id = ?1"]
        update.bind(1, row.number)
        update.bind(2, state.rawValue)
        try update.run()
    }

    /// Records a failure, with the days that speak against the device.
    func noteFailure(_ row: DeviceRow, _ reason: ProviderReason, at now: Int64, evidence: DeviceEvidence) throws {
        let update = try statements[
            "UPDATE device SET last_failure_at = ?2, last_failure = ?3, gone_days = ?4, refused_days = ?5 WHERE id = ?1"
        ]
        update.bind(1, row.number)
        update.bind(2, now)
        update.bind(3, reason.word)
        update.bind(4, PackedDays.pack(evidence.goneDays))
        update.bind(5, PackedDays.pack(evidence.refusedDays))
        try update.run()
    }

    /// Raises the version: no wake made before counts any more.
    func raiseVersion(_ row: DeviceRow) throws {
        let update = try statements["UPDATE device SET version = version + 1 WHERE id = ?1"]
        update.bind(1, row.number)
        try update.run()
    }

    /// Raises the token's version: requests that were frozen before are not repeated.
    func raiseTokenVersion(_ row: DeviceRow) throws {
        let update = try statements["UPDATE device SET token_version = token_version + 1 WHERE id = ?1"]
        update.bind(1, row.number)
        try update.run()
    }

    /// Records that a probe goes out.
    func noteProbe(_ row: DeviceRow, at now: Int64) throws {
        let update = try statements["UPDATE device SET probed_at = ?2 WHERE id = ?1"]
        update.bind(1, row.number)
        update.bind(2, now)
        try update.run()
    }

    /// Lets no probe follow an accepted send before a time.
    func deferProbe(_ row: DeviceRow, until milliseconds: Int64) throws {
        let update = try statements["UPDATE device SET probe_not_before = ?2 WHERE id = ?1"]
        update.bind(1, row.number)
        update.bind(2, milliseconds)
        try update.run()
    }

    /// Records that the other environment was tried with the present token.
    func noteOtherEnvironment(_ row: DeviceRow) throws {
        let update = try statements["UPDATE device SET other_tried = 1 WHERE id = ?1"]
        update.bind(1, row.number)
        try update.run()
    }

    /// Records how far a device has fetched.
    func setSynced(_ row: DeviceRow, change: Int64) throws {
        let update = try statements["UPDATE device SET synced_change = max(synced_change, ?2) WHERE id = ?1"]
        update.bind(1, row.number)
        update.bind(2, change)
        try update.run()
    }

    /// Removes a device with its receipts, and the claims to its token.
    func delete(_ row: DeviceRow) throws {
        for statement in [
            try statements["DELETE FROM device WHERE id = ?1"],
            try statements["DELETE FROM receipt WHERE device_id = ?1"],
            try statements["DELETE FROM claim WHERE holder_id = ?1"],
            try statements["DELETE FROM proof WHERE device_id = ?1"],
        ] {
            statement.bind(1, row.number)
            try statement.run()
        }
    }
}
