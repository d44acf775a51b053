import ReveilleHomeAPI
import ReveilleInbox
import ReveilleNetwork
import Testing

@Suite("A client that waits for 100 Continue hears at once what no body would make better")
struct HeadRefusalTests {
    private static func refusal(
        _ server: HomeServer, _ method: String, _ target: String, token: String? = nil
    ) async -> Answer? {
        var fields = HTTPFields()
        if let token { fields.add("authorization", "Bearer \(token)") }
        let request = HTTPRequest(
            method: method, target: target, fields: fields, peer: .loopback(port: 4_000))
        return await server.api.refusal(ofHead: request).map(Answer.init)
    }

    @Test(
        "a path or method that is not there, and a credential that nobody has",
        arguments: [
            ("POST", "/nowhere", nil, 404, "not_found"), ("PATCH", "/healthz", nil, 405, "method_not_allowed"),
            ("POST", "/api/v1/notifications", nil, 401, "missing_credential"),
            ("POST", "/api/v1/notifications", "rvp_unknown", 401, "invalid_credential"),
            ("POST", "/api/v1/devices/push/apple", "nonsense", 401, "invalid_credential"),
            ("POST", "/api/v1/admin/lanes/probe", nil, 401, "missing_credential"),
        ] as [(String, String, String?, Int, String)])
    func refused(method: String, target: String, token: String?, status: Int, code: String) async throws {
        try await HomeServer.with { server in
            let answer = try #require(await Self.refusal(server, method, target, token: token))
            expectProblem(answer, status, code)
            #expect(answer.fields["cache-control"] == "no-store")
            if status == 401 { #expect(answer.fields["www-authenticate"]?.hasPrefix("Bearer") == true) }
        }
    }

    @Test("all else has to wait for its body, and counts once towards the producer's limit")
    func taken() async throws {
        var limits = InboxLimits.generous
        limits.producer = RateLimit(perMinute: 1, burst: 1)
        try await HomeServer.with(limits: limits) { server in
            let token = try await server.producerToken()
            for _ in 0..<3 {
                #expect(await Self.refusal(server, "POST", "/api/v1/notifications", token: token) == nil)
            }
            try await server.notify(token: token)
            // Whether a credential opens the route is said with the body.
            let admin = try await server.adminToken()
            #expect(await Self.refusal(server, "POST", "/api/v1/notifications", token: admin) == nil)
            #expect(await Self.refusal(server, "OPTIONS", "/api/v1/notifications") == nil)
        }
    }

    @Test("wrong credentials count towards the address's limit")
    func failures() async throws {
        var limits = InboxLimits.generous
        limits.failedCredentials = RateLimit(perMinute: 1, burst: 2)
        try await HomeServer.with(limits: limits) { server in
            var codes: [String?] = []
            for _ in 0..<3 {
                codes.append(await Self.refusal(server, "POST", "/api/v1/notifications", token: "rvp_unknown")?.code)
            }
            #expect(codes == ["invalid_credential", "invalid_credential", "too_many_failed_credentials"])
        }
    }
}
