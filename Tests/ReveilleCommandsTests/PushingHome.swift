import ReveilleBytes
import ReveilleCommands
import ReveilleCore
import ReveilleCrypto
import ReveilleEmulator
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

/// A server wired as `serve` wires it, in front of an emulated Apple with both environments.
struct PushingHome: Sendable {
    static let profile = "anna"
    static let category = "mail"

    let apple: APNsEmulator
    private let client: HTTPClient
    private let producerToken: String
    private let profileToken: String

    /// Runs both for the time of `body`.
    static func with(_ body: (PushingHome) async throws -> Void) async throws {
        let place = try StorePlace()
        let producerToken = try await place.makeProducer("mail")
        let made = await place.run("token", "create", "--producer", "mail", "--profile", profile, "--json")
        let profileToken = try #require(made.json["token"]?.string)
        let key = P256PrivateKey.generate()
        let apple = try APNsEmulator(
            APNsEmulatorConfiguration(
                addresses: [.production: .loopback(port: 0), .sandbox: .loopback(port: 0)],
                providerTokens: .signedBy([
                    AppleKey(teamID: "TEAMID6789", keyID: "KEYID12345", publicKey: key.publicKey)
                ])))
        try apple.start()
        let result: Result<Void, any Error>
        do {
            let settings = try settings(of: apple, key)
            result = .success(
                try await NotifyCommandTests.withServer(place, settings) { server in
                    try await withEventLoop { loop in
                        let origin = try #require(HTTPOrigin(parsing: "http://\(server.address.text)"))
                        let client = HTTPClient(origin: origin, loop: loop, resolver: SystemResolver(on: loop))
                        try await body(
                            PushingHome(
                                apple: apple, client: client, producerToken: producerToken, profileToken: profileToken))
                        await client.close()
                    }
                })
        } catch {
            result = .failure(error)
        }
        await apple.stop()
        try result.get()
    }

    private static func settings(of apple: APNsEmulator, _ key: P256PrivateKey) throws -> [String: String] {
        let directory = try #require(TemporaryDirectory.current)
        let keyFile = directory.file("apns.p8")
        let authorityFile = directory.file("apple-ca.pem")
        try PrivateFile.write(key.pkcs8PEM.reveal(), to: keyFile)
        try PrivateFile.write(apple.authorityPEM, to: authorityFile)
        func url(_ environment: AppleEnvironment) throws -> String {
            "https://localhost:\(try #require(apple.address(of: environment)).port)"
        }
        return [
            "REVEILLE_APPS": StorePlace.app.identifier, "REVEILLE_APPLE_PUSH": "custom_apns",
            "REVEILLE_APNS_TEAM_ID": "TEAMID6789", "REVEILLE_APNS_KEY_ID": "KEYID12345",
            "REVEILLE_APNS_KEY_FILE": keyFile, "REVEILLE_APNS_CA_FILE": authorityFile,
            "REVEILLE_APNS_PRODUCTION_URL": try url(.production), "REVEILLE_APNS_SANDBOX_URL": try url(.sandbox),
        ]
    }

    /// Registers a phone of the profile.
    func register(_ number: Int, in environment: AppleEnvironment) async throws {
        try await post(
            "/api/v1/devices/push/apple", profileToken, 201,
            [
                "device_id": .string("phone-\(number)"), "apns_token": .string("cafe00\(10 + number)"),
                "apns_environment": .string(environment.rawValue),
                "apns_topic": .string(StorePlace.app.identifier), "os": "ios",
            ])
    }

    /// Posts a notification to the profile.
    func notify() async throws {
        try await post(
            "/api/v1/notifications", producerToken, 202,
            ["recipients": [.string(Self.profile)], "category": .string(Self.category), "title": "the title"])
    }

    /// What `/metrics` shows.
    func metrics() async throws -> String {
        String(decoding: try await client.send(ClientRequest(method: "GET", path: "/metrics")).body, as: UTF8.self)
    }

    private func post(_ path: String, _ token: String, _ status: Int, _ body: JSONValue) async throws {
        let fields = [
            (name: "authorization", value: "Bearer \(token)"), (name: "content-type", value: "application/json"),
        ]
        let answer = try await client.send(
            ClientRequest(method: "POST", path: path, fields: fields, body: body.encoded()))
        try #require(answer.status == status, "\(path): \(String(decoding: answer.body, as: UTF8.self))")
    }
}
