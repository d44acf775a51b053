import ReveilleBytes
import ReveilleCrypto
import ReveilleEmulator
import ReveilleJSON
import ReveilleTesting
import Testing

@Suite("Provider tokens are verified as Apple does")
struct ProviderTokenTests {
    /// An `authorization` field that is wrong in one way.
    struct WrongToken: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: AppleReason
        let detail: AppleRefusal.Detail
        let make: @Sendable (Workbench) -> String?

        init(
            _ name: String, _ detail: AppleRefusal.Detail,
            _ reason: AppleReason = .invalidProviderToken,
            _ make: @escaping @Sendable (Workbench) -> String?
        ) {
            self.name = name
            self.detail = detail
            self.reason = reason
            self.make = make
        }

        var testDescription: String { name }
    }

    private static func claims(_ bench: Workbench) -> JSONValue {
        ["iss": .string(TestKey.teamID), "iat": .integer(bench.now)]
    }

    private static let header: JSONValue = ["alg": "ES256", "kid": .string(TestKey.keyID)]

    static let wrong: [WrongToken] = [
        .init("none", .authorizationIsMissing, .missingProviderToken) { _ in nil },
        .init("another scheme", .authorizationIsNotBearer) { "basic " + $0.bearer.dropFirst(7) },
        .init("no scheme", .authorizationIsNotBearer) { String($0.bearer.dropFirst(7)) },
        .init("no parts", .jwtIsMalformed) { _ in "bearer x" },
        .init("two parts", .jwtIsMalformed) { bench in
            String(bench.bearer[..<(bench.bearer.lastIndex(of: ".") ?? bench.bearer.endIndex)])
        },
        .init("padding", .jwtIsMalformed) { $0.bearer + "=" },
        .init("alg none", .jwtAlgorithmIsWrong) { bench in
            bench.key.bearer(
                header: ["alg": "none", "kid": .string(TestKey.keyID)], claims: Self.claims(bench))
        },
        .init("alg HS256", .jwtAlgorithmIsWrong) { bench in
            bench.key.bearer(
                header: ["alg": "HS256", "kid": .string(TestKey.keyID)], claims: Self.claims(bench))
        },
        .init("an unknown key", .jwtKeyIsUnknown) { bench in
            bench.key.bearer(
                header: ["alg": "ES256", "kid": "OTHERKEY12"], claims: Self.claims(bench))
        },
        .init("no key", .jwtKeyIsUnknown) { bench in
            bench.key.bearer(header: ["alg": "ES256"], claims: Self.claims(bench))
        },
        .init("signed with another key", .jwtSignatureIsWrong) { bench in
            TestKey().bearer(issuedAt: bench.now)
        },
        .init("claims changed after signing", .jwtSignatureIsWrong) { bench in
            let parts = bench.bearer.dropFirst(7).split(separator: ".")
            let claims = Base64URL.encode(Array(#"{"iss":"TEAMID6789","iat":\#(bench.now + 1)}"#.utf8))
            return "bearer \(parts[0]).\(claims).\(parts[2])"
        },
        .init("another team", .jwtIssuerIsWrong) { bench in
            bench.key.bearer(
                header: Self.header, claims: ["iss": "OTHERTEAM1", "iat": .integer(bench.now)])
        },
        .init("no team", .jwtIssuerIsWrong) { bench in
            bench.key.bearer(header: Self.header, claims: ["iat": .integer(bench.now)])
        },
        .init("no time", .jwtTimeIsMissing) { bench in
            bench.key.bearer(header: Self.header, claims: ["iss": .string(TestKey.teamID)])
        },
        .init("a time with a fraction", .jwtTimeIsMissing) { bench in
            bench.key.bearer(
                header: Self.header,
                claims: ["iss": .string(TestKey.teamID), "iat": JSONValue(Double(bench.now) + 0.5)])
        },
        .init("61 seconds early", .jwtIsFromTheFuture) { $0.key.bearer(issuedAt: $0.now + 61) },
        .init("3601 seconds old", .jwtIsTooOld, .expiredProviderToken) {
            $0.key.bearer(issuedAt: $0.now - 3601)
        },
    ]

    @Test("a wrong token is refused", .timeLimit(.minutes(5)), arguments: wrong)
    func refused(row: WrongToken) async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let reply = try await client.send(TestPush(row.make(bench)))
            #expect(
                reply.withoutIDs == .answer(403, #"{"reason":"\#(row.reason.rawValue)"}"#))
            let counters = await bench.apple.counters()
            #expect(counters.refusals == [row.detail: 1])
            #expect(await client.streamLimit == 1)
        }
    }

    @Test(
        "a right token is accepted up to its limits", .timeLimit(.minutes(5)),
        arguments: [-3600, -1, 0, 60] as [Int64])
    func accepted(age: Int64) async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let push = TestPush(bench.key.bearer(issuedAt: bench.now + age))
            #expect(try await client.send(push).status == 200)
        }
    }

    @Test("the scheme may be written in any case", .timeLimit(.minutes(5)))
    func scheme() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let push = TestPush("Bearer " + bench.bearer.dropFirst(7))
            #expect(try await client.send(push).status == 200)
        }
    }

    @Test("a token grows old on an open connection", .timeLimit(.minutes(5)))
    func ages() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let push = bench.push
            #expect(try await client.send(push).status == 200)
            bench.clock.advance(by: .seconds(3601))
            let reply = try await client.send(push)
            #expect(reply.withoutIDs == .answer(403, #"{"reason":"ExpiredProviderToken"}"#))
        }
    }

    @Test("a token renewed after twenty minutes is taken, the one before too", .timeLimit(.minutes(5)))
    func renewal() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let old = bench.push
            #expect(try await client.send(old).status == 200)
            bench.clock.advance(by: .seconds(1200))
            #expect(try await client.send(bench.push).status == 200)
            #expect(try await client.send(old).status == 200)
            #expect(await bench.apple.counters().providerTokens == 2)
        }
    }

    @Test("a token renewed sooner is one too many, and the present one stays good", .timeLimit(.minutes(5)))
    func renewedTooSoon() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let present = bench.push
            #expect(try await client.send(present).status == 200)
            bench.clock.advance(by: .seconds(1199))
            let reply = try await client.send(bench.push)
            #expect(reply.withoutIDs == .answer(429, #"{"reason":"TooManyProviderTokenUpdates"}"#))
            #expect(try await client.send(present).status == 200)
        }
    }

    @Test("the same claims signed again are the same token", .timeLimit(.minutes(5)))
    func sameClaims() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            let (first, second) = (bench.push, bench.push)
            #expect(first.authorization != second.authorization)
            #expect(try await client.send(first).status == 200)
            #expect(try await client.send(second).status == 200)
        }
    }

    @Test("keys that are not related do not share a connection", .timeLimit(.minutes(5)))
    func unrelatedKeys() async throws {
        var other = TestKey()
        other.keyID = "OTHERKEY12"
        let otherKey = other
        try await withApple { configuration, key in
            configuration.providerTokens = .signedBy([key.registered(), otherKey.registered()])
        } _: { bench in
            let client = try await bench.connect()
            #expect(try await client.send(bench.push).status == 200)
            let push = TestPush(otherKey.bearer(issuedAt: bench.now))
            let reply = try await client.send(push)
            #expect(reply.withoutIDs == .answer(403, #"{"reason":"UnrelatedKeyIdInToken"}"#))
            let fresh = try await bench.connect()
            #expect(try await fresh.send(push).status == 200)
        }
    }

    @Test("related keys share a connection", .timeLimit(.minutes(5)))
    func relatedKeys() async throws {
        var other = TestKey()
        other.keyID = "OTHERKEY12"
        let otherKey = other
        try await withApple { configuration, key in
            configuration.providerTokens = .signedBy([
                key.registered(family: "a"), otherKey.registered(family: "a"),
            ])
        } _: { bench in
            let client = try await bench.connect()
            #expect(try await client.send(bench.push).status == 200)
            let push = TestPush(otherKey.bearer(issuedAt: bench.now))
            #expect(try await client.send(push).status == 200)
        }
    }

    @Test("a key is good in its environments only", .timeLimit(.minutes(5)))
    func environments() async throws {
        try await withApple { configuration, key in
            configuration.providerTokens = .signedBy([key.registered(environments: [.sandbox])])
        } _: { bench in
            let production = try await bench.connect(.production)
            let reply = try await production.send(bench.push)
            #expect(reply.withoutIDs == .answer(403, #"{"reason":"BadEnvironmentKeyIdInToken"}"#))
            let sandbox = try await bench.connect(.sandbox)
            #expect(try await sandbox.send(bench.push).status == 200)
        }
    }

    @Test("a topic-specific key is good for its topics only", .timeLimit(.minutes(5)))
    func topics() async throws {
        try await withApple { configuration, key in
            configuration.bundleIDs = nil
            configuration.providerTokens = .signedBy([key.registered(topics: ["org.example.a"])])
        } _: { bench in
            let client = try await bench.connect()
            let reply = try await client.send(bench.push.with { $0.topic = "org.example.b" })
            #expect(reply.withoutIDs == .answer(400, #"{"reason":"TopicDisallowed"}"#))
            #expect(try await client.send(bench.push.with { $0.topic = "org.example.a" }).status == 200)
        }
    }

    @Test("a revoked key is refused on connections that used it", .timeLimit(.minutes(5)))
    func revoked() async throws {
        try await withApple { bench in
            let client = try await bench.connect()
            #expect(try await client.send(bench.push).status == 200)
            await bench.apple.accept(.signedBy([]))
            let reply = try await client.send(bench.push)
            #expect(reply.withoutIDs == .answer(403, #"{"reason":"InvalidProviderToken"}"#))
        }
    }

    @Test("with any key the form and the age of a token still count", .timeLimit(.minutes(5)))
    func anyKey() async throws {
        try await withApple { configuration, _ in
            configuration.providerTokens = .anyKey
        } _: { bench in
            let client = try await bench.connect()
            let stranger = TestKey()
            #expect(try await client.send(TestPush(stranger.bearer(issuedAt: bench.now))).status == 200)
            let old = TestPush(stranger.bearer(issuedAt: bench.now - 3601))
            #expect(try await client.send(old).status == 403)
            #expect(try await client.send(TestPush("bearer x.y.z")).status == 403)
            var short = stranger
            short.teamID = "SHORT"
            #expect(try await client.send(TestPush(short.bearer(issuedAt: bench.now))).status == 403)
        }
    }

    @Test("unchecked, any bearer text will do", .timeLimit(.minutes(5)))
    func unchecked() async throws {
        try await withApple { configuration, _ in
            configuration.providerTokens = .unchecked
        } _: { bench in
            let client = try await bench.connect()
            #expect(try await client.send(TestPush("bearer x")).status == 200)
            #expect(try await client.send(TestPush("bearer y")).status == 200)
            #expect(try await client.send(TestPush(nil)).status == 403)
        }
    }

    @Test("one text is verified once, however often it comes", .timeLimit(.minutes(5)))
    func verifiedOnce() async throws {
        try await withApple { bench in
            let push = bench.push
            for _ in 0..<2 {
                let client = try await bench.connect()
                for _ in 0..<10 { #expect(try await client.send(push).status == 200) }
            }
            #expect(await bench.apple.counters().providerTokens == 1)
        }
    }
}
