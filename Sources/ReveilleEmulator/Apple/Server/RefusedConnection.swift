internal import ReveilleBytes
internal import ReveilleNetwork

/// A connection that a fault keeps from ever getting to HTTP/2.
final class RefusedConnection {
    /// A fatal alert, handshake_failure, of TLS 1.2 (RFC 5246 section 7.2), which every version understands.
    private static let handshakeFailure: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]

    private let action: AppleFaultAction
    private let world: AppleWorld
    private var socket: StreamSocket?

    init(_ action: AppleFaultAction, world: AppleWorld) {
        self.action = action
        self.world = world
    }

    /// Takes over an accepted descriptor.
    func begin(_ descriptor: Int32, from peer: SocketAddress) {
        let socket = StreamSocket(
            accepting: descriptor, peer: peer, tls: nil, on: world.loop, delegate: self)
        self.socket = socket
        switch action {
        case .refuseConnection(.reset): socket.abort()
        case .refuseConnection(.close): socket.close()
        case .refuseTLS, .stallTLS, .answer, .delay, .hold, .holdAnswer, .stall, .reset, .dropConnection,
            .halfClose, .silence, .goAway, .streamLimit:
            break
        }
    }

    /// Ends the connection without ceremony.
    func abort() {
        socket?.abort()
    }
}

extension RefusedConnection: StreamSocketDelegate {
    func socketDidOpen(_ socket: StreamSocket) {}

    /// The alert comes after the greeting: unread bytes would turn the end into a reset.
    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer) {
        guard case .refuseTLS = action else { return }
        socket.output.append(Self.handshakeFailure)
        socket.close()
    }

    func socketDidDrainInput(_ socket: StreamSocket) {}

    func socketDidDrainOutput(_ socket: StreamSocket) {}

    func socketDidReachEnd(_ socket: StreamSocket) {
        socket.close()
    }

    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason) {
        self.socket = nil
        world.forget(self)
    }
}
