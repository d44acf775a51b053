package import ReveilleNetwork

/// How an emulated push service is reached, and what it remembers.
package struct PushServiceConfiguration<Provider: PushServiceProvider>: Sendable {
    /// Where it listens; port 0 lets the kernel choose.
    package var address: SocketAddress
    /// Whether it speaks TLS; only a browser's WebSocket wants it without.
    package var usesTLS: Bool
    /// Host names of the server certificate.
    package var certificateNames: [String]
    /// Addresses of the server certificate.
    package var certificateAddresses: [String]
    /// What is offered by ALPN.
    package var protocols: [String]
    /// Streams at once on a connection.
    package var streamLimit: Int
    /// How the service behaves.
    package var settings: Provider.Settings
    /// How many requests are remembered, the newest.
    package var maximumRecords: Int
    /// The faults in force from the start.
    package var faults: [PushServiceFault]
    /// Changes the body of each request as it comes from the wire, before anything reads it; nil for a wire that changes nothing.
    ///
    /// For tests of whoever says what the service saw.
    package var wire: (@Sendable (_ body: inout [UInt8]) -> Void)?

    /// On a free port of the loopback interface unless told otherwise.
    package init(
        address: SocketAddress = .loopback(port: 0), settings: Provider.Settings, usesTLS: Bool = true,
        certificateNames: [String] = ["localhost"], certificateAddresses: [String] = ["127.0.0.1", "::1"],
        protocols: [String] = HTTPServer.applicationProtocols, streamLimit: Int = 1000,
        maximumRecords: Int = 100_000, faults: [PushServiceFault] = []
    ) {
        self.address = address
        self.settings = settings
        self.usesTLS = usesTLS
        self.certificateNames = certificateNames
        self.certificateAddresses = certificateAddresses
        self.protocols = protocols
        self.streamLimit = streamLimit
        self.maximumRecords = maximumRecords
        self.faults = faults
    }
}
