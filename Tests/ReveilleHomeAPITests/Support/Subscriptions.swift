import ReveilleJSON

/// Bodies of registrations with FCM and push services.
enum Subscriptions {
    /// The receiver's keys of RFC 8291 section 5.
    static let p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let auth = "BTBZMqHH6r4Tts7J_aSIgg"
    static let browserEndpoint = "https://updates.push.services.mozilla.com/wpush/v2/abc"
    static let distributorEndpoint = "https://ntfy.example.org/up123?up=1"

    /// A subscription as a browser prints it.
    static func subscription(
        endpoint: String = browserEndpoint, p256dh: String = p256dh, auth: String = auth
    ) -> JSONValue {
        [
            "endpoint": .string(endpoint), "expirationTime": nil,
            "keys": ["p256dh": .string(p256dh), "auth": .string(auth)],
        ]
    }

    /// A complete body; `extra` adds or replaces members.
    static func body(
        _ device: String = "install-1", endpoint: String = browserEndpoint, app: String = HomeServer.topic,
        extra: [(String, JSONValue)] = []
    ) -> JSONValue {
        var object: JSONObject = [
            "device_id": .string(device), "app": .string(app), "subscription": subscription(endpoint: endpoint),
        ]
        for (key, value) in extra { object[key] = value }
        return .object(object)
    }

    /// A complete body for FCM.
    static func fcm(
        _ device: String = "install-1", token: String? = "cAbC-_09:APA91b", extra: [(String, JSONValue)] = []
    ) -> JSONValue {
        var object: JSONObject = ["device_id": .string(device), "app": .string(HomeServer.topic)]
        if let token { object["fcm_token"] = .string(token) }
        for (key, value) in extra { object[key] = value }
        return .object(object)
    }
}
