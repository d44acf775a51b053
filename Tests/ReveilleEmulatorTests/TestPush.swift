import ReveilleCrypto
import ReveilleEmulator
import ReveilleJSON

/// A request of a sender, right in every part until a test spoils one.
struct TestPush: Sendable {
    static let bundleID = "org.example.mail"
    static let token = String(repeating: "ab", count: 32)
    static let id = "0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9"
    static let body = #"{"aps":{"alert":{"loc-key":"NEW"},"mutable-content":1}}"#

    var method = "POST"
    var path = "/3/device/\(token)"
    var authorization: String?
    var topic: String? = bundleID
    var pushType: String? = "alert"
    var priority: String? = "10"
    var expiration: String?
    var id: String?
    var collapseID: String?
    var body = Self.body
    var further: [(name: String, value: String)] = []

    init(_ authorization: String?) {
        self.authorization = authorization
    }

    /// The same with something changed.
    func with(_ change: (inout TestPush) -> Void) -> TestPush {
        var changed = self
        change(&changed)
        return changed
    }

    /// The same to another device.
    func to(_ token: String) -> TestPush {
        with { $0.path = "/3/device/\(token)" }
    }

    /// The background form.
    var background: TestPush {
        with {
            $0.pushType = "background"
            $0.priority = "5"
            $0.body = #"{"aps":{"content-available":1}}"#
        }
    }

    /// Everything that goes into the header list.
    var headers: [(name: String, value: String)] {
        var headers = [
            (name: ":method", value: method), (name: ":scheme", value: "https"),
            (name: ":authority", value: "localhost"), (name: ":path", value: path),
        ]
        let fields: [(String, String?)] = [
            ("authorization", authorization), ("apns-topic", topic), ("apns-push-type", pushType),
            ("apns-priority", priority), ("apns-expiration", expiration), ("apns-id", id),
            ("apns-collapse-id", collapseID),
        ]
        for case (let name, let value?) in fields { headers.append((name: name, value: value)) }
        return headers + further
    }
}

/// A provider's key, and tokens made with it.
struct TestKey: Sendable {
    static let teamID = "TEAMID6789"
    static let keyID = "KEYID12345"

    let key = P256PrivateKey.generate()
    var teamID = Self.teamID
    var keyID = Self.keyID

    /// The key as Apple knows it.
    func registered(
        environments: Set<AppleEnvironment> = [.production, .sandbox], topics: Set<String>? = nil,
        family: String? = nil
    ) -> AppleKey {
        AppleKey(
            teamID: teamID, keyID: keyID, publicKey: key.publicKey, environments: environments,
            topics: topics, family: family)
    }

    /// The `authorization` field of a token issued at a time, in seconds since 1970.
    func bearer(issuedAt seconds: Int64) -> String {
        bearer(
            header: ["alg": "ES256", "kid": .string(keyID)],
            claims: ["iss": .string(teamID), "iat": .integer(seconds)])
    }

    /// The `authorization` field of any header and claims.
    func bearer(header: JSONValue, claims: JSONValue) -> String {
        "bearer "
            + JWT.signES256(headerJSON: header.encoded(), claimsJSON: claims.encoded(), key: key)
    }
}
