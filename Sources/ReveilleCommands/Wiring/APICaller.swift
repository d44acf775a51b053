internal import ReveilleBytes
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTLS

/// Calls the HTTP API of a home server, for commands, the demo and benchmarks.
struct APICaller: Sendable {
    /// An answer of the API.
    struct Answer: Sendable {
        let status: Int
        /// The body as JSON, null when it is none.
        let body: JSONValue
    }

    private let client: HTTPClient

    /// Calls `url` (http or https, no path) over a connection on `loop`.
    ///
    /// - Parameter cleartext: What to speak to an `http` URL: a proxy that stands there may know HTTP/1.1 only.
    init(
        url: String, authorityFile: String? = nil, cleartext: CleartextProtocol = .http11, loop: EventLoop
    ) throws {
        guard let origin = HTTPOrigin(parsing: url) else {
            throw UsageError("the server's URL must be http://host:port or https://host:port, without a path")
        }
        var tls: TLSContext?
        if origin.isSecure {
            do {
                tls = try TLSContext(
                    client: TLSClientConfiguration(
                        alpn: HTTPClient.applicationProtocols, requiresApplicationProtocol: false,
                        extraAuthorityFile: authorityFile))
            } catch {
                throw CommandFailure(
                    "\(authorityFile ?? "the system's certificates"): cannot be used (\(error.code.rawValue))")
            }
        }
        client = HTTPClient(
            origin: origin, tls: tls, cleartext: cleartext, loop: loop, resolver: SystemResolver(on: loop))
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameter extra: further fields, such as an idempotency key.
    func call(
        _ method: String, _ path: String, token: String? = nil, body: JSONValue? = nil,
        extra: [(name: String, value: String)] = []
    ) async throws(ClientError) -> Answer {
        var fields = extra
        if let token { fields.append((name: "authorization", value: "Bearer \(token)")) }
        if body != nil { fields.append((name: "content-type", value: "application/json")) }
        let response = try await client.send(
            ClientRequest(method: method, path: path, fields: fields, body: body?.encoded() ?? []))
        // An answer without JSON is one whose status says everything.
        let value = (try? JSONReader.parse(response.body)) ?? .null
        return Answer(status: response.status, body: value)
    }

    /// The body of an answer as text, for what is no JSON.
    func text(_ method: String, _ path: String) async throws(ClientError) -> String {
        String(decoding: try await client.send(ClientRequest(method: method, path: path)).body, as: UTF8.self)
    }

    func close() async { await client.close() }

    /// What to tell a person when no answer came.
    static func failure(_ error: ClientError, url: String) -> CommandFailure {
        let reason =
            switch error.code {
            case .nameNotFound: "the name has no address"
            case .notConnected: "nobody listens there"
            case .tlsFailed: "its certificate is not trusted or does not match; see --ca-file"
            case .noCommonProtocol: "it speaks neither HTTP/1.1 nor HTTP/2"
            case .requestMalformed: "the request has a field that cannot be sent"
            case .answerMalformed: "its answer is not proper HTTP"
            case .connectionLost, .reset: "the connection ended before the answer"
            case .timedOut: "it did not answer in time"
            case .overloaded, .closed: "the client is busy"
            }
        return CommandFailure("\(url) was not reached: \(reason)", status: .unreachable)
    }

    /// What to tell a person when the server refused.
    static func refusal(_ answer: Answer) -> CommandFailure {
        let detail = answer.body["detail"]?.string ?? answer.body["title"]?.string ?? "no explanation"
        let code = answer.body["code"]?.string ?? "no code"
        return CommandFailure("the server refused: \(detail) (\(answer.status) \(code))", status: .refused)
    }
}
