internal import ReveilleBytes
package import ReveilleHTTP2
package import ReveilleRuntime
package import ReveilleTLS

/// One HTTP/2 connection of a client: a socket, an engine, deadlines, and a source that it pulls requests from.
///
/// Over TLS the server must choose `h2`, unless ``HTTP2ConnectionLimits/speaksHTTP1`` allows for less; without TLS the connection
/// speaks HTTP/2 at once, by prior knowledge (RFC 9113 section 3.3). An answered request costs no allocation, hop or timer here. Belongs to one loop.
package final class HTTP2ClientConnection {
    /// What the connection can do.
    package enum State: Sendable {
        case connecting
        /// Requests are pulled.
        case open
        /// No more requests are pulled; those under way are waited for.
        case draining
        case closed
    }

    /// The protocol's name in TLS (RFC 9113 section 3.2).
    package static let protocolName = "h2"
    /// How many requests are submitted before their frames are written: few enough that they are still in the cache.
    private static let submitBatch = 16

    // What changes is private and read through properties: the compiler then knows all accesses and checks none at run time.
    private var presentState = State.connecting
    private var allowance = Int.max
    private var opened: MonotonicInstant?
    private var used: MonotonicInstant?
    private var answers = 0
    private var unanswered = 0
    private let loop: EventLoop
    private let limits: HTTP2ConnectionLimits
    private let engine: HTTP2ClientEngine
    private let deadlines = DeadlineQueue()
    /// Let go when the connection is closed.
    private var source: (any HTTP2RequestSource)?
    private let watchedFields: [StaticString]
    private var dialer: SocketDialer?
    /// What carries the requests instead when the server chose HTTP/1.1.
    private var http1: HTTP1PullSession?
    private var socket: StreamSocket?
    private var pulse: ConnectionPulse
    private var pings: UInt64 = 0
    private var upkeepTimer: LoopTimer?
    private var upkeepAt: MonotonicInstant?
    private var isPulling = false
    private var plannedEnd: ConnectionEnd?

    /// A connection that is not opened yet.
    ///
    /// - Throws: `http2_library_failure` when there is no memory.
    package init(
        loop: EventLoop, limits: HTTP2ConnectionLimits, watchedFields: [StaticString] = [],
        source: any HTTP2RequestSource
    ) throws(HTTP2Error) {
        self.loop = loop
        self.limits = limits
        self.source = source
        self.watchedFields = watchedFields
        engine = try HTTP2ClientEngine(limits: limits.http2, watchedFields: watchedFields)
        pulse = ConnectionPulse(limits: limits.pulse, openedAt: loop.now())
        upkeepTimer = loop.makeTimer { [unowned self] in upkeep() }
    }

    // MARK: Opening

    /// Connects to the first address that answers.
    ///
    /// Called once.
    package func open(to addresses: [SocketAddress], tls: (context: TLSContext, serverName: String)?) {
        precondition(dialer == nil && socket == nil && !addresses.isEmpty, "a connection is opened once, to an address")
        // The dialer holds this closure, and so the connection, until it calls it.
        dialer = SocketDialer(
            to: addresses.prefix(limits.maximumAddresses), tls: tls, on: loop, timeout: limits.connectTimeout,
            exactly: limits.requiresExactPeer
        ) { [self] outcome in
            dialer = nil
            switch outcome {
            case .opened(let socket): open(on: socket)
            case .failed(let reason): finish(.notOpened(reason))
            }
        }
    }

    /// Takes over a socket that is open and has carried nothing yet.
    ///
    /// Called once, instead of ``open(to:tls:)``.
    func open(on socket: StreamSocket) {
        self.socket = socket
        socket.delegate = self
        if socket.isSecure, socket.negotiatedProtocol != Self.protocolName {
            return openHTTP1(on: socket)
        }
        let now = loop.now()
        presentState = .open
        opened = now
        used = now
        pulse = ConnectionPulse(limits: limits.pulse, openedAt: now)
        planUpkeep()
        source?.connectionDidChange(self)
        pull()
        takeOutput()
    }

    private func openHTTP1(on socket: StreamSocket) {
        let chosen = socket.negotiatedProtocol ?? HTTP1ClientConnection.protocolName
        guard limits.speaksHTTP1, chosen == HTTP1ClientConnection.protocolName, let source else {
            return end(.noCommonProtocol)
        }
        self.source = nil
        upkeepTimer = nil
        let session = HTTP1PullSession(
            socket: socket, limits: limits, watchedFields: watchedFields, connection: self, source: source)
        http1 = session
        session.start()
    }

    // MARK: Use

    /// What the connection can do.
    package var state: State { http1?.state ?? presentState }
    /// When the connection opened; nil before.
    package var openedAt: MonotonicInstant? { http1?.opened ?? opened }
    /// When the last stream ended, or the connection opened.
    package var lastUsed: MonotonicInstant? { http1?.used ?? used }
    /// How many responses came.
    package var answeredCount: Int { http1?.answers ?? answers }
    /// Requests whose end was not handed to the source yet.
    package var openStreams: Int { http1?.openStreams ?? unanswered }
    /// The address that the connection is made to; nil while there is none.
    package var peer: SocketAddress? { http1?.peer ?? socket?.peer }

    /// How many streams the owner allows at present, beside the server's limit.
    package var streamAllowance: Int {
        get { allowance }
        set { allowance = newValue }
    }

    /// How many streams the server allows at once.
    package var peerStreamLimit: Int { http1 == nil ? engine.peerStreamLimit : 1 }

    /// How many streams would be opened now if there were requests.
    package var freeStreams: Int {
        if let http1 { return http1.isFree && allowance > 0 ? 1 : 0 }
        return presentState == .open ? max(0, min(allowance - engine.openStreams, engine.availableStreams)) : 0
    }

    /// The server's GOAWAY, if it said one.
    package var goAway: HTTP2GoAway? { engine.goAway }

    /// Pulls requests from the source until no stream is free, too much waits for the network, or there are no more.
    package func pull() {
        if let http1 { return http1.pull() }
        guard presentState == .open, !isPulling, let source, let socket else { return }
        let budget = freeStreams
        guard budget > 0, socket.pendingOutputBytes < limits.maximumPendingOutputBytes else { return }
        let now = loop.now()
        if pulse.isDoubtful(at: now) { return act(pulse.needed(at: now)) }
        isPulling = true
        source.connectionWillPull(self)
        let wasIdle = deadlines.isEmpty
        let submitted = submit(upTo: budget, from: source, to: socket, deadline: now + limits.requestDeadline)
        isPulling = false
        guard submitted > 0 else { return }
        if wasIdle { planUpkeep() }
        // The library may have refused some of them.
        deliverEnded()
    }

    /// The request that the source is filling must be with the kernel by an instant; if not, the connection ends instead.
    package func mustLeave(by deadline: MonotonicInstant) {
        if let http1 { http1.mustLeave(by: deadline) } else { socket?.mustLeave(by: deadline) }
    }

    /// Submits requests and hands their frames to the socket, a few at a time.
    private func submit(
        upTo budget: Int, from source: any HTTP2RequestSource, to socket: StreamSocket, deadline: MonotonicInstant
    ) -> Int {
        var submitted = 0
        while submitted < budget, let stream = engine.takeStream() {
            guard source.connection(self, fill: stream) else {
                engine.giveBack(stream)
                break
            }
            engine.submit(stream)
            unanswered += 1
            deadlines.append(stream.index, deadline)
            submitted += 1
            if submitted % Self.submitBatch == 0 {
                takeOutput()
                if socket.pendingOutputBytes >= limits.maximumPendingOutputBytes { break }
            }
        }
        if submitted > 0 { takeOutput() }
        return submitted
    }

    /// Takes no more requests, and closes when those under way have ended.
    package func retire() {
        if let http1 { return http1.retire() }
        switch presentState {
        case .connecting: abort()
        case .open:
            plannedEnd = plannedEnd ?? .retired
            presentState = .draining
            source?.connectionDidChange(self)
            closeIfDone()
        case .draining, .closed: break
        }
    }

    /// Closes at once; streams under way end as lost.
    package func abort() {
        if let http1 { return http1.abort() }
        end(.retired)
    }

    // MARK: Bytes

    /// Hands the socket what the engine has to say; it goes out at the end of the loop's turn.
    private func takeOutput() {
        guard let socket, engine.wantsOutput else { return }
        do throws(HTTP2Error) {
            try engine.takeOutput(into: socket.output)
        } catch {
            plannedEnd = plannedEnd ?? .protocolViolation(error.code)
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        pulse.heard(at: loop.now())
        do throws(HTTP2Error) {
            try engine.receive(bytes)
        } catch {
            takeOutput()
            return end(.protocolViolation(error.code))
        }
        deliverEnded()
    }

    /// Hands out the streams that have ended; their rooms are free afterwards.
    private func deliverEnded() {
        guard let source else { return }
        while let stream = engine.takeEndedStream() {
            deadlines.remove(stream.index)
            unanswered -= 1
            if stream.end == .answered { answers += 1 }
            source.connection(self, didEnd: stream)
            engine.giveBack(stream)
        }
    }

    private func afterInput() {
        guard presentState == .open || presentState == .draining else { return }
        if deadlines.isEmpty { used = loop.now() }
        let notices = engine.takeNotices()
        if notices.contains(.goAwayReceived), presentState == .open {
            plannedEnd = plannedEnd ?? .serverLeft
            presentState = .draining
        }
        if !notices.isEmpty { source?.connectionDidChange(self) }
        // What the library resets by itself, as it does with malformed responses, ends when the reset leaves.
        takeOutput()
        deliverEnded()
        pull()
        takeOutput()
        closeIfDone()
    }

    // MARK: Time

    private var busySince: MonotonicInstant? {
        deadlines.earliest.map { $0.deadline - limits.requestDeadline }
    }

    private func planUpkeep() {
        let tick = pulse.nextTick(busySince: busySince)
        let due = deadlines.earliest.map { min($0.deadline, tick) } ?? tick
        if let upkeepAt, upkeepAt <= due { return }
        upkeepAt = due
        upkeepTimer?.start(at: due)
    }

    private func upkeep() {
        upkeepAt = nil
        guard presentState == .open || presentState == .draining else { return }
        let now = loop.now()
        while let (room, deadline) = deadlines.earliest, deadline <= now {
            if pulse.isSilent(since: deadline - limits.requestDeadline) { return end(.silent) }
            deadlines.remove(room)
            engine.cancel(engine.stream(inRoom: room))
        }
        act(pulse.tick(at: now, busySince: busySince))
        guard presentState != .closed else { return }
        takeOutput()
        deliverEnded()
        pull()
        closeIfDone()
        planUpkeep()
    }

    private func act(_ step: ConnectionPulse.Step) {
        switch step {
        case .nothing: break
        case .ask:
            pings += 1
            // A PING that cannot be queued is one that is not answered.
            try? engine.ping(pings)
            takeOutput()
        case .giveUp: return end(.silent)
        }
        planUpkeep()
    }

    // MARK: The end

    private func closeIfDone() {
        guard presentState == .open || presentState == .draining else { return }
        if engine.isFinished {
            if engine.goAway == nil { plannedEnd = plannedEnd ?? .protocolViolation(.protocolViolation) }
            presentState = .draining
            socket?.close()
        } else if presentState == .draining, engine.openStreams == 0 {
            engine.sayGoAway()
            takeOutput()
            socket?.close()
        } else if presentState == .open, !engine.takesStreams {
            retire()
        }
    }

    /// Ends the connection at once.
    private func end(_ reason: ConnectionEnd) {
        guard presentState != .closed else { return }
        plannedEnd = plannedEnd ?? reason
        if let socket {
            socket.abort()
        } else if let dialer {
            dialer.cancel()
        } else {
            finish(reason)
        }
    }

    private func finish(_ reason: ConnectionEnd) {
        guard presentState != .closed else { return }
        presentState = .closed
        upkeepTimer?.cancel()
        upkeepTimer = nil
        engine.connectionDidEnd()
        deliverEnded()
        socket = nil
        source?.connection(self, didClose: plannedEnd ?? reason)
        source = nil
    }
}

// MARK: - The socket

extension HTTP2ClientConnection: StreamSocketDelegate {
    package func socketDidOpen(_ socket: StreamSocket) {}

    package func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        receive(bytes)
    }

    package func socketDidDrainInput(_ socket: StreamSocket) {
        afterInput()
    }

    package func socketDidDrainOutput(_ socket: StreamSocket) {
        guard presentState == .open || presentState == .draining else { return }
        takeOutput()
        deliverEnded()
        pull()
    }

    package func socketDidReachEnd(_ socket: StreamSocket) {
        socket.close()
    }

    package func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        // The GOAWAY and the end of the stream may come in one piece.
        finish(engine.goAway == nil ? .lost(reason) : .serverLeft)
    }
}
