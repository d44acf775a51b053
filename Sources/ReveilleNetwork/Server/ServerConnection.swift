import ReveilleBytes
import ReveilleHTTP1
import ReveilleHTTP2
import ReveilleRuntime
import ReveilleTelemetry

/// One connection of a server, pinned to its loop: socket, protocol, deadlines, and the handlers it started.
actor ServerConnection {
    enum State {
        /// TCP is there, TLS perhaps not.
        case opening(isRefused: Bool)
        case http1(HTTP1ServerSession)
        case http2(HTTP2ServerSession)
        /// Another protocol has the connection.
        case upgraded(UpgradedConnection)
        /// The last answer goes out; what comes in is dropped.
        case closing
        /// Everything is with the kernel; the client's end is waited for.
        case ending
        case closed
    }

    nonisolated let loop: EventLoop
    nonisolated let executor: LoopExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let context: ServerContext
    let peer: SocketAddress
    private let shard: ServerShard
    var socket: StreamSocket?
    var state = State.opening(isRefused: false)
    var isDraining = false
    var deadlines = ConnectionDeadlines()
    var timer: LoopTimer?
    var date = DateField()

    /// Handlers that have not answered, by the number of their request.
    ///
    /// One that answers at once is never in here.
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var runningHandlers = 0
    var nextExchange: UInt64 = 0
    var hasRequestedEndOfTurn = false
    /// Everything that was ever put into the socket's output.
    var queuedBytes = 0

    var limits: HTTPServerLimits { context.limits }

    init(shard: ServerShard, context: ServerContext, peer: SocketAddress) {
        self.shard = shard
        self.context = context
        self.peer = peer
        loop = shard.loop
        executor = shard.executor
    }

    /// Takes over the descriptor.
    func start(_ descriptor: Int32, isRefused: Bool) {
        state = .opening(isRefused: isRefused)
        timer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.timerDidFire() } }
        setDeadline(.header, after: limits.headerTimeout)
        socket = StreamSocket(
            accepting: descriptor, peer: peer, tls: context.tls, on: loop,
            timeout: limits.headerTimeout, delegate: self)
    }

    /// Answers what has begun, and closes.
    func drain() {
        isDraining = true
        switch state {
        case .opening: closeGracefully()
        case .http1(let session): if session.isBetweenRequests { closeIdle(session) }
        case .http2(let session): drainHTTP2(session)
        case .upgraded(let connection): connection.serverDrains()
        case .closing, .ending, .closed: break
        }
    }

    private func closeIdle(_ session: HTTP1ServerSession) {
        switch session.phase {
        case .reading:
            session.phase = .ended
            closeGracefully()
        case .handling, .ended: break
        }
    }

    /// Closes at once and cancels the handlers.
    func cutOff() {
        for task in tasks.values { task.cancel() }
        socket?.abort()
    }

    /// Closes after what was written has gone out.
    func closeGracefully() {
        let upgraded: UpgradedConnection? = if case .upgraded(let connection) = state { connection } else { nil }
        defer { upgraded?.closed() }
        state = .closing
        clearReadDeadline()
        // Close once the client has everything: the socket's own graceful close waits only briefly.
        if let socket, socket.isOpen, socket.pendingOutputBytes > 0 {
            socket.finishWriting()
        } else {
            closeSocket()
        }
    }

    /// Says the end, and waits for the client's: closing earlier could destroy what the client has not read.
    private func closeSocket() {
        state = .ending
        socket?.close()
        retireIfDone()
    }

    // MARK: What the socket says

    private func didOpen() {
        guard case .opening(let isRefused) = state, let socket else { return }
        let speaksHTTP2 = socket.negotiatedProtocol == "h2"
        if isRefused { return refuseConnection(overHTTP2: speaksHTTP2) }
        if speaksHTTP2 {
            startHTTP2(with: nil)
        } else {
            state = .http1(
                HTTP1ServerSession(limits: limits.http1, mayBeHTTP2: !socket.isSecure))
        }
    }

    /// Says that the server is full.
    private func refuseConnection(overHTTP2: Bool) {
        if overHTTP2 {
            do throws(HTTP2Error) {
                let session = try HTTP2ServerSession(
                    limits: limits, unreadInAll: context.unreadAnswerBytes, now: loop.now())
                session.engine.terminate(.noError)
                if let socket { try session.engine.takeOutput(into: socket.output) }
            } catch {
                context.log.debug("HTTP/2 failed", ["code": .code(error.code)])
            }
        } else {
            let fault = HTTPServerFault.serverFull
            writeHTTP1(
                context.errorResponse(fault.status, fault.rawValue), isHead: false, .closes)
        }
        closeGracefully()
    }

    private func didReceive(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .http1(let session):
            session.input.append(bytes)
            if session.mayBeHTTP2 { detectHTTP2(session) } else { advanceHTTP1(session) }
        case .http2(let session): receiveHTTP2(session, bytes)
        case .upgraded(let connection): connection.receive(bytes)
        case .opening, .closing, .ending, .closed: break
        }
    }

    private func didDrainInput() {
        switch state {
        case .http2(let session): actOnNotes(session)
        case .upgraded(let connection): connection.inputDrained()
        case .opening, .http1, .closing, .ending, .closed: break
        }
    }

    private func didDrainOutput() {
        clearWriteDeadline()
        switch state {
        case .http1(let session):
            guard session.waitsForOutput else { return }
            session.waitsForOutput = false
            advanceHTTP1(session)
        case .http2(let session): flushHTTP2(session)
        case .upgraded(let connection): connection.outputDrained()
        case .closing: closeSocket()
        case .opening, .ending, .closed: break
        }
    }

    private func didReachEnd() {
        switch state {
        case .http1(let session):
            session.hasEnded = true
            advanceHTTP1(session)
        case .http2(let session): endHTTP2(session)
        case .upgraded(let connection): connection.reachedEnd()
        case .opening: closeSocket()
        case .closing: socket?.close()
        case .ending, .closed: break
        }
    }

    private func didClose(_ reason: SocketCloseReason) {
        if case .upgraded(let connection) = state { connection.closed() }
        state = .closed
        socket = nil
        timer?.cancel()
        timer = nil
        shard.assumeIsolated { $0.connectionDidClose() }
        retireIfDone()
    }

    /// Leaves the shard when nothing is left to wait for.
    func retireIfDone() {
        guard runningHandlers == 0 else { return }
        switch state {
        case .opening, .http1, .http2, .upgraded, .closing: return
        case .ending, .closed: break
        }
        shard.assumeIsolated { $0.retire(self) }
    }
}

extension ServerConnection: StreamSocketDelegate {
    nonisolated func socketDidOpen(_ socket: StreamSocket) {
        assumeIsolated { $0.didOpen() }
    }

    nonisolated func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        // Lent for the time of this call, which the isolated one does not outlast.
        nonisolated(unsafe) let bytes = bytes
        assumeIsolated { $0.didReceive(bytes) }
    }

    nonisolated func socketDidDrainInput(_ socket: StreamSocket) {
        assumeIsolated { $0.didDrainInput() }
    }

    nonisolated func socketDidDrainOutput(_ socket: StreamSocket) {
        assumeIsolated { $0.didDrainOutput() }
    }

    nonisolated func socketDidReachEnd(_ socket: StreamSocket) {
        assumeIsolated { $0.didReachEnd() }
    }

    nonisolated func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        assumeIsolated { $0.didClose(reason) }
    }
}
