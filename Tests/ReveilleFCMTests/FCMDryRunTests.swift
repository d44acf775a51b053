import LaneTesting
import ReveilleCore
import ReveilleFCM
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

@Suite("A dry run tells whether account, project and token fit together", .timeLimit(.minutes(5)))
struct FCMDryRunTests {
    private static let message = #"{"validate_only":true,"message":{"token":"abc"}}"#

    /// Has a message checked by real clients in front of scripted servers.
    private static func run(
        oauth: ScriptedReply, fcm: ScriptedReply = acceptedMessage
    ) async throws -> (answer: FCMDryRun.Answer, seen: [HTTPRequest]) {
        try await withEventLoop { loop in
            let server = try ScriptedServer(on: loop, names: ["localhost"])
            server.answer { $0.path == "/token" ? oauth : fcm }
            try await server.start()
            let tls = try TLSContext(
                client: TLSClientConfiguration(
                    alpn: ["h2"], extraAuthorityPEM: server.authorityPEM, trustsSystemRoots: false))
            let account = try ServiceAccounts.account(tokenURL: "https://localhost:\(server.address.port)/token")
            let place = try #require(account.tokenPlace)
            let client = HTTPClient(
                origin: place.origin, tls: tls, loop: loop, resolver: ScriptedResolver([server.address]))
            let send: TokenExchange = { request async throws(ClientError) in try await client.send(request) }
            let answer = await FCMDryRun(account: account, exchange: send, send: send).check(Array(message.utf8))
            await client.close()
            await server.stop()
            return (answer, server.seen.value)
        }
    }

    private static let token = ScriptedReply(200, #"{"access_token":"abc","expires_in":3599,"token_type":"Bearer"}"#)

    @Test("the message is sent as it is, with a token of its own")
    func accepted() async throws {
        let (answer, seen) = try await Self.run(oauth: Self.token)
        #expect(answer == FCMDryRun.Answer(outcome: .accepted, status: 200))
        let account = try ServiceAccounts.account()
        #expect(seen.map(\.target) == ["/token", "/v1/projects/\(account.project)/messages:send"])
        #expect(seen.last?.fields["authorization"] == "Bearer abc")
        #expect(seen.last.map { String(decoding: $0.body, as: UTF8.self) } == Self.message)
    }

    @Test("what is wrong is said as to a lane, and nothing is repeated")
    func refused() async throws {
        let grant = try await Self.run(oauth: ScriptedReply(400, #"{"error":"invalid_grant"}"#))
        #expect(
            grant.answer
                == FCMDryRun.Answer(
                    outcome: .misconfigured(reason: ProviderReason("InvalidGrant"), scope: .lane), status: 0))
        #expect(grant.seen.count == 1)
        let token = try await Self.run(oauth: Self.token, fcm: googleError(401, "UNAUTHENTICATED"))
        #expect(
            token.answer
                == FCMDryRun.Answer(
                    outcome: .misconfigured(reason: ProviderReason("UNAUTHENTICATED"), scope: .lane), status: 401))
        let device = try await Self.run(
            oauth: Self.token,
            fcm: googleError(
                400, "INVALID_ARGUMENT", details: fcmError("INVALID_ARGUMENT") + "," + violation("message.token")))
        #expect(
            device.answer.outcome == .deviceGone(reason: ProviderReason("InvalidToken"), sinceMilliseconds: nil))
    }

    @Test(
        "a token URL leads to an origin and a path, or nowhere",
        arguments: [
            ("https://oauth2.googleapis.com/token", "/token"), ("https://localhost:8443", "/"),
            ("http://127.0.0.1:1/a/b", "/a/b"), ("ftp://x/", nil), ("token", nil), ("https:///token", nil),
        ] as [(String, String?)])
    func place(url: String, path: String?) throws {
        let account = try ServiceAccounts.account(tokenURL: url)
        #expect(account.tokenPlace?.path == path)
    }
}
