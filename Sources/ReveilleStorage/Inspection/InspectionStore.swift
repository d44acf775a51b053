package import ReveilleCore

/// The outbox as an operator may see it: states and times, never a token and nothing of the content.
package protocol InspectionStore: Sendable {
    /// One wake; nil when there is none of that row.
    func wake(_ row: WakeRow) async throws(StoreError) -> WakeRecord?
    /// The wakes of a device that are not settled, oldest first.
    func unsettledWakes(of device: DeviceRow) async throws(StoreError) -> [WakeRecord]
    /// Wakes after a row, oldest first; of all states, or of one.
    func wakes(after row: WakeRow?, state: WakeState?, limit: Int) async throws(StoreError) -> [WakeRecord]
    /// The tries of a wake that were not accepted, oldest first.
    func tries(of wake: WakeRow) async throws(StoreError) -> [TryRecord]
    /// How many wakes there are in each state.
    func wakeCounts() async throws(StoreError) -> [WakeState: Int64]
}

/// A wake as the store keeps it.
package struct WakeRecord: Hashable, Sendable {
    package let row: WakeRow
    package let device: DeviceRow
    package let lane: LaneKey
    package let topic: String
    package let mode: WakeMode
    package let reason: WakeReason
    package let state: WakeState
    package let hold: HoldReason?
    /// Every delivery it stands for, rising; its newest is the one it names.
    package let deliveries: [DeliveryRow]
    package let collapse: CollapseID?
    package let tokenVersion: Int64
    package let deviceVersion: Int64
    package let everLeased: Bool
    package let failures: Int64
    package let isProbe: Bool
    /// In milliseconds since 1970.
    package let dueAtMilliseconds: Int64
    package let expiresAtMilliseconds: Int64
    package let createdAtMilliseconds: Int64
    package let settledAtMilliseconds: Int64?
    /// The wake that stands for it since it was merged or superseded.
    package let successor: WakeRow?

    /// Gathers what is known of a wake.
    package init(
        row: WakeRow, device: DeviceRow, lane: LaneKey, topic: String, mode: WakeMode, reason: WakeReason,
        state: WakeState, hold: HoldReason?, deliveries: [DeliveryRow], collapse: CollapseID?, tokenVersion: Int64,
        deviceVersion: Int64, everLeased: Bool, failures: Int64, isProbe: Bool, dueAtMilliseconds: Int64,
        expiresAtMilliseconds: Int64, createdAtMilliseconds: Int64, settledAtMilliseconds: Int64?, successor: WakeRow?
    ) {
        self.row = row
        self.device = device
        self.lane = lane
        self.topic = topic
        self.mode = mode
        self.reason = reason
        self.state = state
        self.hold = hold
        self.deliveries = deliveries
        self.collapse = collapse
        self.tokenVersion = tokenVersion
        self.deviceVersion = deviceVersion
        self.everLeased = everLeased
        self.failures = failures
        self.isProbe = isProbe
        self.dueAtMilliseconds = dueAtMilliseconds
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.createdAtMilliseconds = createdAtMilliseconds
        self.settledAtMilliseconds = settledAtMilliseconds
        self.successor = successor
    }
}

/// A try that was not accepted.
package struct TryRecord: Hashable, Sendable {
    /// The word of its outcome.
    package let outcome: String
    package let reason: ProviderReason
    /// The provider's HTTP status, 0 when none came.
    package let status: Int
    /// When it ended, in milliseconds since 1970.
    package let endedAtMilliseconds: Int64

    /// Describes a try.
    package init(outcome: String, reason: ProviderReason, status: Int, endedAtMilliseconds: Int64) {
        self.outcome = outcome
        self.reason = reason
        self.status = status
        self.endedAtMilliseconds = endedAtMilliseconds
    }
}
