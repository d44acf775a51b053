import ReportedCases
import ReveilleBytes
import ReveilleFCM
import ReveilleJSON
import ReveilleRuntime
import Testing

@Suite("One access token is shared by all who send for an account")
struct AccessTokensTests {
    private static func at(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(milliseconds: 1_000_000 + seconds * 1_000)
    }

    private static func answer(_ status: Int, _ body: String) -> TokenAnswer {
        Array(body.utf8).withUnsafeBytes { TokenAnswer(status: status, body: $0) }
    }

    private static func token(_ text: String = "opaque", life: Int64 = 3_599) -> TokenAnswer {
        answer(200, "{\"access_token\":\"\(text)\",\"expires_in\":\(life),\"token_type\":\"Bearer\"}")
    }

    /// What to do, in a word that a test can compare.
    private static func word(_ state: AccessTokens.State) -> String {
        switch state {
        case .present(let token): "present \(token.generation)"
        case .ask(let token): token.map { "ask with \($0.generation)" } ?? "ask"
        case .wait: "wait"
        }
    }

    @Test("of a thousand senders one asks, and all send with the answer")
    func singleFlight() {
        var tokens = AccessTokens()
        let words = (0..<1_000).map { _ in Self.word(tokens.state(Self.at(0))) }
        #expect(words.filter { $0 == "ask" }.count == 1 && words.filter { $0 == "wait" }.count == 999)
        tokens.answered(Self.token(), now: Self.at(1), unit: 0)
        let later = (0..<1_000).map { _ in Self.word(tokens.state(Self.at(1))) }
        #expect(later.allSatisfy { $0 == "present 1" })
        #expect(tokens.issuedCount == 1)
    }

    @Test("the header is the token's, octet for octet, and cannot be printed")
    func header() {
        var tokens = AccessTokens()
        _ = tokens.state(Self.at(0))
        tokens.answered(Self.token("ya29.a-b_c"), now: Self.at(0), unit: 0)
        guard case .present(let token) = tokens.state(Self.at(1)) else {
            Issue.record("no token")
            return
        }
        #expect(String(decoding: token.authorization, as: UTF8.self) == "Bearer ya29.a-b_c")
        #expect("\(token)" == "‹access token 1›")
    }

    @Test("it is renewed five minutes before its end, and the old one serves meanwhile")
    func renewal() {
        var tokens = AccessTokens()
        _ = tokens.state(Self.at(0))
        tokens.answered(Self.token(life: 3_600), now: Self.at(0), unit: 0)
        #expect(Self.word(tokens.state(Self.at(3_299))) == "present 1")
        #expect(Self.word(tokens.state(Self.at(3_300))) == "ask with 1")
        #expect(Self.word(tokens.state(Self.at(3_400))) == "present 1")
        #expect(Self.word(tokens.state(Self.at(3_600))) == "wait")
        tokens.answered(Self.token(), now: Self.at(3_601), unit: 0)
        #expect(Self.word(tokens.state(Self.at(3_601))) == "present 2")
    }

    @Test(
        "one that lives shortly serves for half of its life before the next is asked for", arguments: [2, 60, 300, 599])
    func shortLife(seconds: Int64) {
        var tokens = AccessTokens()
        _ = tokens.state(Self.at(0))
        tokens.answered(Self.token(life: seconds), now: Self.at(0), unit: 0)
        #expect(Self.word(tokens.state(Self.at(seconds / 2 - 1))) == "present 1")
        #expect(Self.word(tokens.state(Self.at(seconds / 2 + 1))) == "ask with 1" || seconds == 2)
    }

