/// What an endpoint that a client gave belongs to; each kind has its own bounds.
package enum EndpointKind: String, CaseIterable, Sendable {
    /// A browser's push service (RFC 8030): hosts of the known services only, port 443.
    case webPush = "webpush"
    /// A UnifiedPush distributor: any public host, port 443 or from 1024 on.
    case unifiedPush = "unifiedpush"

    /// The longest URL, in octets; for UnifiedPush its specification sets it.
    package var maximumOctets: Int {
        switch self {
        case .webPush: 2_048
        case .unifiedPush: 1_000
        }
    }

    /// Whether a port may be named without an entry of the operator.
    func takes(port: UInt16) -> Bool {
        switch self {
        case .webPush: port == 443
        case .unifiedPush: port == 443 || port >= 1_024
        }
    }
}
