internal import Glibc
internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleEmulator
internal import ReveilleJSON
internal import ReveilleRuntime
internal import ReveilleStorage
internal import ReveilleStorageSQLite

extension Demo {
    /// What is on disk: counts, states and the absence of the content in the file.
    func showStored(_ posted: JSONValue) async throws {
        let store = world.server.store
        let uuid = posted["notification_id"]?.string ?? ""
        let ids = store.secrets.publicIDs
        guard let row = ids.row(.notification, uuid: uuid) else { throw Unexpected("the notification id is not ours") }
        terminal.print("   notification row \(row); title and body sealed with AES-256-GCM")
        let wakes = try await store.wakes(after: nil, state: nil, limit: 10)
        try expect(wakes.count == 2, "there are \(wakes.count) wakes, not one for each of two devices")
        for wake in wakes {
            terminal.print("   wake \(wake.row.number) for device \(wake.device.number): \(wake.state.word)")
        }
        let file = try world.databaseOctets()
        let found = ContentSearch.find([Self.title, Self.text, Self.series], in: file)
        try expect(found.isEmpty, "the database file holds the content in clear")
        terminal.print("   \(file.count) octets of database and log searched: no word of the content in clear")
    }

    /// Waits for both wakes and shows each header and byte.
    func showApple(_ devices: [DemoDevice]) async throws -> [SeenByApple] {
        let emulator = world.emulator
        let arrived = await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await emulator.wait { $0.accepted >= devices.count }) != nil && !Task.isCancelled }
            group.addTask {
                await world.patience(seconds: Self.patienceSeconds)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        try expect(arrived, "Apple did not accept the wakes within \(Self.patienceSeconds) seconds")
        var seen: [SeenByApple] = []
        for request in await emulator.pushes() {
            var view = SeenByApple(headers: request.headers, body: request.body, token: request.token ?? "")
            sabotage.change?(&view)
            seen.append(view)
            terminal.print("   --- for the \(devices.first { $0.token == view.token }?.name ?? "unknown device")")
            for (name, value) in view.headers {
                terminal.print(
                    "   \(name): \(name == "authorization" ? "bearer … (verified with the team's key)" : value)")
            }
            terminal.print("   " + String(decoding: view.body, as: UTF8.self))
        }
        try expect(seen.count == devices.count, "Apple saw \(seen.count) requests, not \(devices.count)")
        return seen
    }

    /// Compares each payload with the shape, byte for byte.
    func checkPayloads(_ seen: [SeenByApple], _ devices: inout [DemoDevice]) throws {
        for index in devices.indices {
            let device = devices[index]
            guard let view = seen.first(where: { $0.token == device.token }) else {
                throw Unexpected("Apple saw no wake for the \(device.name)")
            }
            guard let payload = try? JSONReader.parse(view.body), let ids = payload["reveille"],
                let deliveryID = ids["delivery_id"]?.string
            else { throw Unexpected("the payload for the \(device.name) is not of its shape") }
            devices[index].deliveryID = deliveryID
            let expected = try expectedPayload(device, deliveryID: deliveryID)
            try expect(
                view.body == expected,
                "the payload for the \(device.name) differs from its shape: expected \(String(decoding: expected, as: UTF8.self))"
            )
            terminal.print(
                "   \(pad(device.name)) \(view.body.count) octets as its shape says; its alias of the delivery is \(deliveryID)"
            )
        }
        try expect(
            Set(devices.map(\.deliveryID)).count == devices.count, "two devices were given the same id of the delivery")
    }

    private func expectedPayload(_ device: DemoDevice, deliveryID: String) throws -> [UInt8] {
        guard let server = PayloadID(device.serverDeviceID), let delivery = PayloadID(deliveryID) else {
            throw Unexpected("an id of the \(device.name) has characters that no id has")
        }
        let fields = PayloadFields(
            shape: .reveille, mode: .privateAlert, reason: .changed, serverDeviceID: server, deliveryID: delivery)
        return [UInt8](unsafeUninitializedCapacity: APNsPayload.largestShapeOctets) { buffer, count in
            count = APNsPayload.write(fields, into: buffer) ?? 0
        }
    }

    /// Each device fetches with its own display token and the id from its wake.
    func fetch(_ devices: [DemoDevice]) async throws {
        for device in devices {
            let answer = try await call(
                "GET", "/api/v1/notifications/\(device.deliveryID)", token: device.displayToken, expecting: 200)
            try expect(
                answer["title"]?.string == Self.title && answer["body"]?.string == Self.text,
                "the \(device.name) did not get the content back")
            terminal.print("   \(pad(device.name)) GET /api/v1/notifications/\(device.deliveryID): 200")
        }
    }

    /// What the system drew, and what the app made of it.
    func showScreens(_ devices: [DemoDevice]) async throws {
        for device in devices {
            let screen = await world.emulator.screen(of: device.token)
            try expect(screen.count == 1, "the \(device.name) shows \(screen.count) notifications, not one")
            terminal.print("   \(pad(device.name)) by itself: a generic banner; enriched: \(Self.title): \(Self.text)")
        }
    }

    /// Searches everything that Apple saw for everything private.
    func checkPrivacy(_ seen: [SeenByApple]) throws {
        let secrets = [Self.title, Self.text, Self.profile, Self.series, Self.category + "\"", "Winter"]
        let octets = seen.flatMap(\.octets)
        let found = ContentSearch.find(secrets, in: octets)
        try expect(found.isEmpty, "Apple saw \(found.count) private texts")
        terminal.print(
            "   \(octets.count) octets searched for \(secrets.count) texts in \(ContentSearch.formCount) forms each: none found"
        )
    }
}

extension DemoWorld {
    /// The octets of the database and its log.
    func databaseOctets() throws -> [UInt8] {
        var octets: [UInt8] = []
        for name in ["", "-wal"] {
            if let (bytes, _) = try? FileContents.read(databasePath + name) { octets += bytes }
        }
        return octets
    }

    /// Waits in real time, for a limit only.
    func patience(seconds: Int) async {
        // Cancelled when the wait is over.
        try? await timer.sleep(for: .seconds(seconds))
    }
}
