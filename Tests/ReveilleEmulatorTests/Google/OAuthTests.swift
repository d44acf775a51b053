import RawSockets
import ReveilleBytes
import ReveilleEmulator
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("The emulated token endpoint", .timeLimit(.minutes(5)))
struct OAuthTests {
    @Test("gives an opaque token for a signed assertion, and the token runs out")
    func grants() async throws {
        try await withGoogle { bench in
            let answer = try await bench.grant(fcmKey.assertion(bench.claims()))
            #expect(answer.status == 200)
            #expect(answer.json?["token_type"] == "Bearer")
            #expect(answer.json?["expires_in"] == 3599)
            let token = try #require(answer.json?["access_token"]?.string)
            #expect(try await bench.push(#"{"message":{"token":"a"}}"#, token: token).status == 200)
            bench.clock.jumpWall(by: .seconds(3598))
            #expect(try await bench.push(#"{"message":{"token":"a"}}"#, token: token).status == 200)
            bench.clock.jumpWall(by: .seconds(1))
            let late = try await bench.push(#"{"message":{"token":"a"}}"#, token: token)
            #expect(late.status == 401)
            #expect(late.json?["error"]?["status"] == "UNAUTHENTICATED")
            #expect(detail("FcmError", in: late) == nil)
            #expect(await bench.emulator.counters().granted == 1)
        }
    }

    @Test("takes Google's own audience, for key files that are not changed")
    func googleAudience() async throws {
        try await withGoogle { bench in
            let claims = bench.claims(aud: "https://oauth2.googleapis.com/token")
            let answer = try await bench.grant(fcmKey.assertion(claims))
            #expect(answer.status == 200)
        }
    }

    @Test("refuses what Google refuses, in Google's words")
    func refuses() async throws {
        try await withGoogle { bench in
            let other = GoogleServiceAccountKey(projectID: "test-project")
            let header = #"{"alg":"RS256","typ":"JWT","kid":"ffff"}"#
            let table: [(String, String, String)] = [
                (other.assertion(bench.claims()), "invalid_grant", "assertion_signature"),
                (fcmKey.assertion(bench.claims(), header: header), "invalid_grant", "assertion_signature"),
                (fcmKey.assertion(bench.claims(), header: #"{"alg":"none"}"#), "invalid_grant", "assertion_signature"),
                (fcmKey.assertion(bench.claims(iss: "a@b.example")), "invalid_grant", "account_unknown"),
                (
                    fcmKey.assertion(bench.claims(aud: "https://example.org/token")), "invalid_grant",
                    "assertion_audience"
                ),
                (fcmKey.assertion(bench.claims(lifetime: 3601)), "invalid_grant", "assertion_time"),
                (fcmKey.assertion(bench.claims(issuedAgo: 3661)), "invalid_grant", "assertion_time"),
                (fcmKey.assertion(bench.claims(issuedAgo: -61)), "invalid_grant", "assertion_time"),
                (fcmKey.assertion(bench.claims(scope: "email")), "invalid_scope", "assertion_scope"),
                (
                    fcmKey.assertion(bench.claims(scope: "https://www.googleapis.com/auth/drive")), "invalid_scope",
                    "assertion_scope"
                ),
                ("a.b", "invalid_grant", "assertion_malformed"),
            ]
            for (assertion, error, rule) in table {
                let answer = try await bench.grant(assertion)
                #expect(answer.status == 400, "\(rule)")
                #expect(answer.json?["error"]?.string == error, "\(rule)")
                #expect(answer.json?["error_description"]?.string?.isEmpty == false)
                #expect(await bench.emulator.seen().last?.brokenRule == rule)
            }
            let wrong = try await bench.grant(fcmKey.assertion(bench.claims()), grantType: "password")
            #expect(wrong.json?["error"] == "unsupported_grant_type")
            #expect(await bench.emulator.counters().granted == 0)
        }
    }

    @Test("writes a key file that points at itself and is a whole key")
    func file() async throws {
        let text = fcmKey.file(tokenURI: "https://localhost:1/token").reveal()
        let file = try JSONReader.parse(Array(text.utf8))
        #expect(file["type"] == "service_account")
        #expect(file["token_uri"] == "https://localhost:1/token")
        #expect(file["project_id"] == "test-project")
        #expect(file["private_key"]?.string?.hasPrefix("-----BEGIN PRIVATE KEY-----\n") == true)
    }

    @Test("forgets tokens and accounts on command")
    func revokes() async throws {
        try await withGoogle { bench in
            let token = try await bench.accessToken()
            try await bench.control("DELETE", "/tokens")
            #expect(try await bench.push(#"{"message":{"token":"a"}}"#, token: token).status == 401)
            try await bench.control("POST", "/accounts/\(fcmKey.account.clientEmail)", #"{"may_send":false}"#)
            let denied = try await bench.push(#"{"message":{"token":"a"}}"#)
            #expect(denied.status == 403)
            #expect(detail("FcmError", in: denied) == nil)
            try await bench.control("DELETE", "/accounts/\(fcmKey.account.clientEmail)")
            let gone = try await bench.grant(fcmKey.assertion(bench.claims()))
            #expect(gone.json?["error_description"] == "Invalid grant: account not found")
        }
    }
}
