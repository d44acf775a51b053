/// A block of addresses: those that share their first bits with one (CIDR, RFC 4632 section 3.1).
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    private let first: InternetAddress
    private let bits: Int
    /// The block as it was written.
    package let description: String

    /// Reads `address/bits`, or an address alone, which is a block of one.
    ///
    /// Nil when a bit behind the prefix is set: whoever wrote that meant something else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = InternetAddress(String(parts[0])) else { return nil }
        let width = first.bitCount
        var bits = width
        if parts.count == 2 {
            guard let read = DecimalNumber.read(Array(parts[1].utf8)[...], maximum: width) else { return nil }
            bits = read
        }
        guard first.prefix(bits) == first else { return nil }
        self.first = first
        self.bits = bits
        description = text
    }

    /// Whether an address lies in the block; an IPv4 address never lies in a block of IPv6, not even a mapped one.
    package func contains(_ address: InternetAddress) -> Bool {
        address.bitCount == first.bitCount && address.prefix(bits) == first
    }
}

extension InternetAddress {
    fileprivate var bitCount: Int {
        switch self {
        case .ipv4: 32
        case .ipv6: 128
        }
    }

    /// The address with all bits behind the first so many cleared.
    fileprivate func prefix(_ bits: Int) -> InternetAddress {
        switch self {
        // Shifts by the whole width give zero in Swift.
        case .ipv4(let address): .ipv4(address & (~UInt32(0) << UInt32(32 - bits)))
        case .ipv6(let high, let low):
            .ipv6(
                high: high & (~UInt64(0) << UInt64(max(0, 64 - bits))),
                low: low & (bits <= 64 ? 0 : ~UInt64(0) << UInt64(128 - bits)))
        }
    }
}
