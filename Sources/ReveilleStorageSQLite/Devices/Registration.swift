internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage

/// Registers or rotates a device: one owner per token and per proven installation.
struct Registration {
    /// What must be decided before anything is written.
    private enum Obstacle {
        /// Another row with the token or the installation must go first.
        case displaces([StoredDevice])
        case refused(RegistrationResult)
        /// A holder is bound to an installation key that the request does not prove.
        case needsCode(holder: StoredDevice)
    }

    private let transaction: WriteTransaction
    private let request: DeviceRegistration
    private let marks: RegistrationMarks
    private let devices: DeviceTable
    private let outbox: Outbox

    init(_ transaction: WriteTransaction, _ request: DeviceRegistration, _ marks: RegistrationMarks) {
        self.transaction = transaction
        self.request = request
        self.marks = marks
        devices = DeviceTable(statements: transaction.statements)
        outbox = Outbox(transaction)
    }

    /// Runs the rules.
    ///
    /// - Parameter codeWasProven: true when a claim's code was already checked.
    func run(codeWasProven: Bool = false) throws -> RegistrationResult {
        var isProven = codeWasProven
        let topic = try transaction.lanes.numberMaking(topic: request.topic)
        let own = try devices.find(installID: request.installID, topic: topic, of: request.profile)
        if let own, let refusal = try ownObstacle(own) { return refusal }
        if own == nil, let refusal = try staleGeneration(topic: topic) { return refusal }
        let holders = try devices.holders(
            tokenHash: marks.tokenHash, installationKey: marks.installationKey, topic: topic
        ).filter { $0.row != own?.row }
        var displaced: [StoredDevice] = []
        switch obstacle(holders) {
        case .refused(let result): return result
        case .displaces(let rows): displaced = rows
        case .needsCode(let holder):
            if !codeWasProven {
                let claims = Claims(transaction)
                switch try claims.answer(request, marks, topic: topic, holder: holder) {
                case .proven: isProven = true
                case .answered(let result): return result
                }
            }
            displaced = holders
        }
        if own == nil, try isFull(after: displaced) { return .tooManyDevices }
        for device in displaced { try remove(device) }
        try Claims(transaction).forget(profile: request.profile, topic: topic, installID: request.installID)
        try rememberGeneration(topic: topic)
        let mustProveItself = request.mustProveItself && !isProven
        guard let own else { return .created(try view(try insert(topic: topic, mustProveItself: mustProveItself))) }
        let rotation = DeviceRotation(transaction, request, marks, mustProveItself: mustProveItself)
        return .existing(try view(try rotation.apply(to: own)))
    }

    // MARK: The same install

    /// What the request's own row says against it; nil when it may be changed.
    private func ownObstacle(_ own: StoredDevice) throws -> RegistrationResult? {
        guard let bound = own.installationKey else {
            // The first key that comes is bound to the install; without one the later sign-in counts.
            let isLate = request.signedInAtMilliseconds < own.signedInAt && own.tokenHash != marks.tokenHash
            return isLate && marks.installationKey == nil ? .newerSignIn : nil
        }
        guard let given = marks.installationKey, ConstantTime.equal(given, bound) else {
            return .installationKeyMismatch
        }
        let generation = request.generation ?? 0
        let known = own.installationGeneration ?? 0
        if generation < known { return .staleGeneration }
        // The same generation is the same request again, or one that was made out of order.
        return try generation == known && !isSameContent(own) ? .staleGeneration : nil
    }

    private func isSameContent(_ own: StoredDevice) throws -> Bool {
        let lane = try transaction.lanes.key(of: own.lane)
        return try lane == request.lane && marks.isAddress(of: own, transaction.sealer)
    }

    /// A late request of an install that has moved on since, though its row is gone.
    private func staleGeneration(topic: Int64) throws -> RegistrationResult? {
        guard let key = marks.installationKey, !request.app.sharesInstalls else { return nil }
        let find = try transaction.statements["SELECT generation FROM installation WHERE key = ?1 AND topic_id = ?2"]
        find.bind(1, key)
        find.bind(2, topic)
        guard let known = try find.first({ $0.integer(0) }) else { return nil }
        return (request.generation ?? 0) < known ? .staleGeneration : nil
    }

