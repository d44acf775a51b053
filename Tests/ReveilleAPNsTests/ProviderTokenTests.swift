import ReveilleAPNs
import ReveilleCrypto
import ReveilleJSON
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Provider tokens are signed once, shared and renewed in time")
struct ProviderTokenTests {
    private let clock = ManualClock(wall: WallInstant(milliseconds: 1_767_225_600_700))
    private let key = P256PrivateKey.generate()

    private func tokens(renewAfter: Duration? = nil) throws -> ProviderTokens {
        var limits = ProviderTokens.Limits()
        if let renewAfter { limits.renewAfter = renewAfter }
        return ProviderTokens(
            credential: try APNsCredential(teamID: "TEAMID6789", keyID: "KEYID12345", key: key), limits: limits,
            wallClock: clock, clock: clock)
    }

    private func text(_ token: ProviderToken) -> String { String(decoding: token.authorization, as: UTF8.self) }

    @Test("a token has Apple's header and claims and nothing else, and verifies")
    func form() throws {
        let text = text(try tokens().current())
        #expect(text.hasPrefix("bearer "))
        let (header, claims) = try JWT.verifyES256(String(text.dropFirst(7))) { kid in
            kid == "KEYID12345" ? key.publicKey : nil
        }
        #expect(header == .object(["alg": .string("ES256"), "kid": .string("KEYID12345")]))
        #expect(claims == .object(["iss": .string("TEAMID6789"), "iat": .integer(1_767_225_600)]))
    }

    @Test("a thousand sends over 19 minutes share one token")
    func notPerRequest() throws {
        let file = try CaseFile("012-jwt-per-request")
        let sends = try #require(file.input["sends"]?.integer)
        let spread = try #require(file.input["spread_over_seconds"]?.integer)
        let tokens = try tokens()
        var seen: Set<String> = []
        for _ in 0..<sends {
            seen.insert(text(tokens.current()))
            clock.advance(by: .milliseconds(spread * 1_000 / sends))
        }
        #expect(Int64(seen.count) == file.expected["distinct_authorization_values"]?.integer)
    }

