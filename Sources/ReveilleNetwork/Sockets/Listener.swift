internal import CLinux
internal import Glibc
package import ReveilleRuntime
package import ReveilleTelemetry

/// A listening TCP socket that hands accepted connections to event loops in turn.
///
/// Full behaviour: the kernel queues up to `backlog` connections; when the process has no
/// descriptor left, accepting pauses and is tried again, while connections wait in that queue.
package final class Listener: Sendable {
    /// Called on the loop that is to have the connection, with a non-blocking descriptor that is
    /// its owner's to close.
    package typealias AcceptHandler =
        @Sendable (_ descriptor: Int32, _ peer: SocketAddress, _ loop: EventLoop) -> Void

    /// The usual length of the kernel's queue of connections that nobody accepted yet.
    package static let usualBacklog: Int32 = 1024

    /// The address that the kernel gave, with the port if zero was asked for.
    package let localAddress: SocketAddress
    private let acceptor: ConnectionAcceptor

    /// Listens at once; accepting begins when the first loop runs.
    ///
    /// - Parameters:
    ///   - address: Where to listen; port zero lets the kernel choose. IPv6 addresses take no IPv4 connections.
    ///   - loops: Who gets the connections, in turn; the first one accepts. At least one.
    ///   - backlog: The length of the kernel's queue.
    ///   - log: Hears when accepting has to pause.
    ///   - onAccept: Gets each connection.
    /// - Throws: `SystemError` with the call that the kernel refused, as when the address is in use.
    package init(
        address: SocketAddress, loops: [EventLoop], backlog: Int32 = Listener.usualBacklog,
        log: Log? = nil, onAccept: @escaping AcceptHandler
    ) throws(SystemError) {
        precondition(!loops.isEmpty)
        let descriptor = try SystemError.check(
            reveille_linux_socket(address.systemFamily, Int32(SOCK_STREAM.rawValue)), "socket")
        do {
            try Self.listen(descriptor, address, backlog)
            localAddress = try SocketAddress.local(of: descriptor)
        } catch {
            _ = reveille_linux_close(descriptor)
            throw error
        }
        let acceptor = ConnectionAcceptor(
            descriptor: descriptor, loops: loops, log: log, onAccept: onAccept)
        self.acceptor = acceptor
        acceptor.loop.execute { acceptor.assumeIsolated { $0.start() } }
    }

    /// Closes the listening socket soon; connections that were accepted are not touched.
    package func stop() {
        let acceptor = acceptor
        acceptor.loop.execute { acceptor.assumeIsolated { $0.stop() } }
    }

    /// Closes the listening socket; afterwards new connections are refused.
    package func stopAndWait() async {
        await acceptor.stop()
    }

    /// How often accepting had to pause because the process or the machine had no descriptors or
    /// memory left.
    package func pauseCount() async -> Int {
        await acceptor.pauseCount
    }

    private static func listen(
        _ descriptor: Int32, _ address: SocketAddress, _ backlog: Int32
    ) throws(SystemError) {
        try bind(descriptor, address)
        try SystemError.check(reveille_linux_listen(descriptor, backlog), "listen")
    }

    private static func bind(_ descriptor: Int32, _ address: SocketAddress) throws(SystemError) {
        try SystemError.check(
            reveille_linux_set_option(
                descriptor, REVEILLE_LINUX_SOL_SOCKET, REVEILLE_LINUX_SO_REUSEADDR, 1), "setsockopt")
        if address.family == .ipv6 {
            try SystemError.check(
                reveille_linux_set_option(
                    descriptor, REVEILLE_LINUX_IPPROTO_IPV6, REVEILLE_LINUX_IPV6_V6ONLY, 1),
                "setsockopt")
        }
        try SystemError.check(
            address.withSystemAddress { reveille_linux_bind(descriptor, $0, $1) }, "bind")
    }

    /// Keeps an address on which nobody listens: connections are refused, and no other socket of the machine gets the port.
    ///
    /// A ``Listener`` may be made on it meanwhile. Let go when the last reference goes.
    package final class Hold: Sendable {
        private let descriptor: Int32

        /// Takes the address.
        package init(_ address: SocketAddress) throws(SystemError) {
            descriptor = try SystemError.check(
                reveille_linux_socket(address.systemFamily, Int32(SOCK_STREAM.rawValue)), "socket")
            do {
                try Listener.bind(descriptor, address)
            } catch {
                _ = reveille_linux_close(descriptor)
                throw error
            }
        }

        deinit { _ = reveille_linux_close(descriptor) }
    }
}
