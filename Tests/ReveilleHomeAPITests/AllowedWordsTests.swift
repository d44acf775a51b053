import ReveilleCore
import ReveilleJSON
import Testing

@Suite("Whoever sends a word that is not of a closed set is told the words of the set")
struct AllowedWordsTests {
    /// A field with a closed set of words.
    struct WordField: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let field: String
        let words: [String]
        /// The rest of a body that is right.
        let body: JSONValue
        var isOfProducers = false

        var testDescription: String { "\(method) \(path) \(field)" }
    }

    private static let modes = PushMode.allCases.map(\.rawValue)
    private static let devices = "/api/v1/devices/push"

    static let fields: [WordField] = [
        WordField(
            method: "POST", path: "/api/v1/notifications", field: "alert", words: Alert.allCases.map(\.rawValue),
            body: ["recipients": ["anna"], "category": "mail"], isOfProducers: true),
        WordField(
            method: "POST", path: devices + "/apple", field: "apns_environment",
            words: APNsEnvironment.allCases.map(\.rawValue), body: Registration.body()),
        WordField(
            method: "POST", path: devices + "/apple", field: "os", words: DeviceOS.apple.map(\.rawValue),
            body: Registration.body()),
        WordField(
            method: "POST", path: devices + "/apple", field: "push_mode", words: modes, body: Registration.body()),
        WordField(
            method: "POST", path: devices + "/unifiedpush", field: "os", words: DeviceOS.unifiedPush.map(\.rawValue),
            body: Subscriptions.body()),
        WordField(method: "PATCH", path: devices + "/DEVICE", field: "push_mode", words: modes, body: [:]),
        WordField(method: "PUT", path: "/api/v1/preferences", field: "push_mode", words: modes, body: [:]),
    ]

    @Test("by every route that takes one", arguments: fields)
    func words(field: WordField) async throws {
        try await HomeServer.with { server in
            let profile = try await server.profileToken()
            let device = try #require(await server.register(token: profile).json["id"]?.string)
            let token = field.isOfProducers ? try await server.producerToken() : profile
            for (value, code) in [("loud", "invalid_value"), (7, "wrong_type")] as [(JSONValue, String)] {
                var body = try #require(field.body.object)
                body[field.field] = value
                let path = field.path.replacing("DEVICE", with: device)
                let answer = await server.send(field.method, path, token: token, json: .object(body))
                expectProblem(answer, 400, code, field: field.field)
                let detail = try #require(answer.json["detail"]?.string)
                for word in field.words { #expect(detail.contains("`\(word)`"), "\(detail)") }
                #expect(!detail.contains("loud"))
            }
        }
    }

    @Test("and the table has every list of words in the API description that is not of answers only")
    func complete() throws {
        let lists = try Repository.text("docs/openapi.yaml").split(separator: "\n").filter { $0.contains("enum: [") }
        let known = Set(Self.fields.map { Set($0.words) })
        for list in lists {
            let words = list.split(separator: "[")[1].prefix { $0 != "]" }.split(separator: ",").map {
                $0.trimming { $0 == " " || $0 == "\"" }
            }
            let set = Set(words.map(String.init)).subtracting(["null"])
            #expect(known.contains(set) || Self.ofAnswers.contains(set), "\(list)")
        }
    }

    /// What only answers say.
    private static let ofAnswers: Set<Set<String>> = [
        ["new", "read", "dismissed", "removed"], ["off", "custom_apns"], ["custom_apns"],
        Set(ProviderKind.allCases.map(\.rawValue)), ["apns", "fcm"], ["apple", "android", "web", "unifiedpush"],
        Set(DeviceOS.allCases.map(\.rawValue)),
        ["active", "pending", "needs_registration"], ["healthy", "topics_paused", "paused"],
        [
            "working", "opening", "blocked", "unreachable", "paced", "paused", "store_trouble", "not_configured",
            "stopping",
        ],
    ]
}

extension Substring {
    fileprivate func trimming(_ isSpare: (Character) -> Bool) -> Substring {
        var rest = self
        while let first = rest.first, isSpare(first) { rest.removeFirst() }
        while let last = rest.last, isSpare(last) { rest.removeLast() }
        return rest
    }
}
