import ReveilleCrypto
import ReveilleNetwork
import ReveilleRuntime
import ReveilleTLS
import ReveilleTesting

/// Two event loops, a listener, and the peers that it accepted.
struct SocketWorld: Sendable {
    let clientLoop: EventLoop
    let serverLoop: EventLoop
    let listener: Listener
    let accepted: Probe<[SocketPeer]>

    var address: SocketAddress { listener.localAddress }

    /// The peer that was accepted as the `number`th, counted from zero.
    func accepted(_ number: Int = 0) async throws -> SocketPeer {
        try await accepted.wait { $0.count > number }[number]
    }

    /// A connection of which both sides are open.
    func pair(
        tls: (context: TLSContext, serverName: String)? = nil, keepsBytes: Bool = true
    ) async throws -> (client: SocketPeer, server: SocketPeer) {
        let number = accepted.value.count
        let client = SocketPeer(on: clientLoop, keepsBytes: keepsBytes)
        await client.connect(to: address, tls: tls)
        try await client.record.wait { $0.isOpen }
        let server = try await accepted(number)
        try await server.record.wait { $0.isOpen }
        return (client, server)
    }
}

/// How the accepted side of a world behaves.
struct AcceptedSide: Sendable {
    var tls: TLSContext?
    /// Whether the test speaks TLS itself, to break its rules.
    var isByHand = false
    var keepsBytes = true
    var reaction: SocketPeer.Reaction?
}

/// An event loop whose sockets are closed at the end.
func withSocketLoop(
    name: String, clock: any MonotonicClock = SystemMonotonicClock(),
    _ body: (EventLoop) async throws -> Void
) async throws {
    try await withEventLoop(name: name, clock: clock) { loop in
        let result = await Outcome.of { try await body(loop) }
        await SocketPeer.abortAll(on: loop)
        try result.get()
    }
}

/// How a body ended, so that things can be put in order before its error goes on.
private enum Outcome {
    static func of(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}

func withSocketWorld(
    at address: SocketAddress = .loopback(port: 0), _ side: AcceptedSide = AcceptedSide(),
    clock: any MonotonicClock = SystemMonotonicClock(),
    _ body: (SocketWorld) async throws -> Void
) async throws {
    try await withSocketLoop(name: "client", clock: clock) { clientLoop in
        try await withSocketLoop(name: "server", clock: clock) { serverLoop in
            let accepted = Probe<[SocketPeer]>([])
            let listener = try Listener(address: address, loops: [serverLoop]) { descriptor, peer, loop in
                let server = SocketPeer(on: loop, keepsBytes: side.keepsBytes, reaction: side.reaction)
                server.assumeIsolated { server in
                    if side.isByHand, let tls = side.tls {
                        try? server.acceptByHand(descriptor, from: peer, tls: tls)
                    } else {
                        server.accept(descriptor, from: peer, tls: side.tls)
                    }
                }
                accepted.append(server)
            }
            let world = SocketWorld(
                clientLoop: clientLoop, serverLoop: serverLoop, listener: listener, accepted: accepted)
            let result = await Outcome.of { try await body(world) }
            await listener.stopAndWait()
            try result.get()
        }
    }
}

/// An authority and contexts for TLS over real sockets.
struct SocketTLS: Sendable {
    let authority: CertificateAuthority
    let client: TLSContext
    let server: TLSContext

    init(
        clientALPN: [String] = ["h2"], serverALPN: [String] = ["h2"], names: [String] = ["localhost"],
        validity: CertificateValidity = .oneYear, isTrusted: Bool = true, requiresALPN: Bool = true
    ) throws {
        authority = try CertificateAuthority.generate(commonName: "Test authority")
        let other = try CertificateAuthority.generate(commonName: "Other authority")
        client = try TLSContext(
            client: TLSClientConfiguration(
                alpn: clientALPN, requiresApplicationProtocol: requiresALPN,
                extraAuthorityPEM: (isTrusted ? authority : other).certificatePEM,
                trustsSystemRoots: false))
        let certificate = try authority.issueServerCertificate(names: names, validity: validity)
        server = try TLSContext(
            server: TLSServerConfiguration(
                certificateChainPEM: certificate.certificateChainPEM,
                privateKeyPEM: certificate.privateKeyPEM, alpn: serverALPN))
    }

    var connecting: (context: TLSContext, serverName: String) { (client, "localhost") }
    var accepting: AcceptedSide { AcceptedSide(tls: server) }
}
