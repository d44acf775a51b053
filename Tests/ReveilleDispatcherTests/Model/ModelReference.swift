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
        var token: [UInt8]
        var isOn = true
    }

    /// What is known of a promise.
    struct Terms {
        /// The end of the delivery's life by the steady clock.
        let endsAt: Int64
    }

    /// Deliveries that a 202 promised.
    var promises: [Promise: Terms] = [:]
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
    /// Devices that are disabled on evidence: their wakes were cancelled.
    var disabledDevices: Set<DeviceRow> = []
    /// When each device registered last, by the steady clock.
    var registeredAt: [DeviceRow: Int64] = [:]
    /// Wakes whose last answer spoke against a token that was registered after the request had left.
    var answeredLate: Set<WakeRow> = []
    /// When the wall clock last jumped, by the steady clock.
    var jumpedAt: Int64?
    var jumped: Bool { jumpedAt != nil }
    var installs: [Install] = []
    /// All deliveries of a profile, oldest first.
    var deliveries: [String: [DeliveryRow]] = [:]

    /// Takes a 202.
    mutating func promise(_ accepted: AcceptedNotification, profiles: [String], _ terms: Terms) {
        for (profile, delivery) in zip(profiles, accepted.deliveries) {
            deliveries[profile, default: []].append(delivery)
            for install in installs
            where install.profile == profile && install.isOn && !disabledDevices.contains(install.row) {
                promises[Promise(device: install.row, delivery: delivery)] = terms
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
