/// How a client makes TLS connections.
///
/// The peer's chain and name are always verified; there is no switch for it.
package struct TLSClientConfiguration: Sendable {
    /// Application protocols in order of preference (RFC 7301), for example `h2`; none sends no
    /// list.
    package var applicationProtocols: [String]
    /// Whether a server that chooses none of `applicationProtocols` is refused.
    package var requiresApplicationProtocol: Bool
    /// Certificates of further authorities as PEM, for emulators and private installations.
    package var extraAuthorityPEM: String?
    /// A file with certificates of further authorities as PEM.
    package var extraAuthorityFile: String?
    /// Whether the system's authorities are trusted.
    package var trustsSystemRoots: Bool
    /// The versions of TLS that are offered or accepted.
    package var versions: ClosedRange<TLSVersion>
    /// Whether later connections to the same name resume earlier ones (RFC 8446 section 2.2).
    package var resumesSessions: Bool

    /// Makes a configuration; the defaults are right for servers on the Internet.
    package init(
        alpn applicationProtocols: [String] = [], requiresApplicationProtocol: Bool = true,
        extraAuthorityPEM: String? = nil, extraAuthorityFile: String? = nil,
        trustsSystemRoots: Bool = true,
        versions: ClosedRange<TLSVersion> = TLSVersion.tls12 ... .tls13, resumesSessions: Bool = true
    ) {
        self.applicationProtocols = applicationProtocols
        self.requiresApplicationProtocol = requiresApplicationProtocol
        self.extraAuthorityPEM = extraAuthorityPEM
        self.extraAuthorityFile = extraAuthorityFile
        self.trustsSystemRoots = trustsSystemRoots
        self.versions = versions
        self.resumesSessions = resumesSessions
    }
}
