import ReveilleBytes
import ReveilleCrypto
import ReveilleEndpoints
import ReveilleJSON
import ReveilleRuntime
import ReveilleTesting
import ReveilleWebPush
import Testing

@Suite("Tokens by which push services know the server")
struct VAPIDTokensTests {
    private static func tokens(_ clock: ManualClock, _ key: VAPIDKey = .generate()) throws -> VAPIDTokens {
        let subject = try #require(VAPIDSubject("mailto:push@example.org"))
        return VAPIDTokens(key: key, subject: subject, wallClock: clock, clock: clock)
    }

    private static func text(_ token: VAPIDToken) -> String { String(decoding: token.authorization, as: UTF8.self) }

    /// Takes the value of `authorization` apart and verifies its token.
    private static func verified(_ text: String) throws -> (claims: JSONObject, header: JSONObject, key: String) {
        let parts = text.wholeMatch(of: /vapid t=([^,]+), ?k=([A-Za-z0-9_-]{87})/)
        let (jwt, key) = (try #require(parts?.output.1), try #require(parts?.output.2))
        let point = try P256PublicKey(x963: try #require(Base64URL.decode(key)))
        let token = try JWT.verifyES256(String(jwt)) { _ in point }
        return (try #require(token.claims.object), try #require(token.header.object), String(key))
    }

    @Test("the example of RFC 8292 verifies here too, and ours has its form")
    func example() throws {
        let vector = try #require(WebPushVectors.list("rfc8292").first)
        let theirs = try Self.verified(try #require(vector["authorization"]?.string))
        let clock = ManualClock()
        let ours = try Self.verified(Self.text(try Self.tokens(clock).current(for: "https://push.example.net")))
        #expect(ours.header == theirs.header)
        #expect(ours.claims.members.map(\.0) == theirs.claims.members.map(\.0))
    }

    @Test("audience, subject, end and key are those that were asked for")
    func claims() throws {
        let (clock, key) = (ManualClock(), VAPIDKey.generate())
        let token = try Self.verified(
            Self.text(try Self.tokens(clock, key).current(for: "https://up.example.org:8443")))
        #expect(token.claims["aud"] == .string("https://up.example.org:8443"))
        #expect(token.claims["sub"] == .string("mailto:push@example.org"))
        #expect(token.claims["exp"] == .integer(clock.wallSeconds + 12 * 3_600))
        #expect(token.key == key.publicKey)
    }

    @Test("the audience of each vector is the origin of its endpoint")
    func audiences() throws {
        let vectors = WebPushVectors.list("vapid_audience")
        #expect(vectors.count == 9)
        var read = 0
        for vector in vectors {
            let text = try #require(vector["endpoint"]?.string)
            // An internationalised name must come as an A-label.
            guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
                #expect(throws: EndpointFault.nonASCII) { try EndpointURL(text, kind: .webPush) }
                continue
            }
            #expect(try EndpointURL(text, kind: .webPush).origin == vector["aud"]?.string)
            read += 1
        }
        #expect(read == 8)
    }

    @Test("one signature serves an origin until half of the token's life is over")
    func reuse() throws {
        let clock = ManualClock()
        let tokens = try Self.tokens(clock)
        let first = tokens.current(for: "https://a.example.org")
        #expect(tokens.current(for: "https://a.example.org") === first)
        #expect(tokens.current(for: "https://b.example.org") !== first)
        #expect(tokens.signedCount == 2)
        clock.advance(by: .seconds(6 * 3_600 - 1))
        #expect(tokens.current(for: "https://a.example.org") === first)
        clock.advance(by: .seconds(1))
        let second = tokens.current(for: "https://a.example.org")
        #expect(second !== first)
        #expect(tokens.signedCount == 3)
    }

    @Test(
        "a wall clock that was set makes a new token at once when services would no longer take the old one",
        arguments: [(-13, 2), (13, 2), (-1, 1), (1, 1), (7, 1)])
    func jumps(hours: Int, signed: Int) throws {
        let clock = ManualClock()
        let tokens = try Self.tokens(clock)
        _ = tokens.current(for: "https://a.example.org")
        clock.jumpWall(by: .seconds(hours * 3_600))
        _ = tokens.current(for: "https://a.example.org")
        #expect(tokens.signedCount == signed)
    }

    @Test("a token that still serves is not renewed within an hour, as Apple asks")
    func hour() throws {
        let clock = ManualClock()
        let tokens = try Self.tokens(clock)
        _ = tokens.current(for: "https://web.push.apple.com")
        clock.jumpWall(by: .seconds(7 * 3_600))
        clock.advance(by: .seconds(3_599))
        _ = tokens.current(for: "https://web.push.apple.com")
        #expect(tokens.signedCount == 1)
        clock.advance(by: .seconds(1))
        _ = tokens.current(for: "https://web.push.apple.com")
        #expect(tokens.signedCount == 2)
    }

    @Test("tokens print nothing of themselves")
    func silent() throws {
        let token = try Self.tokens(ManualClock()).current(for: "https://canary.example.org")
        #expect("\(token) \(String(reflecting: token)) \(Optional(token) as Any)".contains("eyJ") == false)
    }

    @Test(
        "subjects that push services take",
        arguments: [
            "mailto:push@example.org", "mailto:a.b+c@Mail.example.org", "https://example.org/contact",
            "https://example.org",
        ])
    func subjects(_ text: String) throws { #expect(VAPIDSubject(text)?.text == text) }

    @Test(
        "subjects that they do not take",
        arguments: [
            "", "mailto:", "mailto:x", "mailto:@example.org", "mailto:mailto:x@example.org", "mailto:a@localhost",
            "mailto:a@b@example.org", "mailto:a b@example.org", "mailto:<a@example.org>", "https://localhost",
            "https://127.0.0.1/", "http://example.org", "push@example.org", "https://a@example.org",
            "mailto:a@example.org\n",
            "mailto:" + String(repeating: "a", count: 320) + "@example.org", "mailto:é@example.org",
        ])
    func otherSubjects(_ text: String) { #expect(VAPIDSubject(text) == nil) }
}

extension ManualClock {
    /// The wall clock in whole seconds.
    var wallSeconds: Int64 {
        let now: WallInstant = now()
        return now.seconds
    }
}
