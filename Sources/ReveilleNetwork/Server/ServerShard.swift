internal import CLinux
import ReveilleRuntime
import ReveilleTelemetry

/// The connections of a server on one of its loops.
actor ServerShard {
    private enum Life {
        case serving
        case draining
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Runs the connections and their handlers.
    nonisolated let executor: LoopExecutor

    private let context: ServerContext
    private var life = Life.serving
    /// Connections with something left to be waited for: a request, a handler, output.
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var whenEmpty: OneShot<Void>?

    init(loop: EventLoop, context: ServerContext) {
        self.loop = loop
        executor = LoopExecutor(loop: loop)
        self.context = context
    }

    /// Takes over an accepted connection, or refuses it.
    func accept(_ descriptor: Int32, from peer: SocketAddress) {
        let counters = context.counters
        let limits = context.limits
        let count = counters.openConnections.increment()
        let isRefused = count > limits.maximumConnections
        guard case .serving = life,
            count <= limits.maximumConnections + limits.maximumRefusals
        else {
            _ = reveille_linux_close(descriptor)
            counters.openConnections.decrement()
            counters.refusedConnections.increment()
            context.log.debug("connection refused")
            return
        }
        if isRefused {
            counters.refusedConnections.increment()
        } else {
            counters.acceptedConnections.increment()
        }
        let connection = ServerConnection(shard: self, context: context, peer: peer)
        connections[ObjectIdentifier(connection)] = connection
        connection.assumeIsolated { $0.start(descriptor, isRefused: isRefused) }
        context.log.debug("connection accepted", ["open": .integer(count)])
    }

    /// Notes that a connection's socket is closed.
    func connectionDidClose() {
        context.counters.openConnections.decrement()
        context.log.debug("connection closed")
    }

    /// Forgets a connection that has nothing left to be waited for.
    ///
    /// Its socket, if it is still open, waits for the client's end.
    func retire(_ connection: ServerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        if connections.isEmpty { whenEmpty?.fulfil(()) }
    }

    /// Ends all connections; see `HTTPServer.drain`.
    func drain(within limit: Duration) async -> Bool {
        life = .draining
        drainConnections()
        context.log.debug("draining", ["waiting": .integer(connections.count)])
        guard !connections.isEmpty else { return true }
        let empty = OneShot<Void>()
        whenEmpty = empty
        let timer = loop.schedule(after: limit) { empty.fulfil(()) }
        // Nothing cancels this wait: it ends with the timer at the latest.
        try? await empty.wait()
        timer.cancel()
        guard !connections.isEmpty else { return true }
        cutOffConnections()
        return false
    }

    private func drainConnections() {
        for connection in connections.values { connection.assumeIsolated { $0.drain() } }
    }

    private func cutOffConnections() {
        for connection in connections.values { connection.assumeIsolated { $0.cutOff() } }
    }
}
