internal import ReveilleCrypto
package import ReveilleNetwork
package import ReveilleRuntime
internal import ReveilleTLS
internal import ReveilleTelemetry
package import ReveilleTesting

/// What a scripted server says to one request.
package struct ScriptedReply: Sendable {
    package var status: Int
    package var fields: [(String, String)]
    package var body: String

    /// An answer.
    package init(_ status: Int, _ body: String = "", fields: [(String, String)] = []) {
        self.status = status
        self.body = body
        self.fields = fields
    }
}

/// A server over TLS that notes each request and answers as a test wants.
package final class ScriptedServer: HTTPHandler {
    /// The requests that came, in order.
    package let seen = Probe<[HTTPRequest]>([])
    /// The authority that signed its certificate.
    package let authorityPEM: String
    private let reply = Locked<@Sendable (HTTPRequest) -> ScriptedReply>({ _ in ScriptedReply(200) })
    /// Requests wait for their answers while this is true.
    private let isHolding = Probe(false)
    private let loop: EventLoop
    private let tls: TLSContext
    private let running = Locked<HTTPServer?>(nil)
    private let place = Locked(SocketAddress.loopback(port: 1))

    /// A server that does not listen yet.
    ///
    /// - Parameters:
    ///   - names: The names in its certificate.
    ///   - protocols: What it offers by ALPN.
    package init(on loop: EventLoop, names: [String], offering protocols: [String] = ["h2"]) throws {
        self.loop = loop
        let authority = try CertificateAuthority.generate(commonName: "Scripted")
        let certificate = try authority.issueServerCertificate(names: names, addresses: ["127.0.0.1"])
        authorityPEM = authority.certificatePEM
        tls = try TLSContext(
            server: TLSServerConfiguration(
                certificateChainPEM: certificate.certificateChainPEM, privateKeyPEM: certificate.privateKeyPEM,
                alpn: protocols))
    }

    /// Begins to listen, at another port each time.
    package func start() async throws {
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(address: .loopback(port: 0), tls: tls), loops: [loop],
            handler: self, errorResponse: { status, _ in HTTPResponse(status: status) }, log: .silent)
        let address = try await server.start()
        place.withLock { $0 = address }
        running.withLock { $0 = server }
    }

    /// Where it listens.
    package var address: SocketAddress { place.withLock { $0 } }

    /// Says GOAWAY on every connection, answers what has begun, and listens no more.
    package func stop() async {
        release()
        let server = running.withLock { server in
            defer { server = nil }
            return server
        }
        await server?.drain(within: .seconds(5))
    }

    /// How many connections were accepted.
    package var connectionsAccepted: Int { running.withLock { Int($0?.counts.acceptedConnections ?? 0) } }

    /// Answers from now on in this way.
    package func answer(_ reply: @escaping @Sendable (HTTPRequest) -> ScriptedReply) {
        self.reply.withLock { $0 = reply }
    }

    /// Lets requests wait.
    package func hold() { isHolding.update { $0 = true } }

    /// Answers those that wait.
    package func release() { isHolding.update { $0 = false } }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        seen.append(request)
        _ = try? await isHolding.wait { !$0 }
        let answer = reply.withLock { $0 }(request)
        var fields = HTTPFields()
        for (name, value) in answer.fields { fields.add(name, value) }
        return HTTPResponse(
            status: answer.status, fields: fields, body: answer.body.isEmpty ? .empty : .bytes(Array(answer.body.utf8)))
    }
}

/// Gives one address for every name, and counts how often it is asked.
package final class ScriptedResolver: Resolver {
    private let answer: Locked<[SocketAddress]>
    /// How often a name was looked up.
    package let count = Probe(0)

    /// Gives these addresses.
    package init(_ addresses: [SocketAddress]) { answer = Locked(addresses) }

    /// Gives other addresses from now on; without any, the name is not found.
    package func give(_ addresses: [SocketAddress]) { answer.withLock { $0 = addresses } }

    package func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] {
        count.update { $0 += 1 }
        return answer.withLock { $0 }
    }
}
