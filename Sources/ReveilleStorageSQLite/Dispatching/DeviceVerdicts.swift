internal import ReveilleCore
internal import ReveilleSQLite
internal import ReveilleStorage

/// What an ended try changes about a device and its other wakes.
struct DeviceVerdicts {
    private let transaction: WriteTransaction
    private let outbox: Outbox
    private let devices: DeviceTable

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
        devices = DeviceTable(statements: transaction.statements)
    }

    /// A wake was accepted: evidence is forgotten, quarantine ends, held wakes are released.
    ///
    /// - Parameter lane: the lane of the environment that worked, when it is not the one of the device's row.
    func succeeded(_ device: StoredDevice, at milliseconds: Int64, lane: Int64?) throws {
        try devices.succeed(device.row, at: milliseconds, lane: lane)
        if let lane {
            // What is still on its way to the other environment must not speak against the token.
            try devices.raiseTokenVersion(device.row)
            try outbox.askForAttention(device.row)
            try outbox.moveUnleased(of: device.row, to: lane)
        }
        guard device.state == .quarantined else { return }
        try devices.setState(device.row, .active)
        try outbox.releaseHeld(of: device.row, .deviceQuarantined)
    }

    /// Not enough speaks against the device to disable it: its wakes are held.
    func quarantine(
        _ device: StoredDevice, because wake: StoredWake, _ ended: EndedTry, _ reason: ProviderReason,
        _ evidence: DeviceEvidence
    ) throws {
        try devices.noteFailure(device.row, reason, at: ended.endedAtMilliseconds, evidence: evidence)
        if device.state != .quarantined { try devices.setState(device.row, .quarantined) }
        if wake.isProbe, case .refused = ended.outcome {
            // Accepted sends would otherwise call for one refused probe after the other.
            try devices.deferProbe(
                device.row, until: ended.endedAtMilliseconds + Brake.probeIntervalMilliseconds)
        }
        try outbox.holdAll(of: device.row, .deviceQuarantined, except: wake.row)
    }

    /// The device is gone: it must register again, and so must every other row of its token.
    func disable(
        _ device: StoredDevice, because wake: StoredWake, at milliseconds: Int64, _ reason: ProviderReason,
        _ evidence: DeviceEvidence
    ) throws {
        let sharers = try devices.holders(tokenHash: device.tokenHash, installationKey: nil, topic: device.topic)
        for sharer in sharers where sharer.state != .needsRegistration {
            try devices.noteFailure(sharer.row, reason, at: milliseconds, evidence: evidence)
            try devices.setState(sharer.row, .needsRegistration)
            try devices.raiseVersion(sharer.row)
            try outbox.cancelAll(of: sharer.row, except: wake.row)
        }
    }
}
