internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleStorage

/// The categories that a device asked for.
struct WantedCategories {
    /// Nil for a device that wants all.
    private let list: [String]?

    /// - Parameter sealed: what the device's row holds.
    init(_ sealed: [UInt8]?, of device: DeviceRow, _ sealer: Sealer) throws {
        list = try sealed.map { try TextList.list(sealer.open($0, .deviceCategories, row: device.number)) }
    }

    /// Whether the device wants everything.
    var isEverything: Bool { list == nil }

    func contains(_ category: String) -> Bool {
        list?.containsExactly(category) ?? true
    }
}
