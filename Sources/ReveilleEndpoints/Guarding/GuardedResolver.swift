package import ReveilleNetwork

/// Finds the addresses of one endpoint's host, and gives them only when a request may go to every one of them.
///
/// Each call asks once and judges that very answer, and its caller connects to the addresses it was given: a name that changes
/// between the check and the connection changes nothing. Not the first good address of a mixed answer: who mixes, tries.
/// For connections of this one origin only; every other host or port is refused.
package final class GuardedResolver: Resolver {
    private let policy: EndpointPolicy
    private let url: EndpointURL
    private let kind: EndpointKind
    private let resolver: any Resolver

    /// Guards the way to a URL that the policy has taken by its text.
    ///
    /// - Parameter resolver: who is asked for names; literal addresses are judged without it.
    package init(policy: EndpointPolicy, url: EndpointURL, kind: EndpointKind, resolver: any Resolver) {
        self.policy = policy
        self.url = url
        self.kind = kind
        self.resolver = resolver
    }

    /// Gives the addresses of the endpoint's host.
    ///
    /// - Throws: ``EndpointRefusal`` when there is none or one that is not allowed, or `CancellationError`.
    package func resolve(_ host: String, port: UInt16) async throws -> [SocketAddress] {
        guard host == url.host.connectionName, port == url.port else { throw EndpointRefusal.refused }
        let addresses = try await addresses(port)
        do throws(EndpointFault) {
            try policy.check(try addresses.map(Self.address), of: url, kind: kind)
        } catch {
            throw EndpointRefusal.refused
        }
        return addresses.map { $0.with(port: port) }
    }

    private func addresses(_ port: UInt16) async throws -> [SocketAddress] {
        switch url.host {
        case .address:
            guard let address = SocketAddress(host: url.host.connectionName, port: port) else {
                throw EndpointRefusal.refused
            }
            return [address]
        case .name(let name):
            do {
                return try await resolver.resolve(name, port: port)
            } catch let error as CancellationError {
                throw error
            } catch {
                throw EndpointRefusal.refused
            }
        }
    }

    private static func address(_ address: SocketAddress) throws(EndpointFault) -> InternetAddress {
        // An address with an interface is one of this link, whatever its octets say.
        guard address.scope == 0, let octets = InternetAddress(octets: address.octets) else { throw .addresses }
        return octets
    }
}
