internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// A device as it stands in its table; values that are sealed stay sealed.
struct StoredDevice {
    let row: DeviceRow
    let profile: ProfileRow
    let lane: Int64
    let topic: Int64
    let state: DeviceState
    let pushMode: PushMode
    /// The push mode of its profile, kept beside it so that the outbox need not look at the profile.
    let gate: PushMode
    let os: DeviceOS
    let version: Int64
    let tokenVersion: Int64
    let isProven: Bool
    let otherTried: Bool
    let evidence: DeviceEvidence
    let lastSuccessAt: Int64?
    let token: [UInt8]
    let categories: [UInt8]?
    let tokenHash: [UInt8]
    let installID: String
    let installationKey: [UInt8]?
    let installationGeneration: Int64?
    let idempotency: [UInt8]?
    let generation: Int64
    let credential: CredentialRow?
    let signedInAt: Int64
    let registeredAt: Int64
    let name: [UInt8]?
    let appVersion: String?
    let locale: String?
    let syncedChange: Int64
    let probedAt: Int64?
    let probeNotBefore: Int64
    let lastFailureAt: Int64?
    let lastFailure: String?

    /// True when wakes may be made for it.
    var isWakeable: Bool {
        state != .needsRegistration && pushMode == .privatePush && gate == .privatePush
    }

    /// What the provider has said about its token: proven from an accepted send until something speaks against it.
    var standing: TokenStanding {
        isProven && evidence == .none && state == .active ? .proven : .unproven
    }

    /// What the rule about ended tries asks of a device.
    var facts: DeviceFacts {
        DeviceFacts(
            state: state, registeredAtMilliseconds: registeredAt, environmentProven: isProven,
            otherEnvironmentTried: otherTried, evidence: evidence)
    }
}

extension StoredDevice {
    /// Takes the columns in the order of ``DeviceTable``'s queries.
    init(_ row: SQLiteRow) throws {
        self.init(
            row: DeviceRow(row.integer(0)), profile: ProfileRow(row.integer(1)), lane: row.integer(2),
            topic: row.integer(3), state: try .stored(row.integer(4)), pushMode: try .stored(row.integer(5)),
            gate: try .stored(row.integer(6)), os: try .stored(row.integer(7)), version: row.integer(8),
            tokenVersion: row.integer(9), isProven: row.boolean(10), otherTried: row.boolean(11),
            evidence: DeviceEvidence(
                goneDays: PackedDays.unpack(row.integer(12)), refusedDays: PackedDays.unpack(row.integer(13))),
            lastSuccessAt: row.optionalInteger(14), token: row.bytes(15), categories: row.optionalBytes(16),
            tokenHash: row.bytes(17), installID: row.text(18), installationKey: row.optionalBytes(19),
            installationGeneration: row.optionalInteger(20), idempotency: row.optionalBytes(21),
            generation: row.integer(22), credential: row.optionalInteger(23).map { CredentialRow($0) },
            signedInAt: row.integer(24), registeredAt: row.integer(25), name: row.optionalBytes(26),
            appVersion: row.optionalText(27), locale: row.optionalText(28), syncedChange: row.integer(29),
            probedAt: row.optionalInteger(30), probeNotBefore: row.integer(31),
            lastFailureAt: row.optionalInteger(32), lastFailure: row.optionalText(33))
    }
}
