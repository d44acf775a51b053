import ReveilleBytes
import ReveilleNetwork

/// Lets scripts of listed web origins call the API (Fetch standard, CORS protocol), without cookies.
struct CrossOrigin: Sendable {
    /// How long a browser may keep the answer to a preflight, in seconds.
    static let maximumAgeSeconds = 600

    private let origins: Set<String>

    /// Allows `origins`.
    init(_ origins: Set<String>) {
        self.origins = origins
    }

    /// The field that says whom the answer is for, when the request came from a listed origin.
    func apply(_ request: HTTPRequest, to answer: inout APIAnswer) {
        guard !origins.isEmpty else { return }
        answer.add("vary", "origin")
        guard let origin = listedOrigin(request) else { return }
        answer.add("access-control-allow-origin", origin)
        answer.add("access-control-expose-headers", "retry-after, reveille-request-id, www-authenticate")
    }

    /// What a preflight asks for.
    func applyPreflight(_ request: HTTPRequest, allow: String, to answer: inout APIAnswer) {
        guard listedOrigin(request) != nil, request.fields["access-control-request-method"] != nil else { return }
        answer.add("access-control-allow-methods", allow)
        answer.add("access-control-allow-headers", "authorization, content-type, idempotency-key, reveille-device")
        answer.add("access-control-max-age", String(Self.maximumAgeSeconds))
    }

    /// The origin as the operator wrote it.
    private func listedOrigin(_ request: HTTPRequest) -> String? {
        guard let origin = request.fields["origin"], let index = origins.firstIndex(of: origin) else { return nil }
        return origins[index]
    }
}
