internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage

/// Lets a pending device prove that it receives what is sent to its subscription: a verification wake carries a code, and the
/// device returns it.
///
/// One code at a time for each device, under the same limits as the codes of ``Claims``.
struct Proofs {
    private static let codeOctets = 10

    private let transaction: WriteTransaction
    private let outbox: Outbox
    private let devices: DeviceTable

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
        devices = DeviceTable(statements: transaction.statements)
    }

    /// Sends a device a new code, unless it was sent one for the same subscription just now.
    func ask(_ row: DeviceRow) throws {
        guard let device = try devices.find(row) else { throw StoreError(.programming) }
        if let last = try find(row), let wake = try outbox.wakes.find(last.wake) {
            let isSameSubscription = wake.tokenVersion == device.tokenVersion && wake.lane == device.lane
            if isSameSubscription, last.createdAt > transaction.now - Claims.pauseMilliseconds { return }
            if wake.state.isUnsettled { try outbox.end(wake, as: .cancelled) }
        }
        let wake = WakeRow(transaction.sequence.nextWake())
        let expiresAt = transaction.now + Claims.lifeMilliseconds
        let code = Base32.encode(transaction.environment.random.bytes(Self.codeOctets))
        let write = try transaction.statements[
            """
            INSERT INTO proof (device_id, wake_id, code, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (device_id) DO UPDATE SET wake_id = ?2, code = ?3, wrong_codes = 0, created_at = ?4,
              expires_at = ?5
            """]
        write.bind(1, row.number)
        write.bind(2, wake.number)
        write.bind(3, transaction.sealer.seal(Array(code.utf8), .proof, row: row.number))
        write.bind(4, transaction.now)
        write.bind(5, expiresAt)
        try write.run()
        try outbox.insert(
            NewWake(
                row: wake, device: row, lane: device.lane, topic: device.topic, shape: .reveille, mode: .privateAlert,
                reason: .verify, isVisible: false, delivery: nil, collapse: nil, tokenVersion: device.tokenVersion,
                deviceVersion: device.version, placement: .waiting(dueMilliseconds: transaction.now),
                needsAttention: true, expiresAt: expiresAt))
    }

    /// The code that a verification wake of a pending device carries; nil when another took its place.
    func code(of wake: WakeRow, for device: DeviceRow) throws -> String? {
        guard let proof = try find(device), proof.wake == wake else { return nil }
        return String(decoding: try open(proof, device), as: UTF8.self)
    }

    /// Takes a code back: the device is active from now on and gets what was held for it; nil when it owes no proof.
    func verify(_ device: StoredDevice, code: String) throws -> VerificationResult? {
        guard device.state == .pending, let proof = try find(device.row) else { return nil }
        guard proof.expiresAt > transaction.now, proof.wrongCodes < Claims.maximumWrongCodes else { return .wrongCode }
        guard ConstantTime.equal(Array(code.utf8), try open(proof, device.row)) else {
            let count = try transaction.statements[
                "UPDATE proof SET wrong_codes = wrong_codes + 1 WHERE device_id = ?1"]
            count.bind(1, device.row.number)
            try count.run()
            return .wrongCode
        }
        if let wake = try outbox.wakes.find(proof.wake), wake.state.isUnsettled { try outbox.end(wake, as: .cancelled) }
        try forget(device.row)
        try devices.setState(device.row, .active)
        try outbox.releaseHeld(of: device.row, .deviceUnverified)
        guard let verified = try devices.find(device.row) else { throw StoreError(.programming) }
        return .verified(try DeviceViews(transaction.lanes, transaction.sealer).device(verified))
    }

    /// Forgets the code of a device.
    func forget(_ row: DeviceRow) throws {
        let delete = try transaction.statements["DELETE FROM proof WHERE device_id = ?1"]
        delete.bind(1, row.number)
        try delete.run()
    }

    private struct Proof {
        let wake: WakeRow
        let code: [UInt8]
        let wrongCodes: Int64
        let createdAt: Int64
        let expiresAt: Int64
    }

    private func find(_ device: DeviceRow) throws -> Proof? {
        let find = try transaction.statements[
            "SELECT wake_id, code, wrong_codes, created_at, expires_at FROM proof WHERE device_id = ?1"]
        find.bind(1, device.number)
        return try find.first { row in
            Proof(
                wake: WakeRow(row.integer(0)), code: row.bytes(1), wrongCodes: row.integer(2),
                createdAt: row.integer(3), expiresAt: row.integer(4))
        }
    }

    private func open(_ proof: Proof, _ device: DeviceRow) throws -> [UInt8] {
        try transaction.sealer.open(proof.code, .proof, row: device.number)
    }
}
