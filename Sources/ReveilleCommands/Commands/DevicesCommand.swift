internal import ReveilleCore
internal import ReveilleJSON
internal import ReveilleRuntime
internal import ReveilleStorage
internal import ReveilleStorageSQLite
internal import ReveilleTelemetry

/// `reveille devices`: what is registered, without a token ever.
enum DevicesCommand {
    static let command = Command(
        path: ["devices"],
        summary: "list registered devices and their state",
        discussion: "Works on the database directly, also while the server runs. Device tokens are never shown.",
        options: HomeSettingDefinitions.storeOptions + [
            Option("--limit", "N", help: "the most devices to list; default 100"), .json,
        ]
    ) { invocation, terminal in
        let limit = try invocation.integer("--limit", in: 1...100_000, default: 100)
        return try await StoreOpener.withStore(invocation) { store in
            var devices: [Device] = []
            while devices.count < limit {
                let page = try await store.allDevices(after: devices.last?.row, limit: min(500, limit - devices.count))
                if page.isEmpty { break }
                devices += page
            }
            show(devices, ids: store.secrets.publicIDs, json: invocation.has("--json"), terminal)
            return .success
        }
    }

    private static func show(_ devices: [Device], ids: PublicIDs, json: Bool, _ terminal: Terminal) {
        if json {
            terminal.print(json: ["devices": .array(devices.map { entry($0, ids) })])
            return
        }
        if devices.isEmpty {
            terminal.note("there are no devices; an app registers them with POST /api/v1/devices/push/apple")
        }
        for device in devices {
            terminal.print(
                [
                    ids.text(.device, row: device.row.number), device.topic, laneWord(device.lane),
                    device.os.rawValue,
                    operatorWord(device.state), device.pushMode.rawValue,
                    "last success "
                        + (device.lastSuccessMilliseconds.map(civil) ?? "never"),
                ].joined(separator: "  "))
        }
    }

    private static func laneWord(_ lane: LaneKey) -> String {
        lane.destination.apnsEnvironment?.rawValue ?? lane.provider.rawValue
    }

    private static func entry(_ device: Device, _ ids: PublicIDs) -> JSONValue {
        [
            "id": .string(ids.text(.device, row: device.row.number)), "topic": .string(device.topic),
            "provider": .string(device.lane.provider.rawValue), "place": .string(device.lane.destination.place),
            "os": .string(device.os.rawValue),
            "state": .string(operatorWord(device.state)), "push_mode": .string(device.pushMode.rawValue),
            "last_success_at": device.lastSuccessMilliseconds.map { .string(civil($0)) } ?? nil,
            "last_failure_at": device.lastFailureMilliseconds.map { .string(civil($0)) } ?? nil,
            "last_failure": device.lastFailure.map { .string($0.word) } ?? nil,
        ]
    }

    /// A time in the form of RFC 3339, as the API writes it.
    private static func civil(_ milliseconds: Int64) -> String {
        CivilTime(WallInstant(milliseconds: milliseconds)).text
    }

    /// The operator sees quarantine, which the API keeps from users.
    private static func operatorWord(_ state: DeviceState) -> String {
        switch state {
        case .active: "active"
        case .pending: "pending"
        case .quarantined: "quarantined"
        case .needsRegistration: "needs_registration"
        }
    }
}