    private func rememberGeneration(topic: Int64) throws {
        guard let key = marks.installationKey else { return }
        let write = try transaction.statements[
            """
            INSERT INTO installation (key, topic_id, generation, seen_at) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (key, topic_id) DO UPDATE SET generation = max(generation, ?3), seen_at = ?4
            """]
        write.bind(1, key)
        write.bind(2, topic)
        write.bind(3, request.generation ?? 0)
        write.bind(4, transaction.now)
        try write.run()
    }

    // MARK: Others with the token or the installation

    private func obstacle(_ holders: [StoredDevice]) -> Obstacle {
        var displaced: [StoredDevice] = []
        for holder in holders {
            if let bound = holder.installationKey {
                let isProven = marks.installationKey.map { ConstantTime.equal($0, bound) } ?? false
                guard isProven else { return .needsCode(holder: holder) }
                if request.app.sharesInstalls, holder.profile != request.profile { continue }
                if (request.generation ?? 0) <= (holder.installationGeneration ?? 0) {
                    return .refused(.staleGeneration)
                }
            } else if request.signedInAtMilliseconds < holder.signedInAt {
                return .refused(.newerSignIn)
            }
            displaced.append(holder)
        }
        return .displaces(displaced)
    }

    private func isFull(after displaced: [StoredDevice]) throws -> Bool {
        let leaving = displaced.filter { $0.profile == request.profile }.count
        return try devices.count(of: request.profile) - leaving
            >= transaction.environment.options.deviceLimitPerProfile
    }

    /// A move deletes the row and inserts a new one, so that nothing made for the old owner can reach the new.
    private func remove(_ device: StoredDevice) throws {
        try outbox.cancelAll(of: device.row)
        try devices.delete(device.row)
    }

    // MARK: Writing

    private func insert(topic: Int64, mustProveItself: Bool) throws -> DeviceRow {
        let profiles = ProfileTable(statements: transaction.statements)
        guard let gate = try profiles.pushMode(of: request.profile) else { throw StoreError(.programming) }
        let lane = try transaction.lanes.numberMaking(request.lane)
        let insert = try transaction.statements[
            """
            INSERT INTO device (profile_id, lane_id, topic_id, state, push_mode, gate, os, token, token_hash, install_id,
              installation_key, installation_generation, idempotency, credential_id, signed_in_at, registered_at,
              created_at, app_version, locale, synced_change, generation)
            VALUES (?1, ?2, ?3, ?19, ?4, ?5, ?6, x'', ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14, ?15, ?16, ?17, ?18)
            """]
        insert.bind(1, request.profile.number)
        insert.bind(2, lane)
        insert.bind(3, topic)
        insert.bind(4, (request.pushMode ?? .privatePush).storedNumber)
        insert.bind(5, gate.storedNumber)
        insert.bind(6, request.os.storedNumber)
        insert.bind(7, marks.tokenHash)
        insert.bind(8, request.installID)
        insert.bind(9, marks.installationKey)
        insert.bind(10, marks.installationKey.map { _ in request.generation ?? 0 })
        insert.bind(11, marks.idempotency)
        insert.bind(12, request.credential?.number)
        insert.bind(13, request.signedInAtMilliseconds)
        insert.bind(14, transaction.now)
        insert.bind(15, request.appVersion)
        insert.bind(16, request.locale)
        // What came before the device is not new to it.
        insert.bind(17, transaction.sequence.lastChange)
        // Random, so that a row of the same number in a history that a restore has undone had another display token.
        insert.bind(18, Int64(transaction.environment.random.uint64() >> 33) + 1)
        insert.bind(19, (mustProveItself ? DeviceState.pending : .active).rawValue)
        try insert.run()
        let row = DeviceRow(transaction.connection.lastInsertedRow)
        try DeviceSettings(transaction).setToken(marks.addressOctets, of: row)
        try DeviceSettings(transaction).apply(name: request.name, categories: request.categories, to: row)
        if mustProveItself { try Proofs(transaction).ask(row) }
        return row
    }

    private func view(_ row: DeviceRow) throws -> Device {
        guard let stored = try devices.find(row) else { throw StoreError(.programming) }
        return try DeviceViews(transaction.lanes, transaction.sealer).device(stored)
    }
}
