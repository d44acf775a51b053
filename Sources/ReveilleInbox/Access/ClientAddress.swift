/// Where a request came from, as coarse as limits need it.
///
/// An IPv6 host owns at least a /64 and may speak from any address of it, so only that part counts.
package struct ClientAddress: Hashable, Sendable {
    /// Octets of an IPv6 address that name its network.
    package static let networkOctets = 8

    private let octets: [UInt8]

    /// Takes the octets of an address: 4 of IPv4, 16 of IPv6, of which the first 8 count.
    ///
    /// An IPv4 address
    /// mapped into IPv6 (::ffff:0:0/96, RFC 4291 section 2.5.5.2) counts as IPv4.
    package init(octets: [UInt8]) {
        guard octets.count == 16 else {
            self.octets = octets
            return
        }
        let isMapped = octets[..<10].allSatisfy { $0 == 0 } && octets[10] == 0xFF && octets[11] == 0xFF
        self.octets = Array(isMapped ? octets[12...] : octets[..<Self.networkOctets])
    }
}
