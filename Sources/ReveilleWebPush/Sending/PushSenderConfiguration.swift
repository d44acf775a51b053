package import ReveilleEndpoints
internal import ReveilleHTTP2
internal import ReveilleNetwork
package import ReveilleSending
package import ReveilleTLS

/// Where one lane's subscriptions lead, and by which rules.
package struct PushSenderConfiguration: Sendable {
    /// The lane's origin as a URL.
    package let url: EndpointURL
    /// Whose rules apply.
    package let kind: EndpointKind
    /// The rules.
    package let policy: EndpointPolicy
    /// How TLS is made; see ``tlsConfiguration(authorityFile:)``.
    package let tls: TLSContext
    /// How the set of connections is kept, and what each may cost.
    package var sending: SendingConfiguration

    /// Reaches the push service of an origin.
    ///
    /// - Parameter origin: as `EndpointURL.origin` writes it.
    /// - Throws: what is wrong with the origin.
    package init(
        origin: String, kind: EndpointKind, policy: EndpointPolicy, tls: TLSContext
    ) throws(EndpointFault) {
        url = try EndpointURL(origin, kind: kind)
        self.kind = kind
        self.policy = policy
        self.tls = tls
        sending = Self.sending(to: url, tls)
    }

    /// What all connections to push services offer in TLS, those to other programs than browsers' services too: HTTP/2, or HTTP/1.1.
    package static func tlsConfiguration(authorityFile: String? = nil) -> TLSClientConfiguration {
        TLSClientConfiguration(
            alpn: HTTPClient.applicationProtocols, requiresApplicationProtocol: false, extraAuthorityFile: authorityFile
        )
    }

    /// The bounds on what a server that a client named may cost: five seconds to connect, ten to answer, 16 KiB of fields, 4 KiB of
    /// body, one check of its addresses a minute, and no connection kept for nothing.
    private static func sending(to url: EndpointURL, _ tls: TLSContext) -> SendingConfiguration {
        var sending = SendingConfiguration(host: url.host.connectionName, port: url.port, tls: tls)
        sending.connections = 4
        sending.separatesStandings = false
        sending.lastIdle = .seconds(90)
        sending.recheckInterval = .seconds(60)
        sending.maximumAge = .seconds(6 * 60 * 60)
        sending.limits.speaksHTTP1 = true
        sending.limits.requiresExactPeer = true
        sending.limits.maximumAddresses = 2
        sending.limits.connectTimeout = .milliseconds(2_500)
        sending.limits.requestDeadline = .seconds(10)
        sending.limits.http2.maximumStreams = 100
        sending.limits.http2.maximumHeaderListBytes = 16 * 1_024
        sending.limits.http2.keptBodyBytes = 4 * 1_024
        sending.limits.http2.maximumBodyBytes = 4 * 1_024
        sending.limits.http2.maximumDebugBytes = 64
        sending.limits.http2.streamWindowBytes = 64 * 1_024
        sending.limits.http2.connectionWindowBytes = 256 * 1_024
        return sending
    }
}
