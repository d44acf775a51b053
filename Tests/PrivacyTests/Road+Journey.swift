import Foundation
import PrivacyAudit
import ReveilleBytes
import ReveilleCommands
import ReveilleEmulator
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting

/// What a walk showed beside what left the process.
struct Journey: Sendable {
    /// What Apple took.
    var pushes: [SeenRequest] = []
    /// The payload that carried a code, and its header section.
    var verification: SeenRequest?
    /// Devices by their token.
    var devices: [String: AuditDevice] = [:]
    /// Requests whose refusal was not the expected one.
    var surprises: [String] = []
    /// Wakes whose delivery held no content: a search of theirs would prove nothing.
    var emptySends: [String] = []
}

extension Road {
    /// Walks the whole road with content in every place that takes some.
    func walk() async throws -> Journey {
        var journey = Journey()
        let anna = try await Traveller.arrive(
            self, producer: canaries.send(.producer), profile: canaries.send(.profile), label: canaries.send(.label))
        let devices = try await registerDevices(anna)
        for device in devices {
            journey.devices[device.token] = device
            // A provider knows the device's id: a hash without a key over id and series would let it try series.
            for separator in ["", "\u{1}"] {
                canaries.keep(.series, device.serverDeviceID + separator + canaries.send(.series))
            }
        }
        try await wakeAll(anna, devices)
        try await readAll(anna, devices)
        journey.surprises = try await walkRefusals(anna, devices[0])
        try await askAsOthers(anna, devices[0])
        journey.pushes = await emulator.pushes()
        journey.emptySends = try await emptySends(journey)
        journey.surprises += try await walkHTTP2(anna)
        journey.verification = try await verify(devices[0])
        try await sufferApple(anna)
        try await sufferStore(anna)
        try await look("after failures")
        try await leave(anna, devices)
        for request in await emulator.seen() {
            for (name, value) in request.headers { ledger.note(.apnsRequests, name, value + "\n") }
            ledger.note(.apnsRequests, "body", request.body)
        }
        try noteFiles()
        try noteProcess()
        return journey
    }

    /// A phone for each shape, and a Mac.
    private func registerDevices(_ anna: Traveller) async throws -> [AuditDevice] {
        var devices = [
            try await anna.register("reveille", token: canaries.send(.token), number: 0, isProven: true)
        ]
        for (number, shape) in Self.shapes.dropFirst().enumerated() {
            devices.append(
                try await anna.register(shape, token: Hex.encode(SystemRandom().bytes(32)), number: number + 1))
        }
        devices.append(
            try await anna.register("mail", token: Hex.encode(SystemRandom().bytes(32)), os: "macos", number: 9))
        try await succeed(
            AuditRequest(
                "PATCH", "/api/v1/devices/push/\(devices[0].id)", token: anna.profileToken,
                json: [
                    "name": .string(canaries.send(.deviceName)),
                    "categories": [.string(canaries.send(.category)), .string(canaries.send(.deviceCategory))],
                ]), "change")
        return devices
    }

    /// Visible and silent notifications of very different lengths.
    private func wakeAll(_ anna: Traveller, _ devices: [AuditDevice]) async throws {
        var expected = 0
        for (number, filler) in [0, 9_000].enumerated() {
            try await anna.post(filler: filler, key: number + 1)
            expected += devices.count
            let sum = expected
            // Each is sent before the next is posted: otherwise they would become one wake.
            try await emulator.wait { $0.accepted >= sum }
        }
        try await anna.post(silent: true, key: 3)
        expected += devices.count
        let sum = expected
        try await emulator.wait { $0.accepted >= sum }
        // The same again by its key: an answer, and no wake.
        try await anna.post(key: 1)
    }

    /// What the profile itself may do with its content; none of it is another's affair.
    private func readAll(_ anna: Traveller, _ devices: [AuditDevice]) async throws {
        let display = devices[0].displayToken
        let page = try await succeed(AuditRequest("GET", "/api/v1/notifications/sync", token: display), "sync")
        guard let cursor = page.json["cursor"]?.string,
            page.text.contains(canaries.send(.series).prefix(Canary.markLetters))
        else {
            throw RoadBlocked(label: "sync", answer: page.text)
        }
        try await succeed(
            AuditRequest("GET", "/api/v1/notifications/sync?since=\(cursor)", token: display), "sync since")
        let list = try await succeed(AuditRequest("GET", "/api/v1/notifications?limit=2", token: display), "list")
        guard let id = list.json["notifications"]?.array?.first?["delivery_id"]?.string else {
            throw RoadBlocked(label: "list", answer: list.text)
        }
        try await succeed(AuditRequest("POST", "/api/v1/notifications/\(id)/receipt", token: display), "receipt")
        let own = try await succeed(
            AuditRequest("GET", "/api/v1/notifications?limit=2", token: anna.profileToken), "list of the profile")
        if let read = own.json["notifications"]?.array?.first?["delivery_id"]?.string {
            try await succeed(
                AuditRequest("POST", "/api/v1/notifications/\(read)/read", token: anna.profileToken), "read")
        }
        try await succeed(
            AuditRequest("POST", "/api/v1/notifications/read-all", token: anna.profileToken, json: [:]), "read all")
        try await succeed(
            AuditRequest("PUT", "/api/v1/preferences", token: anna.profileToken, json: ["push_mode": "private_push"]),
            "preferences")
        try await succeed(AuditRequest("GET", "/api/v1/devices/push", token: anna.profileToken), "devices")
        try await look("while it runs")
    }

