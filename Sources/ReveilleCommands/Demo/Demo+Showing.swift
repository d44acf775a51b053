internal import Glibc
internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleCrypto
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
        guard let sealed = try world.sealedContent(of: row), !sealed.isEmpty else {
            throw Unexpected("the database holds no content of notification \(row)")
        }
        terminal.print(
            "   notification row \(row): title and body stand there as \(sealed.count) sealed octets, "
                + "\(Hex.encode(sealed.prefix(16)))…")
        let wakes = try await store.wakes(after: nil, state: nil, limit: 10)
        try expect(wakes.count == 2, "there are \(wakes.count) wakes, not one for each of two devices")
        for wake in wakes {
            terminal.print("   wake \(wake.row.number) for device \(wake.device.number): \(wake.state.word)")
        }
        let file = try world.databaseOctets()
        let found = ContentSearch.find([title, Self.text, Self.series], in: file)
        try expect(found.isEmpty, "the database file holds the content in clear")
        terminal.print(
            "   \(file.count) octets of database and log searched in \(ContentSearch.formCount) forms: "
                + "\(found.count) words of the content in clear")
    }

    /// Waits for both wakes and shows each header and byte.
    func showApple(_ devices: [DemoDevice]) async throws -> [SeenRequest] {
        try expect(
            await judged(devices.count), "Apple did not see the wakes within \(Self.patienceSeconds) seconds")
        if let refusal = await world.emulator.seen().compactMap(\.refusal).first {
            throw Unexpected("Apple refused a wake: \(refusal.reason.rawValue)")
        }
        let seen = await world.emulator.pushes()
        for request in seen {
            terminal.print("   --- for the \(devices.first { $0.token == request.token }?.name ?? "unknown device")")
            for (name, value) in request.headers {
                terminal.print(
                    "   \(name): \(name == "authorization" ? try world.explain(authorization: value) : value)")
            }
            terminal.print("   " + String(decoding: request.body, as: UTF8.self))
        }
        try expect(seen.count == devices.count, "Apple saw \(seen.count) requests, not \(devices.count)")
        return seen
    }

    /// Waits until Apple has judged so many wakes; false when it has not in time.
    private func judged(_ count: Int) async -> Bool {
        let emulator = world.emulator
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                (try? await emulator.wait { $0.accepted + $0.refused >= count }) != nil && !Task.isCancelled
            }
            group.addTask {
                await world.patience(seconds: Self.patienceSeconds)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }

    /// Compares each payload with the shape, byte for byte.
    func checkPayloads(_ seen: [SeenRequest], _ devices: inout [DemoDevice]) throws {
        for index in devices.indices {
            let device = devices[index]
            guard let request = seen.first(where: { $0.token == device.token }) else {
                throw Unexpected("Apple saw no wake for the \(device.name)")
            }
            guard let payload = try? JSONReader.parse(request.body), let ids = payload["reveille"],
                let deliveryID = ids["delivery_id"]?.string
            else { throw Unexpected("the payload for the \(device.name) is not of its shape") }
            devices[index].deliveryID = deliveryID
            let expected = try expectedPayload(device, deliveryID: deliveryID)
            try expect(
                request.body == expected,
                "the payload for the \(device.name) differs from its shape: expected \(String(decoding: expected, as: UTF8.self))"
            )
            terminal.print(
                "   \(pad(device.name)) \(request.body.count) octets, as the \(expected.count) of its shape; its alias of the "
                    + "delivery is \(deliveryID)")
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
    func fetch(_ devices: inout [DemoDevice]) async throws {
        for index in devices.indices {
            let device = devices[index]
            let answer = try await call(
                "GET", "/api/v1/notifications/\(device.deliveryID)", token: device.displayToken, expecting: 200)
            devices[index].fetched = (answer["title"]?.string ?? "", answer["body"]?.string ?? "")
            terminal.print("   \(pad(device.name)) GET /api/v1/notifications/\(device.deliveryID): 200")
            terminal.print("           title  \(devices[index].fetched.title)")
            terminal.print("           body   \(devices[index].fetched.body)")
            try expect(
                devices[index].fetched == (title, Self.text), "the \(device.name) did not get the content back")
        }
    }

    /// What the system drew, and what the app made of it.
    func showScreens(_ devices: [DemoDevice]) async throws {
        for device in devices {
            let screen = await world.emulator.screen(of: device.token)
            try expect(screen.count == 1, "the \(device.name) shows \(screen.count) notifications, not one")
            guard let push = screen.first, let aps = (try? JSONReader.parse(push.payload))?["aps"],
                let alert = aps["alert"]
            else { throw Unexpected("what the \(device.name) shows has no alert") }
            terminal.print(
                "   \(pad(device.name)) by itself, in the words of the app: \(String(decoding: alert.encoded(), as: UTF8.self))"
            )
            try expect(push.summary.isMutable, "the app on the \(device.name) may not enrich what is shown")
            terminal.print("           enriched by the app:  \(device.fetched.title): \(device.fetched.body)")
        }
    }

    /// Searches everything that Apple saw for everything private.
    func checkPrivacy(_ seen: [SeenRequest]) throws {
        let secrets = [title, Self.text, Self.profile, Self.series, Self.category + "\"", "Winter"]
        let octets = seen.flatMap { request in
            request.headers.flatMap { Array("\($0.name): \($0.value)\n".utf8) } + request.body
        }
        let found = ContentSearch.find(secrets, in: octets)
        try expect(found.isEmpty, "Apple saw \(found.count) private texts")
        terminal.print(
            "   \(octets.count) octets searched for \(secrets.count) texts in \(ContentSearch.formCount) forms each: "
                + "\(found.count) found")
    }
}
