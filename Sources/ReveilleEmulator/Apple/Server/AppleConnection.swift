internal import ReveilleBytes
internal import ReveilleHTTP2
internal import ReveilleNetwork
internal import ReveilleRuntime
internal import ReveilleTLS

/// One connection of a sender to the emulated Apple.
///
/// Lives on the world's event loop.
final class AppleConnection {
    /// How the connection goes on.
    enum Phase {
        /// As Apple would.
        case serving
        /// It ends when what GOAWAY covers is answered.
        case endingWhenAnswered
        /// It ends when this turn's bytes are read.
        case dropping(DropManner)
        /// Nothing is written any more; reading goes on.
        case halfClosed
        /// Nothing is written and nothing is read any more.
        case silent
        /// The socket is closed.
        case closed
    }

    /// A request that is complete and has no answer yet.
    struct Unanswered {
        let number: UInt64
        let apnsID: String
        /// The answer to give when the time comes; nil when there will be none or the request is yet to be judged.
        var answer: AppleAnswer?
        /// A request that is judged when it is released.
        var unjudged: ArrivedRequest?
    }

    /// The flood limits are out of the way: an emulator serves load generators too.
    private static let limits: HTTP2ServerLimits = {
        let unlimited = HTTP2ServerLimits.Rate(burst: 1_000_000, perSecond: 1_000_000)
        var limits = HTTP2ServerLimits(
            maximumConcurrentStreams: APNsEmulatorConfiguration.streamLimitBeforeToken)
        limits.resets = unlimited
        limits.controlFrames = unlimited
        limits.windowUpdates = unlimited
        return limits
    }()

    let number: Int
    let environment: AppleEnvironment
    let world: AppleWorld
    private(set) var socket: StreamSocket?
    let engine: HTTP2ServerEngine
    var phase = Phase.serving
    var credential = ConnectionCredential()
    var arriving = ArrivingRequests()
    var unanswered: [Int32: Unanswered] = [:]
    /// The limit of streams that was announced last.
    var announcedLimit = APNsEmulatorConfiguration.streamLimitBeforeToken
    /// The newest stream that was answered.
    var lastAnswered: Int32 = 0
    private var isOpen = false
    /// Whether the engine holds output back until the socket's is gone.
    private var hasMoreOutput = false
    /// Whether bytes of the sender are being read, so that output is taken afterwards.
    private var isReading = false

    init(
        number: Int, environment: AppleEnvironment, world: AppleWorld
    ) throws(HTTP2Error) {
        self.number = number
        self.environment = environment
        self.world = world
        engine = try HTTP2ServerEngine(limits: Self.limits, at: world.loop.now().nanoseconds)
        engine.delegate = self
    }

    /// Whether requests still get what the rules or a fault say.
    var mayAnswer: Bool {
        switch phase {
        case .serving, .endingWhenAnswered: true
        case .dropping, .halfClosed, .silent, .closed: false
        }
    }

    /// Takes over an accepted descriptor.
    func begin(_ descriptor: Int32, from peer: SocketAddress, tls: TLSContext) {
        socket = StreamSocket(
            accepting: descriptor, peer: peer, tls: tls, on: world.loop, delegate: self)
    }

    /// Ends the connection without ceremony.
    func abort() {
        socket?.abort()
    }

    // MARK: Output

    /// Sends what the engine has to say and ends what is to end, unless bytes are being read, after which it is done anyway.
    func send() {
        guard !isReading, let socket else { return }
        switch phase {
        case .halfClosed, .silent, .closed: break
        case .serving, .endingWhenAnswered, .dropping:
            takeOutput(for: socket)
            endIfDue(socket)
        }
        world.changed()
    }

    private func takeOutput(for socket: StreamSocket) {
        let output = socket.output
        do throws(HTTP2Error) {
            try engine.takeOutput(into: output)
        } catch {
            // What is queued, a GOAWAY perhaps, still goes out.
            phase = .dropping(.close)
        }
        hasMoreOutput = output.count >= Self.limits.maximumPendingOutputBytes
    }

    private func endIfDue(_ socket: StreamSocket) {
        switch phase {
        case .dropping(.reset): socket.abort()
        case .dropping(.close): socket.close()
        case .endingWhenAnswered:
            if unanswered.isEmpty, arriving.isEmpty, !hasMoreOutput { socket.close() }
        case .serving, .halfClosed, .silent, .closed: break
        }
    }
}

extension AppleConnection: StreamSocketDelegate {
    func socketDidOpen(_ socket: StreamSocket) {
        // Apple speaks nothing but HTTP/2. Senders without ALPN exist (aioapns); their first bytes have to tell.
        guard socket.negotiatedProtocol ?? "h2" == "h2" else {
            socket.close()
            return
        }
        isOpen = true
        world.counters.connectionsOpen += 1
        send()
    }

    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        switch phase {
        case .serving, .endingWhenAnswered, .halfClosed: break
        case .dropping, .silent, .closed: return
        }
        isReading = true
        do throws(HTTP2Error) {
            try engine.receive(bytes, at: world.loop.now().nanoseconds)
        } catch {
            world.counters.protocolErrors += 1
            phase = .dropping(.close)
        }
    }

    func socketDidDrainInput(_ socket: StreamSocket) {
        isReading = false
        send()
    }

    func socketDidDrainOutput(_ socket: StreamSocket) {
        guard hasMoreOutput else { return }
        send()
    }

    func socketDidReachEnd(_ socket: StreamSocket) {
        socket.close()
    }

    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        phase = .closed
        if isOpen {
            world.counters.connectionsOpen -= 1
        } else {
            world.counters.handshakesFailed += 1
        }
        world.counters.incomplete += arriving.count
        world.counters.lost += unanswered.count
        for request in unanswered.values {
            world.records.setAnswer(.connectionLost, of: request.number)
        }
        arriving.removeAll()
        unanswered.removeAll()
        self.socket = nil
        world.forget(self)
    }
}
