internal import ReveilleCore
internal import ReveilleStorage

/// Devices as their owners and the operator may see them.
struct DeviceViews {
    private let lanes: LaneDirectory
    private let sealer: Sealer

    init(_ lanes: LaneDirectory, _ sealer: Sealer) {
        self.lanes = lanes
        self.sealer = sealer
    }

    /// What may be seen of a row.
    func device(_ stored: StoredDevice) throws -> Device {
        Device(
            row: stored.row, profile: stored.profile, topic: try lanes.topic(of: stored.topic),
            lane: try lanes.key(of: stored.lane), installID: stored.installID, os: stored.os,
            name: try stored.name.map {
                String(decoding: try sealer.open($0, .deviceName, row: stored.row.number), as: UTF8.self)
            },
            appVersion: stored.appVersion, locale: stored.locale, pushMode: stored.pushMode,
            categories: try stored.categories.map {
                try TextList.list(try sealer.open($0, .deviceCategories, row: stored.row.number))
            }, state: stored.state,
            generation: stored.generation, version: stored.version, credential: stored.credential,
            registeredAtMilliseconds: stored.registeredAt, lastSuccessMilliseconds: stored.lastSuccessAt,
            lastFailureMilliseconds: stored.lastFailureAt,
            lastFailure: stored.lastFailure.map { ProviderReason(stored: $0) })
    }
}
