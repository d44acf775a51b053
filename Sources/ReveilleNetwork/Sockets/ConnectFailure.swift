internal import Glibc

/// Why a connection was not made.
package enum ConnectFailure: String, Sendable, CaseIterable {
    /// Nobody listens at the address.
    case refused = "connection_refused"
    /// The peer broke the connection off before it was open.
    case reset = "connection_reset"
    /// There is no way to the address.
    case unreachable = "network_unreachable"
    /// The kernel gave up waiting for an answer.
    case timedOut = "network_timed_out"
    /// The process or the machine has no descriptor or port left.
    case exhausted = "resources_exhausted"
    /// The kernel or a firewall on this machine forbids it.
    case forbidden = "not_permitted"
    /// The kernel connected to another address than it was told to.
    case elsewhere = "connected_elsewhere"
    /// Something else, as when the machine has no such kind of address.
    case other = "connect_failed"

    /// Translates an errno value.
    init(errno number: Int32) {
        self =
            switch number {
            case ECONNREFUSED: .refused
            case ECONNRESET, EPIPE, ECONNABORTED: .reset
            case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: .unreachable
            case ETIMEDOUT: .timedOut
            case EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EAGAIN: .exhausted
            case EACCES, EPERM: .forbidden
            default: .other
            }
    }
}
