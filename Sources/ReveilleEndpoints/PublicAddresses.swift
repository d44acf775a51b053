/// Which addresses anybody on the Internet may have, so that a request to them reaches nothing of ours.
///
/// From the IANA special-purpose address registries for IPv4 and IPv6. Blocks are refused although some of them are reachable from
/// everywhere, because relays, anycast and translators lead on to other addresses.
package enum PublicAddresses {
    /// What is not public among IPv4 addresses.
    package static let refusedIPv4 = blocks([
        "0.0.0.0/8",  // this network (RFC 791)
        "10.0.0.0/8",  // private (RFC 1918)
        "100.64.0.0/10",  // shared by a provider's customers (RFC 6598)
        "127.0.0.0/8",  // loopback (RFC 1122)
        "169.254.0.0/16",  // link-local, with the metadata of clouds (RFC 3927)
        "172.16.0.0/12",  // private (RFC 1918)
        "192.0.0.0/24",  // protocol assignments (RFC 6890)
        "192.0.2.0/24",  // documentation (RFC 5737)
        "192.31.196.0/24",  // AS112 (RFC 7535)
        "192.52.193.0/24",  // AMT (RFC 7450)
        "192.88.99.0/24",  // 6to4 relays (RFC 7526)
        "192.168.0.0/16",  // private (RFC 1918)
        "192.175.48.0/24",  // AS112 (RFC 7534)
        "198.18.0.0/15",  // benchmarks (RFC 2544)
        "198.51.100.0/24",  // documentation (RFC 5737)
        "203.0.113.0/24",  // documentation (RFC 5737)
        "224.0.0.0/4",  // multicast (RFC 5771)
        "240.0.0.0/4",  // reserved and broadcast (RFC 1112)
    ])

    /// The only block of IPv6 from which public addresses are given out (RFC 4291 section 2.4).
    package static let givenOutIPv6 = blocks(["2000::/3"])

    /// What is not public among IPv6 addresses; most lie outside of ``givenOutIPv6`` too.
    package static let refusedIPv6 = blocks([
        "::/96",  // unspecified, loopback, IPv4-compatible (RFC 4291)
        "::ffff:0:0/96",  // IPv4-mapped, whatever is inside (RFC 4291)
        "64:ff9b::/96",  // NAT64 (RFC 6052)
        "64:ff9b:1::/48",  // local NAT64 (RFC 8215)
        "100::/64",  // discard (RFC 6666)
        "100:0:0:1::/64",  // dummy prefix (RFC 9780)
        "2001::/23",  // protocol assignments, Teredo among them (RFC 2928)
        "2001:db8::/32",  // documentation (RFC 3849)
        "2002::/16",  // 6to4 (RFC 3056)
        "2620:4f:8000::/48",  // AS112 (RFC 7534)
        "3fff::/20",  // documentation (RFC 9637)
        "5f00::/16",  // segment routing (RFC 9602)
        "fc00::/7",  // unique local (RFC 4193)
        "fe80::/10",  // link-local (RFC 4291)
        "fec0::/10",  // site-local (RFC 3879)
        "ff00::/8",  // multicast (RFC 4291)
    ])

    /// Whether a request may go to the address.
    package static func contains(_ address: InternetAddress) -> Bool {
        switch address {
        case .ipv4: !refusedIPv4.contains { $0.contains(address) }
        case .ipv6:
            givenOutIPv6.contains { $0.contains(address) } && !refusedIPv6.contains { $0.contains(address) }
        }
    }

    private static func blocks(_ texts: [String]) -> [AddressBlock] { texts.compactMap { AddressBlock($0) } }
}
