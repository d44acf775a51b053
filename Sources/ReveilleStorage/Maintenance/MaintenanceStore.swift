/// Upkeep of the store.
package protocol MaintenanceStore: Sendable {
    /// Proves that the store can write: used by readiness.
    func probeWrite() async throws(StoreError)
    /// Removes what is older than its retention, at most `limit` rows of each kind; returns how many.
    func prune(_ retention: Retention, limit: Int) async throws(StoreError) -> Int
    /// Seals values of older key versions anew, at most `limit`; returns how many.
    func reseal(limit: Int) async throws(StoreError) -> Int
    /// Makes the operator's present master key the store's when it changed since the store was opened.
    ///
    /// - Returns: the check value of the new key; nil when it is the store's already, or cannot be read again.
    /// - Throws: `wrongKey` when a key that the store needs is not among the operator's.
    func followMasterKeys() async throws(StoreError) -> String?
    /// Finishes what is queued, then closes; later calls throw `closed`.
    func close() async
}

/// How long settled things are kept, in seconds.
package struct Retention: Hashable, Sendable {
    package var acceptedWakes: Int64 = 14 * 86_400
    package var failedWakes: Int64 = 90 * 86_400
    package var readDeliveries: Int64 = 90 * 86_400
    package var unreadDeliveries: Int64 = 180 * 86_400

    /// What the settings are unless an operator changes them.
    package init() {}
}
