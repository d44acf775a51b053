internal import CLinux
internal import Glibc
package import ReveilleBytes
package import ReveilleRuntime
package import ReveilleTLS

/// One TCP connection, with or without TLS, on an event loop.
///
/// Confined to the loop's thread. The loop keeps the socket alive until it is closed, and the
/// socket its delegate until `didClose` has been called. Reading and writing allocate nothing once
/// the buffers are warm.
///
/// Back-pressure: `pauseReading()` stops the peer; the owner bounds what it puts into `output`, by
/// `pendingOutputBytes` and `socketDidDrainOutput(_:)`.
package final class StreamSocket {
    /// Where the connection stands.
    enum Life {
        case connecting
        case handshaking
        case open
        /// `close()` was called: output goes out, input is thrown away.
        case lingering
        case closed
    }

    /// Where the peer's direction stands.
    enum Input {
        case flowing
        case paused
        case ended
    }

    /// Where our direction stands.
    enum Output {
        case flowing
        /// The end follows what is queued.
        case finishing
        /// TLS has said its end, and the kernel has not taken all of it.
        case ending
        /// The end is sent.
        case finished
        /// The kernel takes nothing any more; what the peer sent before may still be there.
        case broken
    }

    /// What is left to do at the end of a turn.
    struct Duties: OptionSet {
        let rawValue: UInt8
        static let announceOpen = Duties(rawValue: 1)
        static let readBacklog = Duties(rawValue: 2)
        static let flush = Duties(rawValue: 4)
        static let announceClose = Duties(rawValue: 8)
    }

    /// The address of the other side.
    package let peer: SocketAddress
    /// The loop that the socket lives on.
    package let loop: EventLoop

    var delegate: (any StreamSocketDelegate)?
    let tls: TLSSession?
    let scratch: SocketScratch
    /// What is to be sent, before TLS.
    let plaintext = ByteQueue()
    var descriptor: Int32
    var registration: DescriptorRegistration?
    var timer: LoopTimer?

    var life: Life
    /// Whether the kernel must have connected to ``peer`` itself.
    private(set) var isExact = false
    var input = Input.flowing
    var outputState = Output.flowing
    /// Whether the kernel took less than it was given.
    var isBlocked = false
    /// Whether something was queued since the owner last heard that all is sent.
    var hasUnreportedOutput = false
    var discardedBytes = 0
    var outputDeadline = OutputDeadline()
    /// Octets of plaintext that are with the kernel.
    var sentBytes: UInt64 = 0
    /// Octets of plaintext that are encrypted and of which the kernel has not taken all.
    var encryptedBytes = 0
    var closeReason: SocketCloseReason?
    private var duties: Duties = []
    private var isEndOfTurnRequested = false

    private init(
        life: Life, descriptor: Int32, peer: SocketAddress, tls: TLSSession?, loop: EventLoop,
        delegate: any StreamSocketDelegate
    ) {
        loop.preconditionCurrent()
        self.life = life
        self.descriptor = descriptor
        self.peer = peer
        self.tls = tls
        self.loop = loop
        self.delegate = delegate
        scratch = .ofThisThread()
    }

    deinit {
        if descriptor >= 0 { _ = reveille_linux_close(descriptor) }
    }

    /// Begins to connect.
    ///
    /// The delegate hears of success or failure later, never before this returns.
    ///
    /// - Parameters:
    ///   - address: Where to.
    ///   - tls: Client context, and the name or address that the server's certificate must have; nil for plain TCP.
    ///   - loop: The loop whose thread calls.
    ///   - timeout: How long connection and TLS handshake may take together.
    ///   - isExact: Whether the kernel must connect to the very address; it takes 0.0.0.0 for this machine, for example.
    ///   - delegate: Kept until `didClose`.
    package static func connect(
        to address: SocketAddress, tls: (context: TLSContext, serverName: String)?,
        on loop: EventLoop, timeout: Duration, exactly isExact: Bool = false, delegate: any StreamSocketDelegate
    ) -> StreamSocket {
        var session: TLSSession?
        var failure: SocketCloseReason?
        do {
            session = try tls?.context.makeSession(serverName: tls?.serverName)
        } catch {
            failure = .tlsFailed(error)
        }
        let socket = StreamSocket(
            life: .connecting, descriptor: -1, peer: address, tls: session, loop: loop,
            delegate: delegate)
        socket.isExact = isExact
        if let failure {
            socket.closeNow(failure)
        } else {
            socket.startConnecting(timeout: timeout)
        }
        return socket
    }

    /// Takes over an accepted, non-blocking descriptor.
    ///
    /// The delegate hears of the opening later, never before this returns.
    ///
    /// - Parameters:
    ///   - descriptor: Closed by the socket, also if anything fails.
    ///   - peer: Where the connection comes from.
    ///   - tls: Server context; nil for plain TCP.
    ///   - loop: The loop whose thread calls.
    ///   - timeout: How long the TLS handshake may take.
    ///   - delegate: Kept until `didClose`.
    package convenience init(
        accepting descriptor: Int32, peer: SocketAddress, tls: TLSContext?, on loop: EventLoop,
        timeout: Duration = StreamSocketLimits.acceptTime, delegate: any StreamSocketDelegate
    ) {
        var session: TLSSession?
        var failure: SocketCloseReason?
        do {
            session = try tls?.makeSession()
        } catch {
            failure = .tlsFailed(error)
        }
        self.init(
            life: session == nil ? .open : .handshaking, descriptor: descriptor, peer: peer,
            tls: session, loop: loop, delegate: delegate)
        if let failure {
            closeNow(failure)
        } else {
            startAccepted(timeout: timeout)
        }
    }

    // MARK: What the owner uses

    /// Where bytes for the peer are appended; sent at the end of the turn, or by `flush()`.
    ///
    /// Take it from here each time: taking it is what asks for the sending.
    package var output: ByteQueue {
        hasUnreportedOutput = true
        request(.flush)
        return plaintext
    }

    /// Bytes that the kernel has not taken yet, before and after encryption.
    package var pendingOutputBytes: Int {
        plaintext.count + (tls?.output.count ?? 0)
    }

    /// Whether bytes can go both ways.
    package var isOpen: Bool {
        switch life {
        case .open: true
        case .connecting, .handshaking, .lingering, .closed: false
        }
    }

    /// Whether the connection is encrypted.
    package var isSecure: Bool { tls != nil }
    /// The application protocol that TLS agreed on, once open.
    package var negotiatedProtocol: String? { tls?.negotiatedProtocol }
    /// Whether TLS resumed an earlier session.
    package var isResumed: Bool { tls?.isResumed ?? false }

    /// The address of this side; nil if there is no connection.
    package var localAddress: SocketAddress? {
        guard descriptor >= 0 else { return nil }
        return try? SocketAddress.local(of: descriptor)
    }

    // MARK: End of turn

    /// Asks for something to be done at the end of the turn.
    func request(_ duty: Duties) {
        duties.insert(duty)
        guard !isEndOfTurnRequested else { return }
        isEndOfTurnRequested = true
        loop.atEndOfTurn(self)
    }

    /// Says whether a duty is due, which it then no longer is.
    func take(_ duty: Duties) -> Bool {
        duties.remove(duty) != nil
    }
}

extension StreamSocket: EndOfTurnHandler {
    package func turnDidEnd() {
        if take(.announceOpen) { announceOpen() }
        if take(.readBacklog) { readBacklog() }
        if take(.flush) { flush() }
        isEndOfTurnRequested = false
        if take(.announceClose) { return announceClose() }
        // What a delegate asked for meanwhile comes after other sockets had their turn.
        if !duties.isEmpty { request(duties) }
    }
}

extension StreamSocket: DescriptorHandler {
    package func descriptorReady(_ readiness: Readiness) {
        if take(.announceOpen) { announceOpen() }
        switch life {
        case .closed: return
        case .connecting: finishConnecting()
        case .handshaking, .open, .lingering:
            if readiness.contains(.writable) { flush() }
            if readiness.contains(.readable) || readiness.contains(.hangup) || readiness.contains(.error) {
                readBatch()
            }
        }
    }
}
