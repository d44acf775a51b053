internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleCrypto

/// The value of `apns-collapse-id` for an id of any length.
///
/// APNs takes at most 64 octets and refuses the request otherwise. Cutting would make different ids equal, so a longer one is
/// replaced by its digest; an empty one sends no header.
package enum CollapseHeader {
    /// The value to send, or nil for none.
    package static func value(for id: String) -> String? {
        let octets = Array(id.utf8)
        if octets.isEmpty { return nil }
        if octets.count <= CollapseID.maximumOctets { return id }
        return Base64URL.encode(SHA256Digest.hash(octets))
    }
}
