import RawHTTP
import RawSockets
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTelemetry
import ReveilleTesting

/// Answers with what it was asked, or as the test says, and remembers what came.
struct ScriptedHandler: HTTPHandler {
    let requests = Probe<[HTTPRequest]>([])
    let script: @Sendable (HTTPRequest) async -> HTTPResponse
    let headScript: @Sendable (HTTPRequest) async -> HTTPResponse?

    init(
        _ script: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = ScriptedHandler.echo,
        head headScript: @escaping @Sendable (HTTPRequest) async -> HTTPResponse? = { _ in nil }
    ) {
        self.script = script
        self.headScript = headScript
    }

    func refusal(ofHead request: HTTPRequest) async -> HTTPResponse? { await headScript(request) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        requests.append(request)
        return await script(request)
    }

    /// Method, target and body as text.
    @Sendable static func echo(_ request: HTTPRequest) async -> HTTPResponse {
        let text = "\(request.method) \(request.target) " + String(decoding: request.body, as: UTF8.self)
        return HTTPResponse(
            status: 200, fields: ["content-type": "text/plain"], body: .bytes([UInt8](text.utf8)))
    }
}

/// A server on a loop of its own and clients on another.
struct ServerWorld: Sendable {
    let server: HTTPServer
    let serverLoop: EventLoop
    let clientLoop: EventLoop
    let address: SocketAddress
    let handler: ScriptedHandler
    let log: MemorySink
    /// The clients, which are closed at the end.
    let clients = Probe<[RawClient]>([])

    /// A client that is connected.
    func client(tls: (context: TLSContext, serverName: String)? = nil) async throws -> RawClient {
        let client = RawClient(on: clientLoop)
        clients.append(client)
        await client.connect(to: address, tls: tls)
        try await client.heard.wait { $0.isOpen || $0.isOver }
        return client
    }

    /// A client that has sent text, one byte for each character.
    func client(sending text: String) async throws -> RawClient {
        let client = try await client()
        await client.send(MalformedRequest.bytes(text))
        return client
    }

    /// Waits until the server has read what a client on the client's loop has sent so far.
    ///
    /// Bytes sent on the loopback network lie in the other socket when the send returns.
    func settle() async {
        await clientLoop.settle()
        await serverLoop.settle()
        await clientLoop.settle()
    }

    /// Waits until the counts satisfy a condition; whatever changes them is followed by a line in the log.
    @discardableResult
    func counts(
        until condition: @escaping @Sendable (HTTPServerCounts) -> Bool
    ) async throws -> HTTPServerCounts {
        let server = server
        _ = try await log.line { _ in condition(server.counts) }
        return server.counts
    }

    /// Waits until the connections know that the server drains.
    func isDraining() async throws {
        _ = try await log.line { $0.message.description == "draining" }
    }
}

/// Runs a server for the time of `body`, on real sockets of the loopback network.
///
/// Its clock stands still unless the test moves it, so that a slow machine runs into no time limit.
func withServer(
    limits: HTTPServerLimits = HTTPServerLimits(), tls: TLSContext? = nil,
    clock: any MonotonicClock = ManualClock(),
    wallClock: any WallClock = SystemWallClock(), handler: ScriptedHandler = ScriptedHandler(),
    _ body: (ServerWorld) async throws -> Void
) async throws {
    try await withEventLoop(name: "server", clock: clock) { serverLoop in
        try await withEventLoop(name: "client") { clientLoop in
            let log = MemorySink()
            let server = HTTPServer(
                configuration: HTTPServerConfiguration(
                    address: .loopback(port: 0), tls: tls, limits: limits),
                loops: [serverLoop], handler: handler,
                errorResponse: { status, code in
                    HTTPResponse(status: status, body: .bytes([UInt8](code.utf8)))
                }, wallClock: wallClock, log: Log(level: .debug, sink: log, component: "http"))
            let address = try await server.start()
            let world = ServerWorld(
                server: server, serverLoop: serverLoop, clientLoop: clientLoop, address: address,
                handler: handler, log: log)
            try await body(world)
            for client in world.clients.value { await client.abort() }
            await server.drain(within: .zero)
            await world.settle()
        }
    }
}

/// A GET with further lines, each with its line end.
func get(_ target: String = "/", _ lines: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\n\(lines)\r\n"
}

/// A POST with a body of known length.
func post(_ target: String = "/", _ body: String = "", _ lines: String = "") -> String {
    "POST \(target) HTTP/1.1\r\nHost: a\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
