import ReveilleCore
import ReveilleStorage
import Testing

extension StorageConformance {
    static let credentials: [ConformanceCase] = [
        ConformanceCase("producers have names of their own") { world in
            #expect(try await world.store.producer(name: "producer") == world.producer)
            #expect(try await world.store.createProducer(name: "producer") == nil)
            let second = try #require(try await world.store.createProducer(name: "second"))
            let all = try await world.store.producers()
            #expect(all.map(\.row) == [world.producer, second] && all.map(\.name) == ["producer", "second"])
            #expect(try await world.store.producer(name: "third") == nil)
        },
        ConformanceCase("profiles live in their producer's namespace") { world in
            let second = try #require(try await world.store.createProducer(name: "second"))
            let first = try await world.store.profile("ann", of: world.producer)
            #expect(try await world.store.profile("ann", of: world.producer) == first)
            #expect(try await world.store.profile("ann", of: second) != first)
            #expect(try await world.store.existingProfile("bob", of: second) == nil)
        },
        ConformanceCase("a token opens what it was made for, and nothing else does", tokens),
        ConformanceCase("a revoked token is refused at once") { world in
            let holder = CredentialHolder.producer(world.producer)
            let made = try await world.store.createToken(holder, scopes: [.notify], label: "l")
            #expect(try await world.store.credential(token: made.token) != nil)
            #expect(try await world.store.isRevoked(made.credential) == false)
            let ann = CredentialHolder.profile(try await world.profile())
            #expect(try await world.store.revoke(made.credential, of: ann) == false)
            #expect(try await world.store.credential(token: made.token) != nil)
            #expect(try await world.store.revoke(made.credential, of: holder))
            #expect(try await world.store.credential(token: made.token) == nil)
            #expect(try await world.store.isRevoked(made.credential))
            #expect(try await world.store.revoke(made.credential, of: holder))
            #expect(try await world.store.isRevoked(CredentialRow(9_999)))
        },
        ConformanceCase("a token revoked by another process is refused within five seconds") { world in
            let other = try await world.openAnother()
            let made = try await world.store.createToken(.admin, scopes: [], label: "l")
            #expect(try await world.store.credential(token: made.token) != nil)
            #expect(try await world.store.isRevoked(made.credential) == false)
            #expect(try await other.store.revoke(made.credential, of: .admin))
            world.advance(by: .seconds(5))
            #expect(try await world.store.credential(token: made.token) == nil)
            #expect(try await world.store.isRevoked(made.credential))
        },
        ConformanceCase("of those who revoke a token by its text at once, one does", revocationsTogether),
        ConformanceCase("a revoked profile token takes the display tokens of its devices with it") { world in
            let profile = try await world.profile()
            let made = try await world.store.createToken(.profile(profile), scopes: [], label: "l")
            let device = try await world.device { $0.credential = made.credential }
            let other = try await world.device(token: 2)
            #expect(device.credential == made.credential)
            let tokens = world.opened.secrets.displayTokens
            let text = tokens.issue(device: device.row, generation: device.generation)
            #expect(try await world.store.revoke(made.credential, of: .profile(profile)))
            let after = try await world.reload(device)
            let named = try #require(tokens.open(text))
            #expect(named.device == device.row && named.generation != after.generation)
            #expect(after.state == .active)
            #expect(try await world.reload(other).generation == other.generation)
        },
    ]

    @Sendable private static func revocationsTogether(_ world: StoreWorld) async throws {
        let profile = try await world.profile()
        let made = try await world.store.createToken(.profile(profile), scopes: [], label: "l")
        let other = try await world.store.createToken(.profile(profile), scopes: [], label: "l")
        let device = try await world.device { $0.credential = made.credential }
        let store = world.store
        // Known to the cache, which must forget it.
        #expect(try await store.credential(token: made.token) != nil)
        let answers = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await store.revoke(token: made.token) } }
            return try await group.reduce(into: [Revocation]()) { $0.append($1) }
        }
        #expect(answers.filter { $0 == .revoked }.count == 1)
        #expect(answers.filter { $0 == .wasRevokedBefore }.count == 7)
        #expect(try await store.credential(token: made.token) == nil)
        #expect(try await store.isRevoked(made.credential))
        // Once only, or a device that registered since would lose its display token.
        #expect(try await world.reload(device).generation == device.generation + 1)
        #expect(try await store.credential(token: other.token) != nil)
        for text in ["", "rvu_" + String(repeating: "A", count: 43), String(made.token.dropLast())] {
            #expect(try await store.revoke(token: text) == .unknownToken, "\(text.count)")
        }
    }

    @Sendable private static func tokens(_ world: StoreWorld) async throws {
        let profile = try await world.profile()
        let holders: [(CredentialHolder, String, Set<Scope>)] = [
            (.producer(world.producer), "rvp_", [.notify, .mintProfiles]), (.profile(profile), "rvu_", []),
            (.admin, "rva_", []), (.producer(world.producer), "rvp_", Set(Scope.allCases)),
        ]
        var texts: Set<String> = []
        for (holder, prefix, scopes) in holders {
            let made = try await world.store.createToken(holder, scopes: scopes, label: "label")
            #expect(made.token.hasPrefix(prefix) && made.token.utf8.count == 47)
            let found = try #require(try await world.store.credential(token: made.token))
            #expect(found.row == made.credential && found.holder == holder && found.scopes == scopes)
            #expect(found.createdAtMilliseconds == world.now)
            #expect(try await world.store.credential(token: made.token) == found)
            texts.insert(made.token)
        }
        #expect(texts.count == 4)
        let known = try #require(texts.first)
        let wrong = [
            "", "rvp_", String(known.dropLast()), known + "A", "xxx_" + known.dropFirst(4),
            "rvp_" + String(repeating: "A", count: 43), "rvp_" + String(repeating: "!", count: 43), known.uppercased(),
        ]
        for text in wrong { #expect(try await world.store.credential(token: text) == nil, "\(text.count)") }
    }
}
