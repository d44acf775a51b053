package import ReveilleBytes

/// How a server makes TLS connections.
package struct TLSServerConfiguration: Sendable {
    /// The server's certificate and those between it and its root, as PEM.
    package var certificateChainPEM: String
    /// The key of the first certificate, as PEM without a pass phrase.
    package var privateKeyPEM: SecretText
    /// Application protocols in order of preference (RFC 7301).
    ///
    /// A client that offers others only is refused, one that offers none is accepted.
    package var applicationProtocols: [String]
    /// The versions of TLS that are offered or accepted.
    package var versions: ClosedRange<TLSVersion>
    /// Whether idle connections give back their 34 KiB of buffers, at the price of an allocation
    /// when they are used again.
    package var releasesIdleBuffers: Bool

    /// Makes a configuration.
    package init(
        certificateChainPEM: String, privateKeyPEM: SecretText,
        alpn applicationProtocols: [String] = [],
        versions: ClosedRange<TLSVersion> = TLSVersion.tls12 ... .tls13, releasesIdleBuffers: Bool = true
    ) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
        self.applicationProtocols = applicationProtocols
        self.versions = versions
        self.releasesIdleBuffers = releasesIdleBuffers
    }
}
