/// An operator's word that endpoints of a kind may point to one host of the operator's own: an emulator, a distributor in the LAN.
package struct OperatorEndpoint: Hashable, Sendable {
    /// For which kind it speaks.
    package let kind: EndpointKind
    /// The exact host, as in a URL, in lower case.
    package let host: String
    /// The exact port.
    package let port: UInt16
    /// Where the host's addresses may lie.
    package let addresses: AddressBlock

    /// Describes an entry.
    package init(kind: EndpointKind, host: String, port: UInt16, addresses: AddressBlock) {
        self.kind = kind
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}

/// Which URLs that clients gave a server may send to.
///
/// Pure: names are resolved by whoever asks.
package struct EndpointPolicy: Sendable {
    private let operators: [OperatorEndpoint]

    /// The policy with what the operator allows beside it.
    package init(operators: [OperatorEndpoint] = []) {
        self.operators = operators
    }

    /// Reads and judges a URL, by its text alone.
    package func endpoint(_ text: String, kind: EndpointKind) throws(EndpointFault) -> EndpointURL {
        let url = try EndpointURL(text, kind: kind)
        guard entries(for: url, kind).isEmpty else {
            try checkLiteral(url, kind)
            return try withIdentifier(url, kind)
        }
        switch kind {
        case .webPush:
            guard case .name(let name) = url.host, PushServices.contain(name) else { throw .host }
        case .unifiedPush: try checkPublic(url)
        }
        guard kind.takes(port: url.port) else { throw .port }
        return try withIdentifier(url, kind)
    }

    /// Judges the addresses that a name has: there must be some, and none may be where the endpoint must not lead to.
    ///
    /// All of them, since whoever connects takes any. Asked at registration and again before every connection.
    package func check(
        _ addresses: [InternetAddress], of url: EndpointURL, kind: EndpointKind
    ) throws(EndpointFault) {
        let entries = entries(for: url, kind)
        let mayBe = { (address: InternetAddress) in
            entries.isEmpty
                ? PublicAddresses.contains(address) : entries.contains { $0.addresses.contains(address) }
        }
        guard !addresses.isEmpty, addresses.allSatisfy(mayBe) else { throw .addresses }
    }

    private func entries(for url: EndpointURL, _ kind: EndpointKind) -> [OperatorEndpoint] {
        operators.filter { $0.kind == kind && $0.host == url.host.text && $0.port == url.port }
    }

    private func checkLiteral(_ url: EndpointURL, _ kind: EndpointKind) throws(EndpointFault) {
        guard case .address(let address, _) = url.host else { return }
        do {
            try check([address], of: url, kind: kind)
        } catch {
            throw .blockedAddress
        }
    }

    private func checkPublic(_ url: EndpointURL) throws(EndpointFault) {
        switch url.host {
        case .address(let address, _):
            guard PublicAddresses.contains(address) else { throw .blockedAddress }
        case .name(let name):
            if SpecialNames.contain(name) { throw .specialName }
            guard name.contains(".") else { throw .singleLabel }
        }
    }

    private func withIdentifier(_ url: EndpointURL, _ kind: EndpointKind) throws(EndpointFault) -> EndpointURL {
        if kind == .unifiedPush, !url.hasIdentifier { throw .noIdentifier }
        return url
    }
}
