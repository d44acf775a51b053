/// What the owner of a socket hears about it, all on the event loop's thread.
///
/// A call may use the socket in any way. None of the socket's methods calls back before it returns,
/// except `flush()`, which may call `socketDidDrainOutput(_:)`.
package protocol StreamSocketDelegate: AnyObject {
    /// The connection is made and TLS agreed on: bytes can go both ways.
    func socketDidOpen(_ socket: StreamSocket)
    /// Bytes of the peer came, lent for the time of the call.
    func socket(_ socket: StreamSocket, didReceive bytes: UnsafeRawBufferPointer)
    /// A batch of `didReceive` calls is over: the time to act on all of it.
    func socketDidDrainInput(_ socket: StreamSocket)
    /// Everything that was to be sent is with the kernel.
    func socketDidDrainOutput(_ socket: StreamSocket)
    /// The peer sends nothing more; it may still read.
    func socketDidReachEnd(_ socket: StreamSocket)
    /// The socket is closed. Called exactly once and last; the socket lets go of its delegate
    /// afterwards.
    func socket(_ socket: StreamSocket, didClose reason: SocketCloseReason)
}
