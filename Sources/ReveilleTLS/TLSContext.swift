internal import COpenSSL

/// What all TLS connections of one client or server share: certificates, authorities, protocols,
/// resumable sessions.
///
/// It may be used from any thread. The pointer is `nonisolated(unsafe)` because the context is set
/// up in `init` only, and OpenSSL counts references and guards its own tables in a context that is
/// used by several threads.
package final class TLSContext: Sendable {
    /// Which side of the connections this context is for.
    package enum Role: Sendable {
        /// Connects, verifies the peer.
        case client
        /// Accepts.
        case server
    }

    /// Which side of the connections this context is for.
    package let role: Role
    /// Whether a connection without a common application protocol is refused.
    let requiresApplicationProtocol: Bool
    /// Sessions that later connections may resume; nil if they are not kept.
    let cache: TLSSessionCache?
    nonisolated(unsafe) let pointer: OpaquePointer
    /// A server's protocols, to which OpenSSL points.
    private let protocols: ProtocolList

    /// Makes a context for connecting; throws `badConfiguration` if an authority or a protocol
    /// cannot be used.
    package init(client configuration: TLSClientConfiguration) throws(TLSError) {
        let context = try TLSContextBuilder(role: .client, versions: configuration.versions)
        protocols = try ProtocolList(configuration.applicationProtocols)
        requiresApplicationProtocol =
            configuration.requiresApplicationProtocol
            && !configuration.applicationProtocols.isEmpty
        try context.offer(protocols)
        try context.trust(configuration)
        cache = configuration.resumesSessions ? TLSSessionCache() : nil
        context.keepSessions(configuration.resumesSessions)
        role = .client
        pointer = context.finish()
    }

    /// Makes a context for accepting; throws `badConfiguration` if chain, key or a protocol cannot
    /// be used.
    package init(server configuration: TLSServerConfiguration) throws(TLSError) {
        let context = try TLSContextBuilder(role: .server, versions: configuration.versions)
        protocols = try ProtocolList(configuration.applicationProtocols)
        requiresApplicationProtocol = false
        try context.present(
            chainPEM: configuration.certificateChainPEM, keyPEM: configuration.privateKeyPEM)
        context.choose(from: protocols)
        if configuration.releasesIdleBuffers { context.releaseIdleBuffers() }
        cache = nil
        role = .server
        pointer = context.finish()
    }

    deinit { SSL_CTX_free(pointer) }

    /// Makes the session of one connection.
    ///
    /// - Parameter serverName: For clients: the name or address whose certificate is expected; a name is also sent to the
    ///   server (SNI, RFC 6066). Servers pass nil.
    /// - Throws: `badConfiguration` if a client gives no name or one that is none.
    package func makeSession(serverName: String? = nil) throws(TLSError) -> TLSSession {
        try TLSSession(context: self, serverName: serverName)
    }

    /// How many sessions wait to be resumed by connections to a name.
    package func resumableSessions(for serverName: String) -> Int {
        cache?.count(for: serverName) ?? 0
    }
}