    /// Everybody else asks for everything that can be asked for.
    private func askAsOthers(_ anna: Traveller, _ device: AuditDevice) async throws {
        let random = SystemRandom()
        let ben = try await Traveller.arrive(
            self, producer: canaries.send(.producer), profile: "ben-\(random.uint64())", label: "ben")
        let eve = try await Traveller.arrive(
            self, producer: "other-\(random.uint64())", profile: "eve-\(random.uint64())", label: "eve")
        let admin = try await server.store.createToken(.admin, scopes: [], label: "audit").token
        canaries.keep(.credential, admin)
        let list = try await succeed(
            AuditRequest("GET", "/api/v1/notifications", token: device.displayToken), "list for others")
        let delivery = list.json["notifications"]?.array?.first?["delivery_id"]?.string ?? ""
        let others: [(String, String?)] = [
            ("another profile", ben.profileToken), ("another producer", eve.producerToken),
            ("a profile of another producer", eve.profileToken), ("the producer", anna.producerToken),
            ("admin", admin), ("nobody", nil),
        ]
        for (who, token) in others {
            for (label, target) in [
                ("GET /api/v1/notifications", "/api/v1/notifications"),
                ("GET /api/v1/notifications/sync", "/api/v1/notifications/sync"),
                ("GET /api/v1/notifications/{delivery_id}", "/api/v1/notifications/\(delivery)"),
                ("GET /api/v1/devices/push", "/api/v1/devices/push"),
                ("GET /api/v1/preferences", "/api/v1/preferences"),
                ("GET /api/v1/notifications/capability", "/api/v1/notifications/capability"),
                ("GET /api/v1/admin/devices", "/api/v1/admin/devices"),
                ("GET /api/v1/admin/lanes", "/api/v1/admin/lanes"),
            ] {
                try await sendForeign(who, AuditRequest("GET", target, token: token), label)
            }
            try await sendForeign(
                who, AuditRequest("PATCH", "/api/v1/devices/push/\(device.id)", token: token, json: ["name": "x"]),
                "PATCH /api/v1/devices/push/{id}")
        }
        try await sendForeign("admin", AuditRequest("POST", "/api/v1/admin/lanes/probe", token: admin), "POST probe")
    }

    /// Health, readiness and metrics.
    private func look(_ when: String) async throws {
        for (way, path) in [(WayOut.health, "/healthz"), (.health, "/readyz"), (.metrics, "/metrics")] {
            let reply = try await send(AuditRequest("GET", path), path)
            ledger.note(way, "\(path) \(when)", reply.octets)
        }
    }

    /// Somebody else claims the token of a proven install: its code travels through Apple, and nowhere else.
    private func verify(_ device: AuditDevice) async throws -> SeenRequest? {
        let dora = try await Traveller.arrive(
            self, producer: canaries.send(.producer), profile: canaries.send(.profile) + "-dora",
            label: canaries.send(.label))
        let seen = await emulator.seen().last?.number ?? 0
        let accepted = await emulator.counters().accepted
        let claim: JSONObject = [
            "device_id": .string(canaries.send(.installID) + "-dora"), "apns_token": .string(device.token),
            "apns_environment": "production", "apns_topic": .string(topic(device.shape)), "os": "ios",
        ]
        let request = AuditRequest(
            "POST", "/api/v1/devices/push/apple", token: dora.profileToken, json: .object(claim))
        let reply = try await succeed(request, "claim")
        guard reply.status == 202 else { throw RoadBlocked(label: "claim", answer: reply.text) }
        try await emulator.wait { $0.accepted > accepted }
        let push = await emulator.pushes(after: seen).first { WakeForm($0.body)?.code.isEmpty == false }
        guard let code = push.flatMap({ WakeForm($0.body)?.code }) else { return nil }
        canaries.keep(.verificationCode, code)
        var answered = claim
        answered["verification_code"] = .string(code)
        let moved = try await succeed(
            AuditRequest("POST", "/api/v1/devices/push/apple", token: dora.profileToken, json: .object(answered)),
            "claim with its code")
        if let display = moved.json["display_token"]?.string { canaries.keep(.credential, display) }
        return push
    }

    /// Devices go, and a token is revoked.
    private func leave(_ anna: Traveller, _ devices: [AuditDevice]) async throws {
        try await succeed(
            AuditRequest("DELETE", "/api/v1/devices/push/\(devices[1].id)", token: anna.profileToken), "remove")
        try await succeed(
            AuditRequest(
                "DELETE", "/api/v1/profiles/\(anna.profile)/tokens/\(anna.tokenID)", token: anna.producerToken),
            "revoke")
        try await send(AuditRequest("GET", "/api/v1/notifications", token: anna.profileToken), "revoked credential")
    }

    /// Wakes whose delivery does not hold the canaries of a notification.
    private func emptySends(_ journey: Journey) async throws -> [String] {
        var empty: [String] = []
        for push in journey.pushes {
            guard let token = push.token, let device = journey.devices[token], let id = WakeForm(push.body)?.deliveryID
            else {
                empty.append("\(push.number): no delivery")
                continue
            }
            let reply = try await send(
                AuditRequest("GET", "/api/v1/notifications/\(id)", token: device.displayToken), "delivery of a wake")
            let held = [PrivateField.title, .body, .series].allSatisfy { field in
                [reply.json["title"], reply.json["body"], reply.json["series"]].contains {
                    $0?.string?.hasPrefix(canaries.send(field)) == true
                }
            }
            if !held { empty.append("\(push.number): \(reply.status)") }
        }
        return empty
    }
}
