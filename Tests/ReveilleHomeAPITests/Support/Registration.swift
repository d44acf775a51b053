import ReveilleJSON

/// Bodies of registrations.
enum Registration {
    /// Sixty-four hexadecimal digits that no other number gives.
    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "ab", count: 24) + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// An installation key as an app prints it.
    static func key(_ number: UInt8) -> String {
        String(repeating: String(number, radix: 16).count == 1 ? "0\(number)" : "\(number)", count: 32)
    }

    /// A complete body; `extra` adds or replaces members.
    static func body(
        _ device: String = "install-1", token: String = token(1), topic: String = HomeServer.topic,
        extra: [(String, JSONValue)] = []
    ) -> JSONValue {
        var object: JSONObject = [
            "device_id": .string(device), "apns_token": .string(token), "apns_environment": "production",
            "apns_topic": .string(topic), "os": "ios",
        ]
        for (key, value) in extra { object[key] = value }
        return .object(object)
    }
}

extension HomeServer {
    /// Registers a device.
    func register(
        _ body: JSONValue = Registration.body(), token: String, fields: [(String, String)] = []
    ) async -> Answer {
        await send("POST", "/api/v1/devices/push/apple", token: token, json: body, fields: fields)
    }

    /// Registers a device and returns its id and display token.
    func registered(
        _ body: JSONValue = Registration.body(), token: String
    ) async throws -> (id: String, displayToken: String) {
        let answer = await register(body, token: token)
        guard answer.status == 201 || answer.status == 200 else { throw Unexpected(answer: answer) }
        return (try require(answer.json["id"]?.string), try require(answer.json["display_token"]?.string))
    }
}
