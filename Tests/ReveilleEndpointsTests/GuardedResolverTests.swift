import ReveilleEndpoints
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("The way to an endpoint is guarded", .timeLimit(.minutes(5)))
struct GuardedResolverTests {
    /// Answers with each of its answers once, and with the last one from then on.
    private final class ScriptedResolver: Resolver {
        enum Answer: Sendable {
            case addresses([String])
            case failure(ResolutionError.Code)
            case never
        }

        let asked = Probe<[String]>([])
        private let answers: [Answer]

        init(_ answers: Answer...) { self.answers = answers }

        func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] {
            asked.append(host)
            switch answers[min(asked.value.count, answers.count) - 1] {
            case .addresses(let texts):
                return texts.compactMap { SocketAddress(host: $0, port: port) }
            case .failure(let code): throw ResolutionError(code)
            case .never:
                try await OneShot<Void>().wait()
                return []
            }
        }
    }

    private static func resolver(
        _ text: String = "https://up.example.org/UP", kind: EndpointKind = .unifiedPush,
        policy: EndpointPolicy = EndpointPolicy(), asking resolver: ScriptedResolver
    ) throws -> GuardedResolver {
        GuardedResolver(policy: policy, url: try policy.endpoint(text, kind: kind), kind: kind, resolver: resolver)
    }

    /// Where the vectors say what a name resolves to.
    private static let resolving = EndpointVectors.all.cases.filter { $0.resolves != nil }

    @Test("each answer of the vectors is given or refused as they say", arguments: resolving)
    func vectors(_ vector: EndpointVector) async throws {
        let kind = try #require(EndpointKind(rawValue: vector.kind))
        let url = try EndpointPolicy().endpoint(vector.url, kind: kind)
        let asked = ScriptedResolver(.addresses(vector.resolves ?? []))
        let resolver = try Self.resolver(vector.url, kind: kind, asking: asked)
        if vector.allow {
            let given = try await resolver.resolve(url.host.connectionName, port: url.port)
            #expect(!given.isEmpty && given.allSatisfy { $0.port == url.port })
            #expect(given.map(\.octets) == vector.resolves?.compactMap { SocketAddress(host: $0, port: 1)?.octets })
        } else {
            await #expect(throws: EndpointRefusal.refused) {
                try await resolver.resolve(url.host.connectionName, port: url.port)
            }
        }
        #expect(asked.asked.value.count == 1)
    }

    @Test("the vectors hold names of both kinds of answer")
    func vectorsOfBothKinds() {
        #expect(Set(Self.resolving.map(\.allow)) == [true, false])
    }

    @Test(
        "one address that is not public spoils all others, wherever it stands",
        arguments: [
            "10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "::ffff:93.184.215.14", "64:ff9b::a00:1",
            "fd00:ec2::254",
            "2002:a00:1::1", "0.0.0.0",
        ])
    func mixed(_ bad: String) async throws {
        for answer in [
            [bad, "93.184.215.14"], ["93.184.215.14", bad], ["93.184.215.14", bad, "2a00:1450::1"], [bad],
        ] {
            let resolver = try Self.resolver(asking: ScriptedResolver(.addresses(answer)))
            await #expect(throws: EndpointRefusal.refused) {
                try await resolver.resolve("up.example.org", port: 443)
            }
        }
    }

    @Test("a name that changes its answer is judged by each answer anew, and what was judged is what is given")
    func rebinding() async throws {
        let asked = ScriptedResolver(.addresses(["93.184.215.14"]), .addresses(["10.0.0.1"]))
        let resolver = try Self.resolver(asking: asked)
        let given = try await resolver.resolve("up.example.org", port: 443)
        #expect(given.map(\.text) == ["93.184.215.14:443"])
        #expect(asked.asked.value.count == 1)
        await #expect(throws: EndpointRefusal.refused) { try await resolver.resolve("up.example.org", port: 443) }
        #expect(asked.asked.value.count == 2)
    }

    @Test("whatever is the matter, the same is said", arguments: ResolutionError.Code.allCases)
    func closed(_ code: ResolutionError.Code) async throws {
        let resolver = try Self.resolver(asking: ScriptedResolver(.failure(code)))
        await #expect(throws: EndpointRefusal.refused) { try await resolver.resolve("up.example.org", port: 443) }
        #expect(EndpointRefusal.allCases.map(\.rawValue) == ["endpoint_refused"])
    }

    @Test("a lookup that is given up is not a refusal")
    func cancelled() async throws {
        let asked = ScriptedResolver(.never)
        let resolver = try Self.resolver(asking: asked)
        let task = Task { try await resolver.resolve("up.example.org", port: 443) }
        try await asked.asked.wait { !$0.isEmpty }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "another host or port than the endpoint's is refused, and nobody is asked",
        arguments: [("up.example.org", 8_443), ("UP.example.org", 443), ("example.org", 443), ("127.0.0.1", 443)])
    func others(_ host: String, _ port: UInt16) async throws {
        let asked = ScriptedResolver(.addresses(["93.184.215.14"]))
        let resolver = try Self.resolver(asking: asked)
        await #expect(throws: EndpointRefusal.refused) { try await resolver.resolve(host, port: port) }
        #expect(asked.asked.value.isEmpty)
    }

    @Test("an address with an interface is not public")
    func scoped() async throws {
        struct Scoped: Resolver {
            func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] {
                [SocketAddress(octets: [0x2A, 0x00] + [UInt8](repeating: 1, count: 14), port: port, scope: 2)]
                    .compactMap(\.self)
            }
        }
        let policy = EndpointPolicy()
        let url = try policy.endpoint("https://up.example.org/UP", kind: .unifiedPush)
        let resolver = GuardedResolver(policy: policy, url: url, kind: .unifiedPush, resolver: Scoped())
        await #expect(throws: EndpointRefusal.refused) { try await resolver.resolve("up.example.org", port: 443) }
    }

    @Test("literal addresses are judged without asking anybody, those of IPv6 without their brackets")
    func literals() async throws {
        let asked = ScriptedResolver(.failure(.failed))
        for (text, name) in [
            ("https://93.184.215.14:8443/UP", "93.184.215.14"), ("https://[2A00:1450::1]:8443/UP", "2a00:1450::1"),
        ] {
            let resolver = try Self.resolver(text, asking: asked)
            let given = try await resolver.resolve(name, port: 8_443)
            #expect(given.map(\.host) == [name])
        }
        #expect(asked.asked.value.isEmpty)
    }

    @Test("a literal address that the operator's word no longer covers is refused when it is used")
    func withdrawn() async throws {
        let block = try #require(AddressBlock("127.0.0.0/8"))
        let entry = OperatorEndpoint(kind: .unifiedPush, host: "127.0.0.1", port: 9_000, addresses: block)
        let allowing = EndpointPolicy(operators: [entry])
        let url = try allowing.endpoint("https://127.0.0.1:9000/UP", kind: .unifiedPush)
        let asked = ScriptedResolver(.failure(.failed))
        let before = GuardedResolver(policy: allowing, url: url, kind: .unifiedPush, resolver: asked)
        #expect(try await before.resolve("127.0.0.1", port: 9_000) == [.loopback(port: 9_000)])
        let after = GuardedResolver(policy: EndpointPolicy(), url: url, kind: .unifiedPush, resolver: asked)
        await #expect(throws: EndpointRefusal.refused) { try await after.resolve("127.0.0.1", port: 9_000) }
    }
}
