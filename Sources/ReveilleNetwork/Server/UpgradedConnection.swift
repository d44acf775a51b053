internal import ReveilleBytes
package import ReveilleRuntime

/// A connection whose bytes belong to another protocol than HTTP.
///
/// Confined to the loop of the connection: touch it there only.
package final class UpgradedConnection {
    /// Where the connection lives.
    package let loop: EventLoop
    /// Where the connection comes from.
    package let peer: SocketAddress

    private weak var socket: StreamSocket?
    /// The protocol keeps the connection and the connection the protocol, until the socket is closed.
    private var owner: (any UpgradedProtocol)?
    private let finish: () -> Void

    init(socket: StreamSocket, loop: EventLoop, peer: SocketAddress, finish: @escaping () -> Void) {
        self.socket = socket
        self.loop = loop
        self.peer = peer
        self.finish = finish
    }

    /// Bytes that the client has not read yet: a protocol that says much bounds them.
    package var pendingOutputBytes: Int { socket?.pendingOutputBytes ?? 0 }

    /// Puts bytes behind those that wait to go out.
    package func send(_ bytes: [UInt8]) {
        guard let socket, socket.isOpen else { return }
        socket.output.append(bytes)
    }

    /// Reads nothing more until `resumeReading`.
    package func pauseReading() { socket?.pauseReading() }

    /// Reads on.
    package func resumeReading() { socket?.resumeReading() }

    /// Ends the connection when what was sent has gone out.
    package func close() { finish() }

    /// Ends the connection at once; what has not gone out is lost.
    package func abort() { socket?.abort() }

    // MARK: From the server's connection

    func begin(_ owner: any UpgradedProtocol) {
        self.owner = owner
        owner.connectionDidBegin(self)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) { owner?.connection(self, didReceive: bytes) }

    func inputDrained() { owner?.connectionDidDrainInput(self) }

    func outputDrained() { owner?.connectionDidDrainOutput(self) }

    func reachedEnd() { owner?.connectionDidReachEnd(self) }

    func serverDrains() { owner?.connectionShouldEnd(self) }

    func closed() {
        let owner = owner.take()
        owner?.connectionDidClose(self)
    }
}

/// Speaks another protocol on a connection that began with HTTP.
///
/// All calls come on the connection's loop.
package protocol UpgradedProtocol: AnyObject {
    /// The connection is the protocol's: 101 is written.
    func connectionDidBegin(_ connection: UpgradedConnection)

    /// Bytes came; they are lent for the time of the call.
    func connection(_ connection: UpgradedConnection, didReceive bytes: UnsafeRawBufferPointer)

    /// All bytes that were there have been handed over: the moment to answer them together.
    func connectionDidDrainInput(_ connection: UpgradedConnection)

    /// Everything that was sent has gone to the kernel.
    func connectionDidDrainOutput(_ connection: UpgradedConnection)

    /// The client sends nothing more.
    func connectionDidReachEnd(_ connection: UpgradedConnection)

    /// The server stops: say goodbye and close, or be cut off when its time is over.
    func connectionShouldEnd(_ connection: UpgradedConnection)

    /// The connection is gone, or was told to close: nothing more comes from it.
    func connectionDidClose(_ connection: UpgradedConnection)
}
