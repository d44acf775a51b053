import RawSockets
import ReveilleEmulator
import ReveilleHTTP2
import ReveilleJSON
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting
import Testing

/// A running push service of any kind, with senders on a loop of their own.
struct PushServiceBench<Provider: PushServiceProvider>: Sendable {
    let emulator: PushServiceEmulator<Provider>
    let clock: ManualClock
    let loop: EventLoop
    let tls: TLSContext
    let address: SocketAddress
    let clients = Probe<[RawClient]>([])

    /// Seconds since 1970 on the emulator's clock.
    var now: Int64 {
        let now: WallInstant = clock.now()
        return now.seconds
    }

    /// The authority of the emulator, as a request names it.
    var authority: String { "localhost:\(address.port)" }

    /// A connection that speaks HTTP/1.1 over TLS.
    func connect() async throws -> RawClient {
        let client = RawClient(on: loop)
        clients.append(client)
        await client.connect(to: address, tls: (tls, "localhost"))
        try await client.heard.wait { $0.isOpen || $0.isOver }
        return client
    }

    /// Sends one request on a connection of its own and waits for the answer.
    func send(
        _ method: String, _ path: String, _ fields: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> RawAnswer {
        let client = try await connect()
        await client.send(request(method, path, fields, body: body))
        let answers = try await client.answers(1)
        await client.abort()
        return try #require(answers.first)
    }

    /// A request in the octets of HTTP/1.1.
    func request(_ method: String, _ path: String, _ fields: [(String, String)], body: [UInt8]) -> [UInt8] {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: \(authority)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if method != "GET" { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }

    /// The answer of the control interface as JSON.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
        let answer = await emulator.control(ControlRequest(method: method, path: path, body: Array(body.utf8)))
        #expect(
            (200..<300).contains(answer.status), "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
        return try JSONReader.parse(answer.body)
    }
}

extension RawAnswer {
    /// The body as JSON.
    var json: JSONValue? { try? JSONReader.parse(Array(body.utf8)) }
}

/// Runs a push service for the time of `body`; its wall clock stands still until the test moves it.
func withPushService<Provider: PushServiceProvider>(
    _ configuration: PushServiceConfiguration<Provider>, random: any RandomSource = SystemRandom(),
    _ body: (PushServiceBench<Provider>) async throws -> Void
) async throws {
    let clock = ManualClock()
    let emulator = try PushServiceEmulator<Provider>(configuration, wallClock: clock, random: random)
    let address = try await emulator.start()
    let tls = try TLSContext(
        client: TLSClientConfiguration(
            alpn: ["http/1.1"], requiresApplicationProtocol: false, extraAuthorityPEM: emulator.authorityPEM,
            trustsSystemRoots: false))
    try await withEventLoop(name: "senders") { loop in
        let bench = PushServiceBench(emulator: emulator, clock: clock, loop: loop, tls: tls, address: address)
        let result: Result<Void, any Error>
        do { result = .success(try await body(bench)) } catch { result = .failure(error) }
        for client in bench.clients.value { await client.abort() }
        await emulator.stop()
        try result.get()
    }
}
