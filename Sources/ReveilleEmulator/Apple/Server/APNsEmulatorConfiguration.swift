package import ReveilleNetwork

/// How the emulated Apple behaves.
package struct APNsEmulatorConfiguration: Sendable {
    /// What the emulator remembers of the requests it saw.
    package enum Keeping: Sendable, Equatable {
        /// Each request with its headers and its body, the newest so many.
        case everything(maximumRequests: Int)
        /// Ids, tokens and collapse ids of accepted pushes, as many as fit so many bytes: for large runs.
        case idsOnly(maximumBytes: Int)
    }

    /// Where each environment listens; at least one.
    ///
    /// Port 0 lets the kernel choose.
    package var addresses: [AppleEnvironment: SocketAddress]
    /// Host names of the server certificate.
    package var certificateNames: [String]
    /// Addresses of the server certificate.
    package var certificateAddresses: [String]
    /// Which provider tokens are good.
    package var providerTokens: AcceptedProviderTokens
    /// Bundle IDs that may be pushed to; nil for all.
    package var bundleIDs: Set<String>?
    /// What happens with tokens that nobody registered; they are not adopted when only ids are kept.
    package var unknownTokens: UnknownTokens
    /// Streams at once on a connection that has shown a valid provider token.
    package var streamLimit: Int
    /// What is remembered.
    package var keeping: Keeping
    /// The faults in force from the start.
    package var faults: [AppleFault]
    /// Changes the body of each request as it comes from the wire, before anything reads it; nil for a wire that changes nothing.
    ///
    /// For tests of whoever says what Apple saw.
    package var wire: (@Sendable (_ body: inout [UInt8]) -> Void)?

    /// Streams at once on a connection that has not yet shown a valid provider token ("Sending notification requests to APNs").
    package static let streamLimitBeforeToken = 1
    /// Streams at once that Apple has been seen to allow.
    package static let defaultStreamLimit = 1000

    /// The production environment on a free port of the loopback interface, open to everything unless told otherwise.
    package init(
        addresses: [AppleEnvironment: SocketAddress] = [.production: .loopback(port: 0)],
        certificateNames: [String] = ["localhost"],
        certificateAddresses: [String] = ["127.0.0.1", "::1"],
        providerTokens: AcceptedProviderTokens = .anyKey,
        bundleIDs: Set<String>? = nil,
        unknownTokens: UnknownTokens = .adopt,
        streamLimit: Int = Self.defaultStreamLimit,
        keeping: Keeping = .everything(maximumRequests: 100_000),
        faults: [AppleFault] = []
    ) {
        self.addresses = addresses
        self.certificateNames = certificateNames
        self.certificateAddresses = certificateAddresses
        self.providerTokens = providerTokens
        self.bundleIDs = bundleIDs
        self.unknownTokens = unknownTokens
        self.streamLimit = streamLimit
        self.keeping = keeping
        self.faults = faults
    }

    /// What really happens with tokens that nobody registered.
    var treatmentOfUnknownTokens: UnknownTokens {
        switch keeping {
        case .everything: unknownTokens
        case .idsOnly: unknownTokens == .adopt ? .accept : unknownTokens
        }
    }
}
