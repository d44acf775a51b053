internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// A registration of an install that has a row already: rotates its token, refreshes what is known, enables it again.
struct DeviceRotation {
    private let transaction: WriteTransaction
    private let request: DeviceRegistration
    private let marks: RegistrationMarks
    private let mustProveItself: Bool
    private let devices: DeviceTable
    private let outbox: Outbox

    init(
        _ transaction: WriteTransaction, _ request: DeviceRegistration, _ marks: RegistrationMarks,
        mustProveItself: Bool
    ) {
        self.transaction = transaction
        self.request = request
        self.marks = marks
        self.mustProveItself = mustProveItself
        devices = DeviceTable(statements: transaction.statements)
        outbox = Outbox(transaction)
    }

    /// Changes the row and returns it.
    ///
    /// A replay changes nothing.
    func apply(to own: StoredDevice) throws -> DeviceRow {
        guard !isReplay(of: own) else { return own.row }
        let lane = try transaction.lanes.numberMaking(request.lane)
        try refresh(own)
        let isNewAddress = try own.lane != lane || !marks.isAddress(of: own, transaction.sealer)
        if isNewAddress { try rotate(own, to: lane) }
        try enableAgain(own)
        if mustProveItself { try askForProof(own, isNewAddress: isNewAddress) }
        let settings = DeviceSettings(transaction)
        try settings.apply(name: request.name, categories: request.categories, to: own.row)
        if let mode = request.pushMode { try settings.setPushMode(mode, of: own) }
        return own.row
    }

    /// The same key and generation, or the same Idempotency-Key: the same request again.
    private func isReplay(of own: StoredDevice) -> Bool {
        if marks.installationKey != nil, own.installationKey != nil {
            return request.generation ?? 0 == own.installationGeneration
        }
        guard let given = marks.idempotency else { return false }
        return given == own.idempotency
    }

    private func refresh(_ own: StoredDevice) throws {
        let update = try transaction.statements[
            """
            UPDATE device SET os = ?2, installation_key = coalesce(?3, installation_key),
              installation_generation = CASE WHEN ?3 IS NULL THEN installation_generation ELSE ?4 END, idempotency = ?5,
              credential_id = ?6, signed_in_at = max(signed_in_at, ?7), registered_at = ?8, generation = generation + 1,
              app_version = coalesce(?9, app_version), locale = coalesce(?10, locale)
            WHERE id = ?1
            """]
        update.bind(1, own.row.number)
        update.bind(2, request.os.storedNumber)
        update.bind(3, marks.installationKey)
        update.bind(4, request.generation ?? 0)
        update.bind(5, marks.idempotency)
        update.bind(6, request.credential?.number)
        update.bind(7, request.signedInAtMilliseconds)
        update.bind(8, transaction.now)
        update.bind(9, request.appVersion)
        update.bind(10, request.locale)
        try update.run()
    }

    /// The install stays the same, so its version does too: wakes that nobody sent yet take the new token by themselves.
    private func rotate(_ own: StoredDevice, to lane: Int64) throws {
        let update = try transaction.statements[
            """
            UPDATE device SET lane_id = ?2, token_hash = ?3, token_version = token_version + 1, is_proven = 0,
              other_tried = 0
            WHERE id = ?1
            """]
        update.bind(1, own.row.number)
        update.bind(2, lane)
        update.bind(3, marks.tokenHash)
        try update.run()
        try DeviceSettings(transaction).setToken(marks.addressOctets, of: own.row)
        try outbox.moveUnleased(of: own.row, to: lane)
        try outbox.askForAttention(own.row)
    }

    /// A subscription that is new, or was called gone, proves itself before anything is sent; one that still owes its proof is
    /// asked again.
    private func askForProof(_ own: StoredDevice, isNewAddress: Bool) throws {
        switch own.state {
        case .active, .quarantined: guard isNewAddress else { return }
        case .pending, .needsRegistration: break
        }
        try devices.setState(own.row, .pending)
        try outbox.holdAll(of: own.row, .deviceUnverified, except: nil)
        try Proofs(transaction).ask(own.row)
    }

    /// What providers said before the registration counts no more.
    private func enableAgain(_ own: StoredDevice) throws {
        let update = try transaction.statements[
            "UPDATE device SET gone_days = 0, refused_days = 0, probe_not_before = 0, probed_at = NULL WHERE id = ?1"]
        update.bind(1, own.row.number)
        try update.run()
        switch own.state {
        case .active, .pending: break
        case .needsRegistration: try devices.setState(own.row, .active)
        case .quarantined:
            try devices.setState(own.row, .active)
            try outbox.releaseHeld(of: own.row, .deviceQuarantined)
        }
    }
}
