internal import ReveilleCore
internal import ReveilleStorage

/// Closes wakes whose frozen request cannot be repeated, and lets another stand for the same deliveries:
/// a request that may have left is repeated unchanged or not at all.
struct Succession {
    private let transaction: WriteTransaction
    private let outbox: Outbox

    init(_ transaction: WriteTransaction) {
        self.transaction = transaction
        outbox = Outbox(transaction)
    }

    /// Closes `wake` and inserts its successor with the device's present token; nil when the device needs none.
    ///
    /// - Parameter lane: where the successor goes; the device's own lane unless another environment is tried.
    func succeed(_ wake: StoredWake, of device: StoredDevice?, on lane: Int64? = nil) throws -> NewWake? {
        guard let device, device.isWakeable, device.version == wake.deviceVersion, wake.delivery != nil else {
            try outbox.end(wake, as: .cancelled)
            return nil
        }
        guard !transaction.mayExpire || wake.expiresAt > transaction.now else {
            try outbox.wakes.expire(wake.row, now: transaction.now)
            return nil
        }
        let target = WakeTarget(device)
        let row = WakeRow(transaction.sequence.nextWake())
        let hold = wake.isProbe ? nil : try outbox.holdReason(of: target)
        let successor = NewWake(
            row: row, device: device.row, lane: lane ?? device.lane, topic: device.topic, shape: wake.shape,
            mode: wake.mode, reason: wake.reason, isVisible: wake.isVisible, delivery: wake.delivery,
            collapse: wake.collapse, tokenVersion: device.tokenVersion, deviceVersion: device.version,
            placement: hold.map { .held($0) } ?? .waiting(dueMilliseconds: transaction.now), needsAttention: true,
            isProbe: wake.isProbe, isCombined: wake.isCombined, expiresAt: wake.expiresAt)
        try outbox.wakes.moveAbsorbed(from: wake.row, to: row)
        try outbox.wakes.settle(wake.row, as: .superseded, now: transaction.now, successor: row)
        try outbox.insert(successor)
        return successor
    }

    /// As ``succeed(_:of:on:)``, in the environment that was not tried yet.
    func succeedInOtherEnvironment(_ wake: StoredWake, of device: StoredDevice) throws -> NewWake? {
        let key = try transaction.lanes.key(of: wake.lane)
        guard let destination = key.destination.other else { throw StoreError(.programming) }
        let other = try transaction.lanes.numberMaking(LaneKey(destination, credential: key.credential))
        try DeviceTable(statements: transaction.statements).noteOtherEnvironment(device.row)
        return try succeed(wake, of: device, on: other)
    }
}
