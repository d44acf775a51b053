/// A subscription of Web Push (RFC 8030, RFC 8291): where messages go, and the keys that only the receiver can open them with.
///
/// Cannot be printed: whoever has the endpoint can send.
package struct PushSubscription: Hashable, Sendable {
    /// Octets of the receiver's public key, a point of P-256 in uncompressed form.
    package static let publicKeyOctets = 65
    /// Octets of the authentication secret (RFC 8291 section 3.2).
    package static let secretOctets = 16
    /// The longest endpoint, in octets.
    package static let maximumEndpointOctets = 2_048
    /// The longest subscription, in octets, as the store seals it.
    package static let maximumOctets = publicKeyOctets + secretOctets + maximumEndpointOctets

    /// The URL, as it was registered.
    package let endpoint: String
    package let publicKey: [UInt8]
    package let secret: [UInt8]

    /// Gathers a subscription; nil when something has the wrong length.
    ///
    /// Whether the endpoint may be sent to, and whether the key is a point of the curve, is for others to say.
    package init?(endpoint: String, publicKey: [UInt8], secret: [UInt8]) {
        guard publicKey.count == Self.publicKeyOctets, secret.count == Self.secretOctets,
            (1...Self.maximumEndpointOctets).contains(endpoint.utf8.count)
        else { return nil }
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.secret = secret
    }

    /// The octets that the store seals: public key, secret, endpoint.
    package var octets: [UInt8] { publicKey + secret + Array(endpoint.utf8) }

    /// Takes octets back that the store sealed.
    package init?(octets: [UInt8]) {
        let keys = Self.publicKeyOctets + Self.secretOctets
        guard octets.count > keys, let endpoint = String(validating: octets[keys...], as: UTF8.self) else { return nil }
        self.init(
            endpoint: endpoint, publicKey: Array(octets[..<Self.publicKeyOctets]),
            secret: Array(octets[Self.publicKeyOctets..<keys]))
    }

    /// Lends the parts of a subscription's octets without copying them; nil when they are none.
    package static func withParts<Result>(
        of octets: UnsafeRawBufferPointer,
        _ body: (
            _ endpoint: UnsafeRawBufferPointer, _ publicKey: UnsafeRawBufferPointer, _ secret: UnsafeRawBufferPointer
        ) -> Result
    ) -> Result? {
        let keys = publicKeyOctets + secretOctets
        guard octets.count > keys else { return nil }
        return body(
            UnsafeRawBufferPointer(rebasing: octets[keys...]),
            UnsafeRawBufferPointer(rebasing: octets[..<publicKeyOctets]),
            UnsafeRawBufferPointer(rebasing: octets[publicKeyOctets..<keys]))
    }
}

extension PushSubscription: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹push subscription›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
