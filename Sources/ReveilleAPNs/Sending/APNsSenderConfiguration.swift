package import ReveilleCore
package import ReveilleNetwork
package import ReveilleTLS

/// Where and how a sender reaches APNs.
package struct APNsSenderConfiguration: Sendable {
    /// The name of the service; sent as `:authority` and checked against its certificate.
    package var host: String
    /// 443, or 2197 where a firewall blocks the former.
    package var port: UInt16
    /// An address to use instead of looking the name up, for emulators.
    package var address: SocketAddress?
    /// How TLS is made; nil only for tests without it.
    package var tls: TLSContext?
    /// The most connections kept open at once for proven tokens; one more carries all others.
    package var connections = 2
    /// The times and sizes of each connection.
    package var limits = HTTP2ConnectionLimits()
    /// Another connection is opened when all were saturated at two looks this far apart.
    package var growthInterval: Duration = .milliseconds(100)
    /// A connection beyond the first that was not used for so long is closed.
    package var surplusIdle: Duration = .seconds(600)
    /// A connection is replaced at about this age, so that load follows the addresses of the name.
    package var maximumAge: Duration = .seconds(86_400)
    /// How old connections are looked for.
    package var upkeepInterval: Duration = .seconds(60)
    /// How long to wait before connecting again after failures.
    package var backoff = ConnectBackoff()

    /// Reaches a host.
    package init(host: String, port: UInt16 = 443, address: SocketAddress? = nil, tls: TLSContext?) {
        self.host = host
        self.port = port
        self.address = address
        self.tls = tls
    }

    /// The name of an environment (Apple, "Sending notification requests to APNs").
    package static func host(of environment: APNsEnvironment) -> String {
        switch environment {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }

    /// The value of `:authority`.
    var authority: String { port == 443 ? host : "\(host):\(port)" }
}
