import Foundation
import ReportedCases
import ReveilleBytes
import ReveilleCrypto
import ReveilleFCM
import ReveilleJSON
import ReveilleRuntime
import Testing

@Suite("An access token is asked for with an assertion of its own time")
struct TokenGrantTests {
    private static func claims(_ assertion: String, _ account: ServiceAccount) throws -> JWT.Verified {
        try JWT.verifyRS256(assertion) { $0 == account.keyID ? account.key.publicKey : nil }
    }

    @Test("the assertion names account, scope, endpoint and an hour from now, and is signed with the account's key")
    func assertion() throws {
        let account = try ServiceAccounts.account()
        let token = try Self.claims(TokenGrant.assertion(account, now: WallInstant(seconds: 1_767_225_600)), account)
        #expect(token.header == ["alg": "RS256", "typ": "JWT", "kid": "0000testonly"])
        #expect(
            token.claims == [
                "iss": "push@example-test.iam.gserviceaccount.com",
                "scope": "https://www.googleapis.com/auth/firebase.messaging",
                "aud": "https://oauth2.googleapis.com/token", "iat": 1_767_225_600, "exp": 1_767_229_200,
            ])
    }

    @Test("it is the vector's, octet for octet")
    func vector() throws {
        let url = try #require(Bundle.module.url(forResource: "Vectors/assertion", withExtension: "json"))
        let vector = try JSONReader.parse(Array(Data(contentsOf: url)))
        let file = try #require(vector["service_account"]).encoded()
        let account = try ServiceAccount(SecretText(String(decoding: file, as: UTF8.self)))
        let now = WallInstant(seconds: try #require(vector["now"]?.integer))
        #expect(TokenGrant.assertion(account, now: now) == vector["assertion"]?.string)
    }

    @Test("a file without a key id makes an assertion without one")
    func noKeyID() throws {
        let account = try ServiceAccount(ServiceAccounts.text(replacing: ["private_key_id": nil]))
        let token = try Self.claims(TokenGrant.assertion(account, now: WallInstant(seconds: 1)), account)
        #expect(token.header == ["alg": "RS256", "typ": "JWT"])
    }

    @Test("each renewal has the time of its own")
    func renewals() throws {
        let file = try JSONReader.parse(ReportedCase.octets("071-oauth-assertion-reused"))
        let times = try #require(file["input"]?["refresh_at"]?.array).compactMap(\.integer)
        let expected = try #require(file["expected"]?["assertion_iat"]?.array).compactMap(\.integer)
        let account = try ServiceAccounts.account()
        let tokens = try times.map {
            try Self.claims(TokenGrant.assertion(account, now: WallInstant(seconds: $0)), account).claims
        }
        #expect(times.count == 3 && tokens.compactMap { $0["iat"]?.integer } == expected)
        for token in tokens {
            #expect(
                try #require(token["exp"]?.integer) - #require(token["iat"]?.integer)
                    == file["expected"]?["exp_minus_iat"]?.integer)
        }
    }

    @Test("the body is the form of RFC 7523")
    func body() throws {
        let account = try ServiceAccounts.account()
        let body = String(decoding: TokenGrant.body(account, now: WallInstant(seconds: 5)), as: UTF8.self)
        #expect(
            body == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
                + TokenGrant.assertion(account, now: WallInstant(seconds: 5)))
    }
}
