import RawHTTP
import RawSockets
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTesting
import Testing

/// How a code of the catalogue comes about over HTTP.
struct ProducedCode: Sendable, CustomTestStringConvertible {
    let code: ProblemCode
    let setup: ServedHome.Setup
    let answer: @Sendable (ServedHome) async throws -> RawAnswer

    var testDescription: String { code.rawValue }

    init(
        _ code: ProblemCode, _ change: (inout ServedHome.Setup) -> Void = { _ in },
        _ answer: @escaping @Sendable (ServedHome) async throws -> RawAnswer
    ) {
        var setup = ServedHome.Setup()
        change(&setup)
        self.code = code
        self.setup = setup
        self.answer = answer
    }

    /// Codes that no request brings about, with the reason.
    static let unreachable: [ProblemCode: String] = [
        .jsonTooLong: "the server refuses a body of that length before it is read: body_too_large",
        .badRequest: "stands in for a code of the readers that the catalogue does not name; there is none",
        .upgradeImpossible: "no route of this version changes the protocol of a connection",
        .internalError: "a mistake of the program, which no request is known to provoke",
    ]

    /// All rows, one for each other code.
    static let all = texts + fields + access + notifications + devices + store + server + malformed

    private static let texts: [ProducedCode] = [
        .init(.jsonTooDeep) { server in
            try await server.post(
                with: "\"data\":" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40))
        },
        .init(.jsonTooManyElements) {
            try await $0.post(with: "\"data\":[" + String(repeating: "1,", count: 25_000) + "1]")
        },
        .init(.jsonUnexpectedEnd) { try await $0.post("{") },
        .init(.jsonUnexpectedByte) { try await $0.post("nonsense") },
        .init(.jsonTrailingBytes) { try await $0.post("{}{}") },
        .init(.jsonByteOrderMark) { try await $0.post("\u{FEFF}{}") },
        .init(.jsonInvalidNumber) { try await $0.post(with: "\"ttl\":01") },
        .init(.jsonNumberOutOfRange) { try await $0.post(with: "\"data\":{\"id\":18446744073709551616}") },
        .init(.jsonInvalidUTF8) { server in
            let head =
                "POST /api/v1/notifications HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n"
                + "Content-Type: application/json\r\nAuthorization: Bearer \(try await server.home.producerToken())\r\n\r\n"
            return try await server.say(Array(head.utf8) + [0x22, 0xFF, 0x22])
        },
        .init(.jsonControlCharacter) { try await $0.post(with: "\"title\":\"a\nb\"") },
        .init(.jsonInvalidEscape) { try await $0.post(with: "\"title\":\"\\x41\"") },
        .init(.jsonLoneSurrogate) { try await $0.post(with: "\"title\":\"\\ud800\"") },
        .init(.jsonDuplicateKey) { try await $0.post(with: "\"category\":\"d\"") },
    ]

    private static let fields: [ProducedCode] = [
        .init(.notAnObject) { try await $0.post("[]") },
        .init(.missingField) { try await $0.post("{}") },
        .init(.wrongType) { try await $0.post(with: "\"title\":1") },
        .init(.tooLong) { try await $0.post(with: "\"title\":\"" + String(repeating: "x", count: 1_025) + "\"") },
        .init(.tooShort) { try await $0.post("{\"recipients\":[\"\"],\"category\":\"c\"}") },
        .init(.outOfRange) { try await $0.post(with: "\"ttl\":1") },
        .init(.unknownField) { try await $0.post(with: "\"colour\":1") },
        .init(.invalidValue) { try await $0.post(with: "\"alert\":\"loud\"") },
        .init(.unknownParameter) { server in
            try await server.request("GET", "/api/v1/notifications?a=b", token: try await server.home.profileToken())
        },
        .init(.invalidParameter) { server in
            try await server.request(
                "GET", "/api/v1/notifications?limit=0", token: try await server.home.profileToken())
        },
        .init(.missingBody) { server in
            try await server.request("POST", "/api/v1/notifications", token: try await server.home.producerToken())
        },
        .init(.unexpectedBody) { server in
            try await server.request(
                "GET", "/api/v1/notifications", token: try await server.home.profileToken(), body: "{}")
        },
        .init(.unsupportedMediaType) { server in
            try await server.request(
                "POST", "/api/v1/notifications", token: try await server.home.producerToken(), body: "{}",
                fields: "Content-Type: text/plain\r\n")
        },
    ]

    private static let access: [ProducedCode] = [
        .init(.missingCredential) { try await $0.request("GET", "/api/v1/notifications") },
        .init(.invalidCredential) { try await $0.request("GET", "/api/v1/notifications", token: "rvu_unknown") },
        .init(.expiredCredential) { server in
            let device = try await server.home.registered(token: try await server.home.profileToken())
            server.home.clock.advance(by: .seconds(91 * 86_400))
            return try await server.request("GET", "/api/v1/notifications", token: device.displayToken)
        },
        .init(.wrongCredentialKind) { server in
            try await server.request("GET", "/api/v1/notifications", token: try await server.home.producerToken())
        },
        .init(.missingScope) { server in
            let token = try await server.home.producerToken(scopes: [.mintProfiles])
            return try await server.request("POST", "/api/v1/notifications", token: token, body: "{}")
        },
        .init(.foreignDevice) { server in
            try await server.request(
                "GET", "/api/v1/notifications", token: try await server.home.profileToken(),
                fields: "Reveille-Device: X\r\n")
        },
        .init(.deviceRequired) { server in
            let token = try await server.home.profileToken()
            let id = try await server.home.notify(token: try await server.home.producerToken())[0]
            return try await server.request("POST", "/api/v1/notifications/\(id)/receipt", token: token)
        },
        .init(.rateLimited, { $0.limits.producer = RateLimit(perMinute: 1, burst: 1) }) { server in
            _ = try await server.post("{}")
            return try await server.post("{}")
        },
        .init(.tooManyFailedCredentials, { $0.limits.failedCredentials = RateLimit(perMinute: 1, burst: 1) }) {
            server in
            _ = try await server.request("GET", "/api/v1/notifications", token: "rvu_unknown")
            return try await server.request("GET", "/api/v1/notifications", token: "rvu_unknown")
        },
    ]

    private static let notifications: [ProducedCode] = [
        .init(.idempotencyKeyReused) { server in
            for category in ["c", "d"] {
                let answer = try await server.post(
                    "{\"recipients\":[\"a\"],\"category\":\"\(category)\"}", fields: "Idempotency-Key: k\r\n")
                if category == "d" { return answer }
            }
            throw Missing()
        },
        .init(.deliveryNotFound) { server in
            try await server.request("GET", "/api/v1/notifications/X", token: try await server.home.profileToken())
        },
        .init(.cursorGone) { server in
            try await server.request(
                "GET", "/api/v1/notifications/sync?since=x", token: try await server.home.profileToken())
        },
        .init(.notFound) { try await $0.request("GET", "/nowhere") },
        .init(.methodNotAllowed) { try await $0.request("PUT", "/healthz") },
        .init(.notAvailableYet) { server in
            try await server.request(
                "POST", "/api/v1/broadcasts", token: try await server.home.producerToken(), body: "{}")
        },
    ]

    private static let devices: [ProducedCode] = [
        .init(.deviceNotFound) { server in
            try await server.request(
                "PATCH", "/api/v1/devices/push/X", token: try await server.home.profileToken(), body: "{}")
        },
        .init(.topicNotAllowed) { server in
            try await server.register(
                Registration.body(topic: "org.example.other"), token: try await server.home.profileToken())
        },
        .init(.unknownVAPIDKey) { server in
            try await server.request(
                "POST", "/api/v1/devices/push/web", token: try await server.home.profileToken(),
                body: String(decoding: Subscriptions.body(extra: [("vapid_key", "BUnknown")]).encoded(), as: UTF8.self))
        },
        .init(.newerSignIn) { server in
            let older = try await server.home.profileToken("A")
            server.home.clock.advance(by: .seconds(10))
            _ = try await server.home.registered(token: try await server.home.profileToken("B"))
            return try await server.register(Registration.body(), token: older)
        },
        .init(.staleGeneration) { server in
            let token = try await server.home.profileToken()
            _ = try await server.home.registered(bound(key: 1, generation: 5, token: 1), token: token)
            return try await server.register(bound(key: 1, generation: 4, token: 2), token: token)
        },
        .init(.installationKeyMismatch) { server in
            let token = try await server.home.profileToken()
            _ = try await server.home.registered(bound(key: 1, generation: 5, token: 1), token: token)
            return try await server.register(bound(key: 2, generation: 6, token: 2), token: token)
        },
        .init(.wrongCode) { server in
            let device = try await server.home.registered(token: try await server.home.profileToken())
            return try await server.request(
                "POST", "/api/v1/devices/push/\(device.id)/verify", token: device.displayToken,
                body: "{\"code\":\"000000\"}")
        },
        .init(.tooManyDevices, { $0.options.deviceLimitPerProfile = 2 }) { server in
            let token = try await server.home.profileToken()
            for number in 1...2 {
                _ = try await server.home.registered(
                    Registration.body("install-\(number)", token: Registration.token(number)), token: token)
            }
            return try await server.register(
                Registration.body("install-3", token: Registration.token(3)), token: token)
        },
    ]

    private static func bound(key: UInt8, generation: Int64, token: Int) -> JSONValue {
        Registration.body(
            token: Registration.token(token),
            extra: [("installation_key", .string(Registration.key(key))), ("generation", .integer(generation))])
    }

    private static let store: [ProducedCode] =
        StoreError.Code.allCases.compactMap { code in
            ProblemCode(rawValue: code.rawValue).map { problem in
                ProducedCode(problem) {
                    try await $0.request("GET", "/api/v1/notifications", token: FaultyAuthenticator.token(code))
                }
            }
        } + [
            .init(.notReady) { server in
                await server.home.store.close()
                server.home.clock.advance(by: .seconds(2))
                return try await server.request("GET", "/readyz")
            }
        ]

    private static let server: [ProducedCode] = [
        .init(.requestTimeout) { server in
            let client = try await server.client()
            await client.send(Array("GET / HTTP".utf8))
            await server.settle()
            server.home.clock.advance(by: .seconds(11))
            return try require(RawAnswer.all(in: try await client.everything()).last)
        },
        .init(.serverFull, { $0.http.maximumConnections = 1 }) { server in
            _ = try await server.client()
            await server.settle()
            return try await server.say([])
        },
        .init(.methodNotImplemented) { try await $0.request("BREW", "/") },
        .init(.messageTruncated) { server in
            let client = try await server.client()
            await client.send(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel".utf8))
            await client.finishWriting()
            return try require(RawAnswer.all(in: try await client.everything()).last)
        },
    ]

    /// The first row of each code in the readers' own table.
    private static let malformed: [ProducedCode] = {
        var known: Set<String> = []
        return MalformedRequest.all.compactMap { row in
            guard known.insert(row.code).inserted, let code = ProblemCode(rawValue: row.code) else { return nil }
            return ProducedCode(code) { try await $0.say(row.bytes) }
        }
    }()
}
