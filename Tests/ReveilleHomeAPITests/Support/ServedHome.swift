import RawHTTP
import RawSockets
import ReveilleBytes
import ReveilleHomeAPI
import ReveilleInbox
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleStorage
import ReveilleStorageSQLite
import ReveilleTelemetry
import ReveilleTesting

/// A home server behind real sockets, and the loop of its clients.
struct ServedHome: Sendable {
    /// What a server is made with.
    struct Setup: Sendable {
        var limits = InboxLimits.generous
        var options = StoreOptions()
        var http = HTTPServerLimits()
    }

    let home: HomeServer
    let address: SocketAddress
    private let serverLoop: EventLoop
    private let clientLoop: EventLoop
    private let clients = Probe<[RawClient]>([])

    /// Runs a server for the time of `body`.
    static func with<Result>(_ setup: Setup = Setup(), _ body: (ServedHome) async throws -> Result) async throws
        -> Result
    {
        try await HomeServer.with(
            limits: setup.limits, options: setup.options, authenticators: [FaultyAuthenticator()]
        ) { home in
            try await withEventLoop(name: "server", clock: home.clock) { serverLoop in
                try await withEventLoop(name: "client") { clientLoop in
                    let server = HTTPServer(
                        configuration: HTTPServerConfiguration(address: .loopback(port: 0), limits: setup.http),
                        loops: [serverLoop], handler: home.api,
                        errorResponse: { home.api.protocolError(status: $0, code: $1) }, wallClock: home.clock,
                        log: .silent)
                    let served = ServedHome(
                        home: home, address: try await server.start(), serverLoop: serverLoop, clientLoop: clientLoop)
                    let result = try await body(served)
                    for client in served.clients.value { await client.abort() }
                    await server.drain(within: .zero)
                    await served.settle()
                    return result
                }
            }
        }
    }

    /// A client that is connected.
    func client() async throws -> RawClient {
        let client = RawClient(on: clientLoop)
        clients.append(client)
        await client.connect(to: address)
        try await client.heard.wait { $0.isOpen || $0.isOver }
        return client
    }

    /// Waits until the server has read what clients have sent so far.
    func settle() async {
        await clientLoop.settle()
        await serverLoop.settle()
        await clientLoop.settle()
    }

    /// The last answer to octets after which the connection closes.
    func say(_ octets: [UInt8]) async throws -> RawAnswer {
        let client = try await client()
        await client.send(octets)
        return try require(RawAnswer.all(in: try await client.everything()).last)
    }

    /// The answer to a request on a connection of its own.
    func request(
        _ method: String, _ target: String, token: String? = nil, body: String? = nil, fields: String = ""
    ) async throws -> RawAnswer {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)"
        if let token { text += "Authorization: Bearer \(token)\r\n" }
        if let body {
            if !fields.contains("Content-Type") { text += "Content-Type: application/json\r\n" }
            text += "Content-Length: \(body.utf8.count)\r\n"
        }
        return try await say(Array((text + "\r\n" + (body ?? "")).utf8))
    }

    /// The answer to a post whose body is `body`.
    func post(_ body: String, fields: String = "") async throws -> RawAnswer {
        try await request(
            "POST", "/api/v1/notifications", token: try await home.producerToken(), body: body, fields: fields)
    }

    /// The answer to a post of a valid body with one more member.
    func post(with member: String) async throws -> RawAnswer {
        try await post("{\"recipients\":[\"a\"],\"category\":\"c\",\(member)}")
    }

    /// The answer to a registration.
    func register(_ body: JSONValue, token: String) async throws -> RawAnswer {
        try await request(
            "POST", "/api/v1/devices/push/apple", token: token, body: String(decoding: body.encoded(), as: UTF8.self))
    }
}

/// Stands for a store in trouble: a token `fault.CODE` meets the store's error of that code.
struct FaultyAuthenticator: Authenticator {
    static func token(_ code: StoreError.Code) -> String { "fault.\(code.rawValue)" }

    func authenticate(_ token: SecretText) async throws(InboxError) -> Authentication {
        for code in StoreError.Code.allCases where token.reveal() == Self.token(code) {
            throw InboxError(StoreError(code))
        }
        return .otherForm
    }
}