    @Test("many who come at once when it is time get the same new token, signed once")
    func stampede() async throws {
        let file = try CaseFile("013-jwt-mint-stampede")
        let workers = try #require(file.input["workers"]?.integer)
        let tokens = try tokens(renewAfter: .seconds(3_000))
        let first = tokens.current()
        clock.advance(by: .seconds(try #require(file.input["token_age_seconds_at_call"]?.integer)))
        let generations = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<workers { group.addTask { tokens.current().generation } }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(generations == [first.generation + 1])
        #expect(Int64(tokens.signedCount - 1) == file.expected["tokens_signed"]?.integer)
    }

    @Test("one token serves every topic of its key")
    func topics() throws {
        let file = try CaseFile("014-jwt-per-topic")
        let tokens = try tokens()
        let sends = try #require(file.input["sends"]?.array)
        #expect(
            Int64(Set(sends.map { _ in text(tokens.current()) }).count)
                == file.expected["distinct_authorization_values"]?.integer)
        #expect(tokens.signedCount == 1)
    }

    @Test("age counts from the signing")
    func origin() throws {
        let file = try CaseFile("015-jwt-refresh-timer-origin")
        let tokens = try tokens(renewAfter: .seconds(try #require(file.input["refresh_after_seconds"]?.integer)))
        var now: Int64 = 0
        var mints: [Int64] = []
        for step in try #require(file.input["timeline_seconds"]?.array) {
            let step = try #require(step.object)
            let time = try #require(step["t"]?.integer)
            clock.advance(by: .seconds(time - now))
            now = time
            guard step["event"]?.text != "client created" else { continue }
            let before = tokens.signedCount
            _ = tokens.current()
            if tokens.signedCount > before { mints.append(time) }
        }
        #expect(mints.map { JSONValue.integer($0) } == file.expected["mint_times"]?.array)
    }

    @Test("it is renewed at 45 minutes, not before")
    func renewal() throws {
        let tokens = try tokens()
        let first = tokens.current()
        clock.advance(by: .seconds(45 * 60 - 1))
        #expect(tokens.current() === first)
        clock.advance(by: .seconds(1))
        #expect(tokens.current() !== first)
        #expect(tokens.current().issuedAt.seconds == first.issuedAt.seconds + 45 * 60)
    }

    @Test("time asleep counts: the clock of ages runs through suspend")
    func suspend() throws {
        let tokens = try tokens()
        let first = tokens.current()
        clock.advance(by: .seconds(86_400))
        #expect(tokens.current() !== first)
    }

    @Test("a token that Apple calls expired is renewed once it is 20 minutes old, never sooner")
    func expired() throws {
        let tokens = try tokens()
        let first = tokens.current()
        clock.advance(by: .seconds(20 * 60 - 1))
        #expect(tokens.renewed(after: first) == nil)
        #expect(tokens.current() === first)
        clock.advance(by: .seconds(1))
        let second = try #require(tokens.renewed(after: first))
        #expect(second !== first)
        // Whoever else was refused with the old one takes the new one; nobody makes a third.
        #expect(tokens.renewed(after: first) === second)
        #expect(tokens.renewed(after: second) == nil)
        #expect(tokens.signedCount == 2)
    }

    @Test("after the wall clock jumped far ahead the token is really old, and is renewed at once when Apple says so")
    func jumpAhead() throws {
        let tokens = try tokens()
        let first = tokens.current()
        clock.advance(by: .seconds(60))
        clock.jumpWall(by: .seconds(56 * 60))
        // Not by itself: the jump may be the fault.
        #expect(tokens.current() === first)
        let second = try #require(tokens.renewed(after: first))
        #expect(second.issuedAt.seconds == first.issuedAt.seconds + 57 * 60)
    }

    @Test("after a jump of the wall clock it is renewed as soon as 20 minutes allow", arguments: [3_600, -3_600])
    func jumpThenRenewal(seconds: Int) throws {
        let tokens = try tokens()
        let first = tokens.current()
        clock.jumpWall(by: .seconds(seconds))
        clock.advance(by: .seconds(20 * 60 - 1))
        #expect(tokens.current() === first)
        clock.advance(by: .seconds(1))
        #expect(tokens.current() !== first)
    }

    @Test("never two within 20 minutes, whatever the clocks do", arguments: TestSeed.both)
    func neverTwice(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        let tokens = try tokens()
        var signings: [MonotonicInstant] = []
        var token = tokens.current()
        signings.append(token.signedAt)
        for _ in 0..<TestScale.count(20_000) {
            clock.advance(by: .seconds(random.uniform(0..<400)))
            if random.uniform(0..<10) == 0 { clock.jumpWall(by: .seconds(random.uniform(-3_000..<3_000))) }
            let next = random.uniform(0..<3) == 0 ? tokens.renewed(after: token) ?? token : tokens.current()
            if next !== token {
                let age = next.signedAt.duration(since: token.signedAt)
                // `issuedAt` is whole seconds; the rule looks at the clock.
                let apparent = (clock.now() as WallInstant).duration(since: token.issuedAt)
                #expect(age >= .seconds(20 * 60) || apparent > .seconds(55 * 60), TestSeed.comment(seed))
                token = next
            }
        }
        #expect(tokens.signedCount > 10, TestSeed.comment(seed))
    }

    @Test("a token cannot be printed")
    func secret() throws {
        let token = try tokens().current()
        let secret = text(token).dropFirst(7).prefix(20)
        for text in ["\(token)", String(reflecting: token), String(describing: Optional(token))] {
            #expect(!text.contains(secret))
        }
        #expect(Mirror(reflecting: token).children.isEmpty)
    }

    @Test(
        "ids that are not ten capital letters and digits are refused",
        arguments: [
            ("TEAMID6789", "KEYID12345", nil), ("", "KEYID12345", .invalidTeamID),
            ("TEAMID678", "KEYID12345", .invalidTeamID), ("teamid6789", "KEYID12345", .invalidTeamID),
            ("TEAMID67890", "KEYID12345", .invalidTeamID), ("TEAMID6789", "KEYID1234\"", .invalidKeyID),
            ("TEAMID6789", "KEYID 1234", .invalidKeyID), ("TEAMID6789", "KEYID1234é", .invalidKeyID),
        ] as [(String, String, APNsCredentialError?)])
    func ids(team: String, key: String, error: APNsCredentialError?) {
        let made = Result { () throws(APNsCredentialError) in
            try APNsCredential(teamID: team, keyID: key, key: self.key)
        }
        switch made {
        case .success: #expect(error == nil)
        case .failure(let found): #expect(found == error)
        }
    }
}
