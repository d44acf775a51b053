import PrivacyAudit
import ReveilleBytes
import ReveilleCommands
import ReveilleCrypto
import ReveilleJSON
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite

/// A device on the road.
struct AuditDevice: Sendable {
    let shape: String
    let token: String
    let id: String
    let serverDeviceID: String
    let displayToken: String
}

/// Whoever walks the road: a producer and a profile with its devices.
struct Traveller: Sendable {
    let road: Road
    let profile: String
    let producerToken: String
    let profileToken: String
    let tokenID: String

    /// Makes the producer, its token and a profile's token; all of them are secrets of the run.
    static func arrive(_ road: Road, producer name: String, profile: String, label: String) async throws -> Traveller {
        let store = road.server.store
        let made = try await store.createProducer(name: name)
        let known = try await store.producer(name: name)
        guard let producer = made ?? known else { throw RoadBlocked(label: "producer", answer: "") }
        let token = try await store.createToken(.producer(producer), scopes: Set(Scope.allCases), label: label).token
        road.canaries.keep(.credential, token)
        let minted = try await road.succeed(
            AuditRequest(
                "POST", "/api/v1/profiles/\(profile)/tokens", token: token, json: ["label": .string(label)]),
            "mint")
        guard let own = minted.json["token"]?.string, let id = minted.json["token_id"]?.string else {
            throw RoadBlocked(label: "mint", answer: minted.text)
        }
        road.canaries.keep(.credential, own)
        return Traveller(road: road, profile: profile, producerToken: token, profileToken: own, tokenID: id)
    }

    /// Registers a device with everything that a registration can hold.
    ///
    /// - Parameter isProven: gives the installation key too, so that nobody can take the token without a code.
    func register(
        _ shape: String, token: String, os: String = "ios", number: Int, isProven: Bool = false
    ) async throws -> AuditDevice {
        let canaries = road.canaries
        canaries.keep(.token, token)
        var body: JSONObject = [
            "device_id": .string("\(canaries.send(.installID))-\(profile.utf8.count)-\(number)"),
            "apns_token": .string(token), "apns_environment": "production", "apns_topic": .string(road.topic(shape)),
            "os": .string(os), "name": .string(canaries.send(.deviceName)),
            "app_version": .string(canaries.send(.appVersion)), "locale": .string(canaries.send(.locale)),
            "push_mode": "private_push",
            "categories": [.string(canaries.send(.category)), .string(canaries.send(.deviceCategory))],
        ]
        if isProven {
            body["installation_key"] = .string(canaries.send(.installationKey))
            body["generation"] = 1
        }
        let reply = try await road.succeed(
            AuditRequest(
                "POST", "/api/v1/devices/push/apple", token: profileToken,
                headers: [("idempotency-key", "\(canaries.send(.registrationKey))-\(number)")],
                json: .object(body)), "register")
        guard let id = reply.json["id"]?.string, let server = reply.json["server_device_id"]?.string,
            let display = reply.json["display_token"]?.string
        else { throw RoadBlocked(label: "register", answer: reply.text) }
        canaries.keep(.credential, display)
        return AuditDevice(shape: shape, token: token, id: id, serverDeviceID: server, displayToken: display)
    }

    /// A notification with everything that one can hold.
    ///
    /// - Parameter filler: makes the content longer, so that its length would show.
    func notification(filler: Int = 0, silent: Bool = false) -> JSONValue {
        let canaries = road.canaries
        let more = String(repeating: "x", count: filler)
        return [
            "recipients": [.string(profile)], "category": .string(canaries.send(.category)),
            "title": .string(canaries.send(.title)), "body": .string(canaries.send(.body) + more),
            "data": .object([
                "folder": .string(canaries.send(.data)),
                canaries.send(.dataKey): .array([.string(canaries.send(.data))]),
            ]),
            "series": .string(canaries.send(.series)), "alert": silent ? "silent" : "visible", "ttl": 3_600,
        ]
    }

    /// Posts a notification and returns its delivery id as the profile knows it.
    @discardableResult
    func post(filler: Int = 0, silent: Bool = false, key: Int) async throws -> String {
        let reply = try await road.succeed(
            AuditRequest(
                "POST", "/api/v1/notifications", token: producerToken,
                headers: [("idempotency-key", "\(road.canaries.send(.idempotencyKey))-\(key)")],
                json: notification(filler: filler, silent: silent)), "notify")
        guard let id = reply.json["deliveries"]?.array?.first?["delivery_id"]?.string else {
            throw RoadBlocked(label: "notify", answer: reply.text)
        }
        return id
    }
}
