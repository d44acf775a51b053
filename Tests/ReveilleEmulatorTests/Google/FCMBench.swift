import RawSockets
import ReveilleEmulator
import ReveilleJSON
import Testing

/// One account for all tests: a key takes its time.
let fcmKey = GoogleServiceAccountKey(projectID: "test-project")

extension PushServiceBench<GoogleProvider> {
    static let sendPath = "/v1/projects/test-project/messages:send"
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    /// The claims of a right assertion, each replaceable.
    func claims(
        iss: String? = nil, scope: String? = nil, aud: String? = nil, issuedAgo: Int64 = 0, lifetime: Int64 = 3600
    ) -> String {
        let issued = now - issuedAgo
        return """
            {"iss":"\(iss ?? fcmKey.account.clientEmail)","scope":"\(scope ?? Self.scope)",\
            "aud":"\(aud ?? "https://\(authority)/token")","iat":\(issued),"exp":\(issued + lifetime)}
            """
    }

    /// Asks for an access token.
    func grant(_ assertion: String, grantType: String = "urn:ietf:params:oauth:grant-type:jwt-bearer") async throws
        -> RawAnswer
    {
        let type = grantType.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "%3A")
        return try await send(
            "POST", "/token", [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("grant_type=\(type)&assertion=\(assertion)".utf8))
    }

    /// A good access token.
    func accessToken() async throws -> String {
        let answer = try await grant(fcmKey.assertion(claims()))
        #expect(answer.status == 200)
        return try #require(answer.json?["access_token"]?.string)
    }

    /// Sends a message with a good access token.
    func push(_ json: String, token: String? = nil, path: String = Self.sendPath) async throws -> RawAnswer {
        let bearer: String
        if let token { bearer = token } else { bearer = try await accessToken() }
        return try await send(
            "POST", path,
            [("Authorization", "Bearer \(bearer)"), ("Content-Type", "application/json; charset=utf-8")],
            body: Array(json.utf8))
    }
}

/// The first detail of an error whose type ends so.
func detail(_ type: String, in answer: RawAnswer) -> JSONValue? {
    answer.json?["error"]?["details"]?.array?.first { $0["@type"]?.string?.hasSuffix(type) == true }
}

/// Google with the test's account.
func withGoogle(
    _ change: (inout GoogleSettings) -> Void = { _ in }, faults: [PushServiceFault] = [],
    _ body: (PushServiceBench<GoogleProvider>) async throws -> Void
) async throws {
    var settings = GoogleSettings(accounts: [fcmKey.account], otherProjects: ["other-project"])
    change(&settings)
    try await withPushService(PushServiceConfiguration<GoogleProvider>(settings: settings, faults: faults), body)
}
