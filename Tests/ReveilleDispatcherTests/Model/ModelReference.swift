import ReveilleCore
import ReveilleStorage

/// What must be true of the outbox, kept by simple book-keeping beside the real thing: who was promised what, what freed the
/// promise, and what the provider saw.
struct ModelReference {
    /// One device that must learn of one delivery.
    struct Promise: Hashable {
        let device: DeviceRow
        let delivery: DeliveryRow
    }

    /// A device as the tests know it.
    struct Install {
        var row: DeviceRow
        let profile: String
        let name: String
        var isOn = true
    }

    /// Deliveries that a 202 promised, with the end of their life on the wall clock.
    var promises: [Promise: Int64] = [:]
    /// Devices that were removed, and when (steady clock).
    var withdrawn: [DeviceRow: Int64] = [:]
    /// Deliveries read by the user: no device needs to know.
    var read: Set<DeliveryRow> = []
    /// Deliveries that a device fetched or confirmed itself.
    var covered: Set<Promise> = []
    /// The requests that the provider took, by wake.
    var accepted: Set<WakeRow> = []
    /// Wakes that were answered with a refusal or a gone.
    var refused: Set<WakeRow> = []
    /// The first request of each wake; every later one must be the same.
    var requests: [WakeRow: SentRequest] = [:]
    /// Who holds each wake's lease and until when, as the store said.
    var leases: [WakeRow: (process: Int, until: Int64)] = [:]
    /// Devices disabled by day, for each lane and topic.
    var disabled: [String: Int64] = [:]
    /// Devices that are disabled on evidence, and those that ever were: their wakes were cancelled.
    var disabledDevices: Set<DeviceRow> = []
    var everDisabled: Set<DeviceRow> = []
    /// Whether the wall clock ever jumped.
    var jumped = false
    var installs: [Install] = []
    /// All deliveries of a profile, oldest first.
    var deliveries: [String: [DeliveryRow]] = [:]

    /// Takes a 202.
    mutating func promise(_ accepted: AcceptedNotification, profiles: [String], endsAt: Int64) {
        for (profile, delivery) in zip(profiles, accepted.deliveries) {
            deliveries[profile, default: []].append(delivery)
            for install in installs
            where install.profile == profile && install.isOn && !disabledDevices.contains(install.row) {
                promises[Promise(device: install.row, delivery: delivery)] = endsAt
            }
        }
    }

    /// Why the device need not learn of the delivery any more; nil when it must.
    func release(of promise: Promise) -> String? {
        if withdrawn[promise.device] != nil { return "device withdrawn" }
        if read.contains(promise.delivery) { return "read" }
        if covered.contains(promise) { return "covered" }
        return nil
    }
}
