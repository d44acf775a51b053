internal import ReveilleRuntime
internal import ReveilleTLS

/// Connects to the first of some addresses that answers, TLS included, and hands the open socket over.
///
/// Belongs to one loop. The dialer keeps itself and its completion alive until the completion was called.
final class SocketDialer {
    /// What became of it.
    enum Outcome {
        /// An open socket; whoever takes it becomes its delegate.
        case opened(StreamSocket)
        /// Why the last address failed.
        case failed(SocketCloseReason)
    }

    private let tls: (context: TLSContext, serverName: String)?
    private let loop: EventLoop
    private let timeout: Duration
    private let isExact: Bool
    private var remaining: [SocketAddress]
    private var socket: StreamSocket?
    private var completion: ((Outcome) -> Void)?

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - addresses: At least one; tried in order.
    ///   - timeout: How long each address may take, TLS included.
    ///   - isExact: Whether the kernel must connect to the very address.
    ///   - completion: Called once, later.
    init(
        to addresses: some Sequence<SocketAddress>, tls: (context: TLSContext, serverName: String)?, on loop: EventLoop,
        timeout: Duration, exactly isExact: Bool = false, completion: @escaping (Outcome) -> Void
    ) {
        self.tls = tls
        self.loop = loop
        self.timeout = timeout
        self.isExact = isExact
        remaining = Array(addresses)
        self.completion = completion
        connectToNext()
    }

    /// Gives up; the completion hears of it later.
    func cancel() {
        remaining = []
        socket?.abort()
    }

    private func connectToNext() {
        let address = remaining.removeFirst()
        socket = StreamSocket.connect(
            to: address, tls: tls, on: loop, timeout: timeout, exactly: isExact, delegate: self)
    }

    private func complete(_ outcome: Outcome) {
        let completion = completion
        self.completion = nil
        socket = nil
        completion?(outcome)
    }
}

extension SocketDialer: StreamSocketDelegate {
    func socketDidOpen(_ socket: StreamSocket) { complete(.opened(socket)) }

    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        if remaining.isEmpty { complete(.failed(reason)) } else { connectToNext() }
    }

    // Until it is handed over nothing is written to the socket, and nothing read from it reaches this delegate.
    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {}
    func socketDidDrainInput(_ socket: StreamSocket) {}
    func socketDidDrainOutput(_ socket: StreamSocket) {}
    func socketDidReachEnd(_ socket: StreamSocket) {}
}
