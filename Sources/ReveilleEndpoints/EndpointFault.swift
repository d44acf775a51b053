/// The first rule that refuses an endpoint.
///
/// It names the rule and nothing of the URL, which is a capability, nor of what was seen at its address.
package enum EndpointFault: String, Error, CaseIterable, Sendable {
    /// Longer than its kind may be.
    case length
    /// An octet up to 0x20, or 0x7F.
    case controlOrSpace = "control-or-space"
    /// An octet from 0x80 on: names must come as A-labels, paths percent-encoded.
    case nonASCII = "non-ascii"
    /// A backslash, which parsers read in two ways.
    case backslash
    /// Not `https`.
    case scheme
    /// No authority, or a host that no name or address can have.
    case syntax
    /// A `#`, also before nothing.
    case fragment
    /// An `@` before the host, also after nothing.
    case userInfo = "userinfo"
    /// A `%` in the host.
    case percentHost = "percent-host"
    /// Not a port in decimal digits, or one that the kind may not use.
    case port
    /// A host that ends in a dot.
    case trailingDot = "trailing-dot"
    /// An IPv6 address with a zone.
    case zoneID = "zone-id"
    /// A host that libraries read as an IPv4 address although it is not written as one.
    case nonCanonicalAddress = "ip-noncanonical"
    /// A literal address that is not public.
    case blockedAddress = "ip-blocked"
    /// A name that means something local, or nothing.
    case specialName = "special-name"
    /// A name without a dot.
    case singleLabel = "single-label"
    /// Not a known push service.
    case host
    /// Neither a path nor a query: nothing that tells one receiver from another.
    case noIdentifier = "no-identifier"
    /// The name has no address, or one that is not public.
    case addresses = "dns"
}
