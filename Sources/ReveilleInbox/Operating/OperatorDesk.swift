package import ReveilleCore
package import ReveilleStorage

/// What an admin sees and does.
package struct OperatorDesk: Sendable {
    private let devices: any DeviceStore
    private let lanes: LaneReports
    private let control: any LaneControl
    private let publicIDs: PublicIDs

    /// Serves the operator of one store and its dispatcher.
    package init(
        devices: any DeviceStore, lanes: LaneReports, control: any LaneControl,
        publicIDs: PublicIDs
    ) {
        self.devices = devices
        self.lanes = lanes
        self.control = control
        self.publicIDs = publicIDs
    }

    /// The lanes as they are now.
    package func lanes() async throws(InboxError) -> [LaneAnswer] {
        try await lanes.current()
    }

    /// Makes paused lanes probe at once, after the operator repaired something.
    package func probeLanes() async {
        await control.settingsChanged()
    }

    /// A page of all devices in the order of their rows, after a device.
    package func devices(
        after text: String?, limit: Int
    ) async throws(InboxError) -> DevicePage {
        var after: DeviceRow?
        if let text {
            guard let number = publicIDs.row(.device, text: text) else {
                throw .invalid("after", "must be the next of an earlier page")
            }
            after = DeviceRow(number)
        }
        let found = try await translating { [after] () throws(StoreError) in
            try await devices.allDevices(after: after, limit: limit + 1)
        }
        let page = found.prefix(limit).map { DeviceAnswer($0, publicIDs: publicIDs) }
        return DevicePage(devices: page, next: found.count > limit ? page.last?.id : nil)
    }

    /// Enables a device again and gives it one catch-up wake.
    package func enable(_ id: String) async throws(InboxError) {
        guard let number = publicIDs.row(.device, text: id) else {
            throw InboxError(.deviceNotFound)
        }
        let isThere = try await translating { () throws(StoreError) in
            try await devices.enable(DeviceRow(number))
        }
        guard isThere else { throw InboxError(.deviceNotFound) }
    }
}

/// A page of an admin's list of devices.
package struct DevicePage: Hashable, Sendable {
    package let devices: [DeviceAnswer]
    /// The device id to ask for the next page with; nil at the end.
    package let next: String?
}