    @Test("after a failure it is asked again after 1, 2, 4 … seconds and at most five minutes, never at once")
    func pauses() {
        var tokens = AccessTokens()
        var now: Int64 = 0
        for pause in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] as [Int64] {
            #expect(Self.word(tokens.state(Self.at(now))) == "ask")
            tokens.notAnswered(now: Self.at(now), unit: 0.999)
            #expect(Self.word(tokens.state(Self.at(now))) == "wait")
            #expect(tokens.pauseEnd.map { $0 > Self.at(now) && $0 <= Self.at(now + pause) } == true)
            now += pause
        }
        _ = tokens.state(Self.at(now))
        tokens.answered(Self.token(life: 400), now: Self.at(now), unit: 0)
        #expect(tokens.pauseEnd == nil && Self.word(tokens.state(Self.at(now))) == "present 1")
    }

    @Test(
        "a rejected token is replaced once, by one question; when its replacement is rejected too, the account is wrong"
    )
    func rejected() throws {
        let file = try JSONReader.parse(ReportedCase.octets("073-oauth-401-midway"))
        let sends = try #require(file["input"]?["concurrent_sends"]?.integer)
        var tokens = AccessTokens()
        _ = tokens.state(Self.at(0))
        tokens.answered(Self.token(), now: Self.at(0), unit: 0)
        let repeats = (0..<sends).map { _ in tokens.rejected(1) }
        #expect(repeats.allSatisfy { $0 })
        let words = (0..<sends).map { _ in Self.word(tokens.state(Self.at(1))) }
        #expect(words.filter { $0 == "ask" }.count == Int(file["expected"]?["token_requests"]?.integer ?? 0))
        tokens.answered(Self.token(), now: Self.at(2), unit: 0)
        let second = (0..<sends).map { _ in tokens.rejected(2) }
        #expect(second.allSatisfy { !$0 })
        // Nobody is told to repeat, but who comes later, as a probe, comes with another one.
        #expect(Self.word(tokens.state(Self.at(3))) == "ask")
        tokens.answered(Self.token(), now: Self.at(4), unit: 0)
        let third = tokens.rejected(3)
        #expect(!third)
    }

    @Test("a replacement that worked for a while may be replaced again")
    func rejectedLater() {
        var tokens = AccessTokens()
        _ = tokens.state(Self.at(0))
        tokens.answered(Self.token(), now: Self.at(0), unit: 0)
        let first = tokens.rejected(1)
        _ = tokens.state(Self.at(1))
        tokens.answered(Self.token(), now: Self.at(1), unit: 0)
        tokens.accepted(2)
        let second = tokens.rejected(2)
        #expect(first && second)
        // A message that left with the first one tells nothing of the third.
        _ = tokens.state(Self.at(2))
        tokens.answered(Self.token(), now: Self.at(2), unit: 0)
        let late = tokens.rejected(1)
        #expect(late)
        #expect(Self.word(tokens.state(Self.at(3))) == "present 3")
    }

    private static let answers: [(status: Int, body: String, expected: String)] = [
        (200, #"{"access_token":"t","expires_in":3599,"token_type":"Bearer"}"#, "token 3599"),
        (200, #"{"access_token":"t","token_type":"bearer"}"#, "token 3600"),
        (200, #"{"access_token":"t","expires_in":60}"#, "token 60"),
        (200, #"{"access_token":"a b","expires_in":60}"#, "refused NotGoogle"),
        (200, #"{"access_token":"a\r\nx: y","expires_in":60}"#, "refused NotGoogle"),
        (200, #"{"access_token":"","expires_in":60}"#, "refused NotGoogle"),
        (200, #"{"access_token":"t","expires_in":0}"#, "refused NotGoogle"),
        (200, #"{"access_token":"t","expires_in":99999999}"#, "refused NotGoogle"),
        (200, #"{"access_token":"t","token_type":"mac"}"#, "refused NotGoogle"),
        (200, "<html>", "refused NotGoogle"),
        (400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#, "refused InvalidGrant"),
        (401, #"{"error":"invalid_scope"}"#, "refused InvalidScope"),
        (400, #"{"error":"invalid_request"}"#, "refused RefusedGrant"),
        (403, #"{"error":"access_denied"}"#, "refused RefusedGrant"),
        (400, "<html>", "refused NotGoogle"),
        (404, "", "refused NotGoogle"),
        (302, "", "refused NotGoogle"),
        (429, "", "later TokenEndpointBusy"),
        (500, "", "later TokenEndpointBusy"),
        (503, "<html>", "later TokenEndpointBusy"),
    ]

    @Test("an answer is a token, an operator's affair or another time's", arguments: answers.indices)
    func answer(index: Int) {
        let row = Self.answers[index]
        let found =
            switch Self.answer(row.status, row.body) {
            case .token(_, let life): "token \(life)"
            case .later(let reason): "later \(reason.rawValue)"
            case .refused(let reason): "refused \(reason.rawValue)"
            }
        #expect(found == row.expected)
    }

    @Test("a clock that is wrong is an operator's affair, and is not asked about in a tight loop")
    func clockSkew() throws {
        let file = try JSONReader.parse(ReportedCase.octets("072-oauth-clock-skew"))
        let reply = try #require(file["input"]?["reply"])
        let body = try #require(reply["body"]).encoded()
        let answer = body.withUnsafeBytes { TokenAnswer(status: Int(reply["status"]?.integer ?? 0), body: $0) }
        guard case .refused(.invalidGrant) = answer else {
            Issue.record("\(answer)")
            return
        }
        var tokens = AccessTokens()
        _ = tokens.state(Self.at(0))
        tokens.answered(answer, now: Self.at(0), unit: 0)
        #expect(Self.word(tokens.state(Self.at(0))) == "wait")
    }
}
