package import ReveilleCore
internal import ReveilleRuntime
internal import ReveilleSQLite
package import ReveilleStorage

extension SQLiteHomeStore {
    package func probeWrite() async throws(StoreError) {
        try await writer.probe()
    }

    package func prune(_ retention: Retention, limit: Int) async throws(StoreError) -> Int {
        let position = pruning.withLock { $0 }
        let (removed, next) = try await writer.write { transaction in
            try Pruning(transaction, retention, limit: limit).run(from: position)
        }
        pruning.withLock { $0 = next }
        return removed
    }

    package func reseal(limit: Int) async throws(StoreError) -> Int {
        guard let finds = try await readers.read({ session in try Resealing.find(session, limit: limit) }) else {
            return 0
        }
        try await writer.write { transaction in
            if finds.count == 0 {
                try Resealing.letGoOfFormerKeys(transaction)
            } else {
                try Resealing.seal(finds, transaction)
            }
        }
        return finds.count
    }

    package func followMasterKeys() async throws(StoreError) -> String? {
        let following = KeyFollowing(environment)
        guard let keys = following.changedKeys() else { return nil }
        return try await writer.write { transaction in try following.introduce(keys, transaction) }
    }

    /// The check value of the master key that seals what is written now.
    package var masterKeyCheckValue: String? { environment.keys.ring.presentCheckValue }

    // MARK: Inspection

    package func wake(_ row: WakeRow) async throws(StoreError) -> WakeRecord? {
        try await readers.read { session in try WakeInspection(session).wake(row) }
    }

    package func unsettledWakes(of device: DeviceRow) async throws(StoreError) -> [WakeRecord] {
        try await readers.read { session in try WakeInspection(session).unsettled(of: device) }
    }

    package func wakes(
        after row: WakeRow?, state: WakeState?, limit: Int
    ) async throws(StoreError) -> [WakeRecord] {
        try await readers.read { session in
            try WakeInspection(session).wakes(after: row, state: state, limit: limit)
        }
    }

    package func tries(of wake: WakeRow) async throws(StoreError) -> [TryRecord] {
        try await readers.read { session in try WakeInspection(session).tries(of: wake) }
    }

    package func wakeCounts() async throws(StoreError) -> [WakeState: Int64] {
        try await readers.read { session in try WakeInspection(session).counts() }
    }
}
