import LaneTesting
import ReveilleBytes
import ReveilleCore
import ReveilleEndpoints
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTesting
import ReveilleWebPush

/// Lanes to servers of this machine, which the operator's word allows, and what they share.
struct PushWorld: Sendable {
    let kind: EndpointKind
    let clock: ManualClock
    let loop: EventLoop
    let serverLoop: EventLoop
    let tokens: VAPIDTokens
    let receiver = Receiver()
    private let lanes = Probe<[PushLane]>([])

    /// Runs a test with a world of its own, and stops its lanes afterwards.
    static func with(_ kind: EndpointKind, _ body: (PushWorld) async throws -> Void) async throws {
        let clock = ManualClock()
        try await withEventLoop(name: "server") { serverLoop in
            try await withEventLoop(name: "lanes", clock: clock) { loop in
                guard let subject = VAPIDSubject("mailto:push@example.org") else { throw CancellationError() }
                let tokens = VAPIDTokens(key: .generate(), subject: subject, wallClock: clock, clock: clock)
                let world = PushWorld(kind: kind, clock: clock, loop: loop, serverLoop: serverLoop, tokens: tokens)
                let result: Result<Void, any Error>
                do { result = .success(try await body(world)) } catch { result = .failure(error) }
                for lane in world.lanes.value {
                    let drain = await lane.startDrain()
                    await loop.settle()
                    clock.advance(by: .seconds(10))
                    await drain.value
                }
                try result.get()
            }
        }
    }

    private init(kind: EndpointKind, clock: ManualClock, loop: EventLoop, serverLoop: EventLoop, tokens: VAPIDTokens) {
        self.kind = kind
        self.clock = clock
        self.loop = loop
        self.serverLoop = serverLoop
        self.tokens = tokens
    }

    /// A policy that allows a host of this machine.
    func policy(_ host: String, _ port: UInt16) throws -> EndpointPolicy {
        guard let block = AddressBlock("127.0.0.0/8") else { throw CancellationError() }
        return EndpointPolicy(operators: [OperatorEndpoint(kind: kind, host: host, port: port, addresses: block)])
    }

    /// A lane to a server of this machine under a name.
    func lane(
        to address: SocketAddress, _ host: String = "push.example.org", authorityPEM: String,
        resolver: (any Resolver)? = nil
    ) async throws -> PushLane {
        let lane = PushLane(on: loop)
        lanes.append(lane)
        try await lane.open(
            "https://\(host):\(address.port)", kind: kind, policy: policy(host, address.port),
            authorityPEM: authorityPEM, tokens: tokens, resolver: resolver ?? ScriptedResolver([address]), clock: clock)
        return lane
    }

    /// A try for an endpoint of a server.
    func attempt(_ tag: UInt64, _ address: SocketAddress, _ host: String = "push.example.org", path: String = "/up/a")
        -> PushTry
    {
        PushTry(
            tag: tag, address: receiver.subscription("https://\(host):\(address.port)\(path)"),
            expirationSeconds: clock.wallSeconds + 3_600)
    }

    /// Moves the clocks and lets the lanes act on it.
    func advance(by duration: Duration) async {
        clock.advance(by: duration)
        await loop.settle()
    }
}

/// Runs a test with a well-behaved server.
func withPushServer(
    _ kind: EndpointKind, host: String = "push.example.org", offering protocols: [String] = ["h2"],
    _ body: (PushWorld, ScriptedServer, PushLane) async throws -> Void
) async throws {
    try await PushWorld.with(kind) { world in
        let server = try ScriptedServer(on: world.serverLoop, names: [host], offering: protocols)
        try await server.start()
        server.answer { _ in ScriptedReply(201) }
        let result: Result<Void, any Error>
        do {
            let lane = try await world.lane(to: server.address, host, authorityPEM: server.authorityPEM)
            result = .success(try await body(world, server, lane))
        } catch {
            result = .failure(error)
        }
        await server.stop()
        try result.get()
    }
}
