package import ReveilleHTTP2

/// The times and sizes that a client connection keeps to.
package struct HTTP2ConnectionLimits: Sendable {
    /// From the request's way out to the end of its response.
    package var requestDeadline: Duration = .seconds(10)
    /// To connect to one address, TLS included.
    package var connectTimeout: Duration = .seconds(5)
    /// How many addresses of a name are tried.
    package var maximumAddresses = 4
    /// Whether a server that chooses HTTP/1.1, or nothing, in TLS is spoken to in HTTP/1.1.
    package var speaksHTTP1 = false
    /// Whether a connection that the kernel made to another address than it was told to is broken off.
    package var requiresExactPeer = false
    /// No request is pulled while more octets than this wait for the network, so that requests do not grow old in a queue.
    ///
    /// With what one run may add it stays below what a socket encrypts at once.
    package var maximumPendingOutputBytes = 96 * 1_024
    /// When to ask whether the server is still there.
    package var pulse = ConnectionPulse.Limits()
    /// The limits of the protocol.
    package var http2 = HTTP2ClientLimits()

    /// The limits of a sender.
    package init() {}
}
