package import ReveilleTLS

/// Why a socket is closed.
package enum SocketCloseReason: Sendable, Equatable {
    /// `close()` or `abort()` was called.
    case closedByUs
    /// Both directions ended in order, the peer's first.
    case closedByPeer
    /// The peer reset the connection, or the network lost it, after it was open.
    case reset
    /// The connection was not made.
    case connectFailed(ConnectFailure)
    /// Connection and TLS together took longer than allowed.
    case connectTimedOut
    /// TLS could not be agreed on; nothing of the application was sent.
    case tlsFailed(TLSError)
    /// TLS broke after the connection was open, for example by an end without close-notify.
    case tlsBroken(TLSError)
    /// What was queued did not leave before the instant that the owner set for it; the rest was dropped.
    case outputTooLate
    /// The kernel refused an operation on an open connection; the number is its errno value.
    case systemFailure(Int32)

    /// Whether bytes of the application may have reached the peer: false only if the connection was
    /// never open.
    ///
    /// `closedByUs` counts as true, because only the caller knows when it closed.
    package var bytesMayHaveLeft: Bool {
        switch self {
        case .connectFailed, .connectTimedOut, .tlsFailed: false
        case .closedByUs, .closedByPeer, .reset, .tlsBroken, .outputTooLate, .systemFailure: true
        }
    }

    /// A stable code for logs and metrics.
    package var code: String {
        switch self {
        case .closedByUs: "closed_by_us"
        case .closedByPeer: "closed_by_peer"
        case .reset: "reset"
        case .connectFailed(let failure): failure.rawValue
        case .connectTimedOut: "connect_timed_out"
        case .tlsFailed(let error), .tlsBroken(let error): error.code.rawValue
        case .outputTooLate: "output_too_late"
        case .systemFailure: "system_failure"
        }
    }
}
