package import ReveilleRuntime
package import ReveilleTLS
package import ReveilleTelemetry

/// Where a server listens, and how.
package struct HTTPServerConfiguration: Sendable {
    /// The address; port zero lets the kernel choose.
    package var address: SocketAddress
    /// The server's certificates; nil for plain TCP.
    ///
    /// The context's protocols say what is offered: `HTTPServer.applicationProtocols`.
    package var tls: TLSContext?
    /// What clients are granted.
    package var limits: HTTPServerLimits

    /// Makes a configuration.
    package init(
        address: SocketAddress, tls: TLSContext? = nil, limits: HTTPServerLimits = HTTPServerLimits()
    ) {
        self.address = address
        self.tls = tls
        self.limits = limits
    }
}

/// A server of HTTP/1.1 and HTTP/2.
///
/// With TLS the client chooses by ALPN; without, HTTP/2 is spoken to a client that starts with its preface. Each connection
/// lives on one of the loops, and so do the handlers it starts.
package final class HTTPServer: Sendable {
    /// Makes the answer to a request that the server itself refuses, from its status and a stable word.
    package typealias ErrorResponse = @Sendable (_ status: Int, _ code: String) -> HTTPResponse

    /// What to offer by ALPN, in order of preference.
    package static let applicationProtocols = ["h2", "http/1.1"]

    private enum Life {
        case idle
        case listening(Listener)
        case drained
    }

    private let configuration: HTTPServerConfiguration
    private let context: ServerContext
    private let shards: [ServerShard]
    private let life = Locked(Life.idle)

    /// A server that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: Where and how.
    ///   - loops: Who serves the connections; at least one. They must run until the server is drained.
    ///   - handler: Who answers.
    ///   - errorResponse: Answers for the server's own refusals.
    ///   - wallClock: For the Date field.
    ///   - log: Hears of starting, draining and, at level debug, of refused requests.
    package init(
        configuration: HTTPServerConfiguration, loops: [EventLoop], handler: any HTTPHandler,
        errorResponse: @escaping ErrorResponse, wallClock: any WallClock = SystemWallClock(), log: Log
    ) {
        precondition(!loops.isEmpty, "a server needs a loop")
        self.configuration = configuration
        let context = ServerContext(
            limits: configuration.limits, tls: configuration.tls, handler: handler,
            errorResponse: errorResponse, wallClock: wallClock, log: log)
        self.context = context
        shards = loops.map { ServerShard(loop: $0, context: context) }
    }

    /// What was counted so far.
    package var counts: HTTPServerCounts { context.counters.counts }

    /// Begins to listen.
    ///
    /// - Returns: the address, with the port that the kernel gave.
    /// - Throws: `SystemError` when the kernel refuses the address.
    /// - Precondition: called once.
    @discardableResult
    package func start() async throws(SystemError) -> SocketAddress {
        let shards = shards
        let listener = try Listener(
            address: configuration.address, loops: shards.map(\.loop), log: context.log
        ) { descriptor, peer, loop in
            guard let shard = shards.first(where: { $0.loop === loop }) else {
                preconditionFailure("a connection came to a loop that is not the server's")
            }
            shard.assumeIsolated { $0.accept(descriptor, from: peer) }
        }
        life.withLock { life in
            guard case .idle = life else { preconditionFailure("a server starts once") }
            life = .listening(listener)
        }
        context.log.info(
            "listening",
            [
                "address": .configured(listener.localAddress.text),
                "tls": .boolean(configuration.tls != nil),
            ])
        return listener.localAddress
    }

    /// Stops gracefully: no new connections, idle ones are closed, HTTP/2 clients are told GOAWAY, requests that have
    /// begun are answered.
    ///
    /// After the limit what is left is cut off and its handlers are cancelled.
    ///
    /// - Parameter limit: on the loops' clock.
    /// - Returns: whether everything ended within the limit.
    @discardableResult
    package func drain(within limit: Duration) async -> Bool {
        let listener: Listener? = life.withLock { life in
            switch life {
            case .listening(let listener):
                life = .drained
                return listener
            case .idle, .drained:
                life = .drained
                return nil
            }
        }
        await listener?.stopAndWait()
        let isComplete = await withTaskGroup(of: Bool.self) { group in
            for shard in shards { group.addTask { await shard.drain(within: limit) } }
            return await group.reduce(true) { $0 && $1 }
        }
        if listener != nil { context.log.info("drained", ["complete": .boolean(isComplete)]) }
        return isComplete
    }
}
