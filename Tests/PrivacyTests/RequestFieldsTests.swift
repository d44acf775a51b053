import PrivacyAudit
import ReveilleHomeAPI
import Testing

@Suite("Every field that a client can fill has a canary")
struct RequestFieldsTests {
    private static func handlers() throws -> String {
        try SourceText.paths(below: "Sources/ReveilleHomeAPI", suffixes: [".swift"])
            .map { try SourceText.read("Sources/ReveilleHomeAPI/" + $0) }.joined(separator: "\n")
    }

    private static func names(_ pattern: Regex<(Substring, Substring)>, in text: String) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.output.1) })
    }

    @Test("members of bodies")
    func members() throws {
        let text = try Self.handlers()
        let read = Self.names(/fields\.(?:required|optional|wished)[A-Za-z]*\(\s*"([a-z_]+)"/, in: text)
        #expect(read.count > 20)
        #expect(read == Set(RequestFields.members.keys))
    }

    @Test("parameters of queries")
    func parameters() throws {
        let text = try Self.handlers()
        let read = Self.names(/query\.text\("([a-z_]+)"/, in: text).union(Self.names(/try text\("([a-z_]+)"/, in: text))
        #expect(read == Set(RequestFields.parameters.keys))
    }

    @Test("header fields")
    func headers() throws {
        let text = try Self.handlers()
        let read = Self.names(/field\("([a-z-]+)", named:/, in: text)
            .union(Self.names(/fields\.values\("([a-z-]+)"\)/, in: text))
            .union(Self.names(/request\.fields\["([a-z-]+)"\]/, in: text))
        #expect(read == Set(RequestFields.headers.keys))
    }

    @Test("parameters of paths")
    func paths() {
        let read = HomeRoute.served.reduce(into: Set<String>()) { names, route in
            names.formUnion(Self.names(/\{([a-z_]+)\}/, in: route.template))
        }
        #expect(read == Set(RequestFields.pathParameters.keys))
    }

    @Test("and every canary is of a field that somebody can fill")
    func canariesAreUsed() {
        let tables = [
            RequestFields.members, RequestFields.parameters, RequestFields.headers, RequestFields.pathParameters,
        ]
        var named: Set<PrivateField> = []
        for case .canary(let field) in tables.flatMap(\.values) { named.insert(field) }
        // What has no field of its own in a request, or belongs to routes of a later version.
        let others: Set<PrivateField> = [
            .dataKey, .sender, .subject, .folder, .registrationKey, .producer, .masterKey, .providerKey, .serverName,
            .fieldValue, .fieldName, .method, .providerReason,
        ]
        #expect(named.isDisjoint(with: others))
        #expect(named.union(others) == Set(PrivateField.allCases))
    }
}
