package import ReveilleNetwork
package import ReveilleTLS

/// Where and how the connections of one lane are made.
package struct SendingConfiguration: Sendable {
    /// The name of the service; sent as `:authority` and checked against its certificate.
    package var host: String
    /// 443 unless the provider has another one.
    package var port: UInt16
    /// An address to use instead of looking the name up, for emulators.
    package var address: SocketAddress?
    /// How TLS is made; nil only for tests without it.
    package var tls: TLSContext?
    /// The most connections kept open at once for proven tokens, and for all others when both share them.
    package var connections = 2
    /// Whether tries whose tokens are not proven travel apart, on one connection more.
    package var separatesStandings = true
    /// The times and sizes of each connection.
    package var limits = HTTP2ConnectionLimits()
    /// Another connection is opened when all were saturated at two looks this far apart.
    package var growthInterval: Duration = .milliseconds(100)
    /// A connection beyond the first that was not used for so long is closed.
    package var surplusIdle: Duration = .seconds(600)
    /// Any connection that was not used for so long is closed; nil keeps one.
    package var lastIdle: Duration?
    /// A connection is replaced at about this age, so that load follows the addresses of the name.
    package var maximumAge: Duration = .seconds(86_400)
    /// How old connections are looked for.
    package var upkeepInterval: Duration = .seconds(60)
    /// How old an answer of the resolver may be when a connection carries a request to one of its addresses; nil for any age.
    package var recheckInterval: Duration?
    /// How long to wait before connecting again after failures.
    package var backoff = ConnectBackoff()

    /// Reaches a host.
    package init(host: String, port: UInt16 = 443, address: SocketAddress? = nil, tls: TLSContext?) {
        self.host = host
        self.port = port
        self.address = address
        self.tls = tls
    }

    /// The value of `:authority`.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }
}
