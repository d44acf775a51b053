internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleCrypto
internal import ReveilleEmulator
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleStorage
internal import ReveilleStorageSQLite

/// One notification on its whole way, step by step.
///
/// Every line shows a live object.
struct Demo: Sendable {
    /// How long Apple's side may take to see the wakes, in seconds.
    static let patienceSeconds = 10

    static let profile = "profile-7f31-anna"
    static let category = "message"
    static let series = "thread-c0ffee-4711"
    static let usualTitle = "Dr. Winter wrote to you"
    static let text = "The test results are back; please call before noon."

    /// A device of the demo and what the API answered it.
    struct DemoDevice: Sendable {
        let name: String
        let os: String
        let token: String
        var serverDeviceID = ""
        var displayToken = ""
        var deliveryID = ""
        /// What it fetched from the home server.
        var fetched = (title: "", body: "")
    }

    let world: DemoWorld
    let terminal: Terminal
    let sabotage: DemoSabotage

    var title: String { sabotage.title ?? Self.usualTitle }

    /// Walks through all steps.
    ///
    /// - Throws: `DemoFailure` with the step that did not come out.
    func run() async throws {
        let credentials = try await begin(.start) { try await makeCredentials() }
        var devices = try await begin(.register) { try await register(credentials.profile) }
        let posted = try await begin(.post) { try await post(credentials.producer) }
        try await begin(.stored) { try await showStored(posted) }
        let seen = try await begin(.apple) { try await showApple(devices) }
        try await begin(.payload) { try checkPayloads(seen, &devices) }
        try await begin(.fetch) { try await fetch(&devices) }
        try await begin(.screen) { try await showScreens(devices) }
        try await begin(.privacy) { try checkPrivacy(seen) }
        terminal.print()
        terminal.print("All \(DemoStep.allCases.count) steps came out as they should.")
    }

    private func begin<Value>(_ step: DemoStep, _ body: () async throws -> Value) async throws -> Value {
        if sabotage.stopEmulatorBefore == step { await world.emulator.stop() }
        let number = (DemoStep.allCases.firstIndex(of: step) ?? 0) + 1
        terminal.print()
        terminal.print("\(number). \(step.heading)")
        do {
            return try await body()
        } catch let failure as DemoFailure {
            throw failure
        } catch let error as Unexpected {
            throw DemoFailure(step: step, reason: error.reason)
        } catch let error as ClientError {
            throw DemoFailure(step: step, reason: APICaller.failure(error, url: world.url).message)
        } catch {
            throw DemoFailure(step: step, reason: "\(type(of: error))")
        }
    }

    /// Something that should not be; the step that met it gives it its name.
    struct Unexpected: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    func expect(_ condition: Bool, _ reason: @autoclosure () -> String) throws(Unexpected) {
        if !condition { throw Unexpected(reason()) }
    }

    private func makeCredentials() async throws -> (producer: String, profile: String) {
        let store = world.server.store
        guard let producer = try await store.createProducer(name: "mail") else {
            throw Unexpected("the producer could not be made")
        }
        let token = try await store.createToken(.producer(producer), scopes: Set(Scope.allCases), label: "demo").token
        terminal.print("   Apple (emulated)  https://localhost:\(world.emulator.address(of: .production)?.port ?? 0)")
        terminal.print("   home server       \(world.url)")
        let minted = try await call(
            "POST", "/api/v1/profiles/\(Self.profile)/tokens", token: token, [:], expecting: 201)
        guard let profileToken = minted["token"]?.string else { throw Unexpected("no profile token was minted") }
        return (token, profileToken)
    }

    private func register(_ token: String) async throws -> [DemoDevice] {
        var devices = [
            DemoDevice(name: "iPhone", os: "ios", token: Hex.encode(SecureRandom.bytes(32))),
            DemoDevice(name: "Mac", os: "macos", token: Hex.encode(SecureRandom.bytes(32))),
        ]
        for index in devices.indices {
            let device = devices[index]
            let answer = try await call(
                "POST", "/api/v1/devices/push/apple", token: token,
                [
                    "device_id": .string("demo-\(device.os)"), "apns_token": .string(device.token),
                    "apns_environment": "production", "apns_topic": .string(DemoWorld.topic), "os": .string(device.os),
                    "name": .string(device.name),
                ], expecting: 201)
            devices[index].serverDeviceID = answer["server_device_id"]?.string ?? ""
            devices[index].displayToken = answer["display_token"]?.string ?? ""
            try expect(!devices[index].serverDeviceID.isEmpty, "the API gave no server_device_id")
            terminal.print(
                "   \(pad(device.name)) server_device_id \(devices[index].serverDeviceID), push mode \(answer["push_mode"]?.string ?? "?")"
            )
        }
        return devices
    }

    private func post(_ token: String) async throws -> JSONValue {
        let answer = try await call(
            "POST", "/api/v1/notifications", token: token,
            [
                "recipients": [.string(Self.profile)], "category": .string(Self.category), "title": .string(title),
                "body": .string(Self.text), "series": .string(Self.series),
            ], expecting: 202)
        terminal.print("   title  \(title)")
        terminal.print("   body   \(Self.text)")
        terminal.print("   was posted; the answer is 202, notification \(answer["notification_id"]?.string ?? "?")")
        return answer
    }

    func call(
        _ method: String, _ path: String, token: String, _ body: JSONObject? = nil, expecting status: Int
    ) async throws -> JSONValue {
        let answer = try await world.caller.call(method, path, token: token, body: body.map(JSONValue.object))
        try expect(
            answer.status == status,
            "\(method) \(path) was answered with \(answer.status) \(answer.body["code"]?.string ?? ""), not \(status)")
        return answer.body
    }

    func pad(_ text: String) -> String { text + String(repeating: " ", count: max(0, 7 - text.count)) }
}
