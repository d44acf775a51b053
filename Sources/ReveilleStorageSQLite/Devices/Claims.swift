internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
internal import ReveilleStorage

/// Lets a registration take a token over from a row that is bound to an installation key, when the code that was sent to
/// that token comes back.
struct Claims {
    /// How long a code is good for, in milliseconds.
    static let lifeMilliseconds: Int64 = 600_000
    /// No further code is sent to a device within this time, in milliseconds, whoever asks.
    static let pauseMilliseconds: Int64 = 30_000
    /// As many wrong codes end a claim.
    static let maximumWrongCodes: Int64 = 5
    private static let codeOctets = 10

    /// What a registration without a proven key comes to.
    enum Answer {
        /// It brought the code.
        case proven
        case answered(RegistrationResult)
    }

    private let transaction: WriteTransaction
    private let outbox: Outbox
    private let table: ClaimTable

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
        table = ClaimTable(transaction.statements, transaction.sealer)
    }

    /// Checks the code of a registration, or sends one.
    func answer(
        _ request: DeviceRegistration, _ marks: RegistrationMarks, topic: Int64, holder: StoredDevice
    ) throws -> Answer {
        let claim = try table.find(profile: request.profile, topic: topic, installID: request.installID)
        if let code = request.verificationCode {
            guard let claim, claim.tokenHash == marks.tokenHash, try isRight(code, for: claim) else {
                return .answered(.wrongCode)
            }
            return .proven
        }
        let newest = try table.newest(holder: holder.row, profile: nil)
        if let newest, newest.createdAt > transaction.now - Self.pauseMilliseconds {
            return .answered(.verificationRequired)
        }
        if let claim { try drop(claim) }
        try sendCode(for: request, marks, topic: topic, to: holder)
        return .answered(.verificationRequired)
    }

    /// Completes the registration that waits for a code sent to a device.
    func verify(_ row: DeviceRow, of profile: ProfileRow, code: String) throws -> VerificationResult {
        if let own = try DeviceTable(statements: transaction.statements).find(row), own.profile == profile,
            let result = try Proofs(transaction).verify(own, code: code)
        {
            return result
        }
        guard let claim = try claim(row, of: profile) else { return .notFound }
        guard try isRight(code, for: claim) else { return .wrongCode }
        let octets = try transaction.sealer.open(claim.registration, .claim, row: claim.row)
        guard let request = try ClaimedRegistration.request(octets, apps: transaction.environment.apps) else {
            return .notFound
        }
        let marks = RegistrationMarks(request, secrets: transaction.environment.secrets)
        switch try Registration(transaction, request, marks).run(codeWasProven: true) {
        case .created(let device), .existing(let device): return .verified(device)
        case .newerSignIn, .staleGeneration, .installationKeyMismatch, .verificationRequired, .wrongCode,
            .tooManyDevices:
            return .notFound
        }
    }

    /// Removes what an install waited for, with its wake.
    func forget(profile: ProfileRow, topic: Int64, installID: String) throws {
        if let claim = try table.find(profile: profile, topic: topic, installID: installID) { try drop(claim) }
    }

    /// A claim by the device whose token it wants, which is the one that the verification wake names, or by the
    /// claimant's own row.
    private func claim(_ row: DeviceRow, of profile: ProfileRow) throws -> StoredClaim? {
        if let claim = try table.newest(holder: row, profile: profile) { return claim }
        guard let own = try DeviceTable(statements: transaction.statements).find(row), own.profile == profile else {
            return nil
        }
        return try table.find(profile: profile, topic: own.topic, installID: own.installID)
    }

    private func isRight(_ code: String, for claim: StoredClaim) throws -> Bool {
        guard claim.expiresAt > transaction.now, claim.wrongCodes < Self.maximumWrongCodes else { return false }
        let right = try transaction.sealer.open(claim.code, .claim, row: claim.row)
        if ConstantTime.equal(Array(code.utf8), right) { return true }
        try table.countWrongCode(claim.row)
        return false
    }

    private func sendCode(
        for request: DeviceRegistration, _ marks: RegistrationMarks, topic: Int64, to holder: StoredDevice
    ) throws {
        let row = WakeRow(transaction.sequence.nextWake())
        let expiresAt = transaction.now + Self.lifeMilliseconds
        try table.insert(
            request, marks, topic: topic, holder: holder.row, wake: row,
            code: Base32.encode(transaction.environment.random.bytes(Self.codeOctets)), now: transaction.now,
            expiresAt: expiresAt)
        try outbox.insert(
            NewWake(
                row: row, device: holder.row, lane: holder.lane, topic: holder.topic, shape: .reveille,
                mode: .backgroundWake, reason: .verify, isVisible: false, delivery: nil, collapse: nil,
                tokenVersion: holder.tokenVersion, deviceVersion: holder.version,
                placement: .waiting(dueMilliseconds: transaction.now), needsAttention: true, expiresAt: expiresAt))
    }

    private func drop(_ claim: StoredClaim) throws {
        if let wake = try outbox.wakes.find(claim.wake), wake.state.isUnsettled { try outbox.end(wake, as: .cancelled) }
        try table.delete(claim.row)
    }
}
