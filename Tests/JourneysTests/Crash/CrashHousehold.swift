import Glibc
import ReveilleBytes
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime

/// The producers, profiles and devices that the posts of a crash test are for.
struct CrashHousehold: Sendable {
    struct Device: Sendable {
        /// The id that the API gave.
        let id: String
        let token: String
    }

    struct Producer: Sendable {
        let token: String
        /// Profiles with their devices.
        var devices: [(profile: String, devices: [Device])] = []
    }

    static let topic = "org.example.crash"
    static let visibleCategory = "message"
    /// The environments of the devices of each profile.
    static let profiles: [[String]] = [
        ["production"], ["production", "production", "sandbox"], ["sandbox"], ["production", "sandbox"],
    ]

    var producers: [Producer] = []

    /// Every device with its profile.
    var devices: [(profile: String, device: Device)] {
        producers.flatMap(\.devices).flatMap { entry in entry.devices.map { (entry.profile, $0) } }
    }

    /// Makes two producers by command, and registers devices for profiles of each through the API of a running server.
    static func make(
        tokens: [String], server: HTTPClient, random: any RandomSource
    ) async throws -> CrashHousehold {
        var household = CrashHousehold()
        for (number, token) in tokens.enumerated() {
            var producer = Producer(token: token)
            for (index, environments) in profiles.enumerated() {
                let profile = "person-\(number)-\(index)"
                let minted = try await created(server, "/api/v1/profiles/\(profile)/tokens", token, [:])
                var devices: [Device] = []
                for (place, environment) in environments.enumerated() {
                    devices.append(
                        try await register(
                            server, minted["token"]?.string ?? "", name: "\(profile)-\(place)", environment,
                            deviceToken: Hex.encode(random.bytes(32))))
                }
                producer.devices.append((profile, devices))
            }
            household.producers.append(producer)
        }
        return household
    }

    private static func register(
        _ server: HTTPClient, _ token: String, name: String, _ environment: String, deviceToken: String
    ) async throws -> Device {
        let answer = try await created(
            server, "/api/v1/devices/push/apple", token,
            [
                "device_id": .string(name), "apns_token": .string(deviceToken),
                "apns_environment": .string(environment), "apns_topic": .string(topic), "os": "ios",
            ])
        return Device(id: answer["id"]?.string ?? "", token: deviceToken)
    }

    private static func created(
        _ server: HTTPClient, _ path: String, _ token: String, _ body: JSONValue
    ) async throws -> JSONValue {
        let (status, json) = try await server.call("POST", path, token: token, body: body)
        guard status == 201 else {
            throw ProgramProcess.Failure(description: "POST \(path) was answered with \(status)")
        }
        return json
    }
}
