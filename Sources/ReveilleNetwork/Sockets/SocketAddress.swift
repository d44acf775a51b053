internal import Glibc

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, Hashable {
    /// Which kind of address it is.
    package enum Family: Sendable {
        /// Four bytes.
        case ipv4
        /// Sixteen bytes.
        case ipv6
    }

    /// Which kind of address it is.
    package let family: Family
    /// The port; zero lets the kernel choose one where an address is bound.
    package let port: UInt16
    /// The bytes of the address as numbers: an IPv4 address is the lower half of `low`.
    private let high: UInt64
    private let low: UInt64
    /// The interface that a link-local IPv6 address is meant for; zero for any.
    package let scope: UInt32

    /// Takes the 4 or 16 bytes of an address; nil for another number.
    package init?(octets: [UInt8], port: UInt16, scope: UInt32 = 0) {
        let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        switch octets.count {
        case 4: self.init(family: .ipv4, high: 0, low: number(octets[...]), port: port, scope: 0)
        case 16:
            self.init(
                family: .ipv6, high: number(octets[..<8]), low: number(octets[8...]), port: port,
                scope: scope)
        default: return nil
        }
    }

    private init(family: Family, high: UInt64, low: UInt64, port: UInt16, scope: UInt32) {
        self.family = family
        self.high = high
        self.low = low
        self.port = port
        self.scope = scope
    }

    /// Reads an address without a port in its usual text; nil for names and for odd spellings of
    /// IPv4.
    package init?(host: String, port: UInt16) {
        guard let octets = Self.octets(of: host) else { return nil }
        self.init(octets: octets, port: port)
    }

    /// Reads `1.2.3.4:443` or `[::1]:443`; nil for anything else.
    package init?(parsing text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = Self.port(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            self.init(host: String(host.dropFirst().dropLast()), port: port)
            guard family == .ipv6 else { return nil }
        } else {
            self.init(host: String(host), port: port)
            guard family == .ipv4 else { return nil }
        }
    }

    /// Reads `1.2.3.4:443` or `[::1]:443`; nil for anything else.
    package static func parse(_ text: String) -> SocketAddress? {
        SocketAddress(parsing: text)
    }

    /// 127.0.0.1.
    package static func loopback(port: UInt16) -> SocketAddress {
        SocketAddress(family: .ipv4, high: 0, low: 0x7F00_0001, port: port, scope: 0)
    }

    /// ::1.
    package static func loopback6(port: UInt16) -> SocketAddress {
        SocketAddress(family: .ipv6, high: 0, low: 1, port: port, scope: 0)
    }

    /// 0.0.0.0: all IPv4 addresses of this machine.
    package static func any(port: UInt16) -> SocketAddress {
        SocketAddress(family: .ipv4, high: 0, low: 0, port: port, scope: 0)
    }

    /// The same address with another port.
    package func with(port: UInt16) -> SocketAddress {
        SocketAddress(family: family, high: high, low: low, port: port, scope: scope)
    }

    /// The 4 or 16 bytes of the address.
    package var octets: [UInt8] {
        let bytes = { (number: UInt64) in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        }
        return switch family {
        case .ipv4: Array(bytes(low).suffix(4))
        case .ipv6: bytes(high) + bytes(low)
        }
    }

    /// The address without port or brackets, IPv6 in its shortest form (RFC 5952).
    package var host: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let kind = family == .ipv4 ? AF_INET : AF_INET6
            let text = octets.withUnsafeBytes {
                inet_ntop(kind, $0.baseAddress, buffer.baseAddress, socklen_t(buffer.count))
            }
            return text.map { String(cString: $0) } ?? ""
        }
    }

    /// Address and port: `1.2.3.4:443` or `[::1]:443`.
    package var text: String {
        switch family {
        case .ipv4: "\(host):\(port)"
        case .ipv6: "[\(host)]:\(port)"
        }
    }

    private static func octets(of host: String) -> [UInt8]? {
        // A zero byte would end the text early in C.
        guard !host.utf8.contains(0) else { return nil }
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        var octets = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        let result = octets.withUnsafeMutableBytes {
            inet_pton(isIPv6 ? AF_INET6 : AF_INET, host, $0.baseAddress)
        }
        return result == 1 ? octets : nil
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt16(text)
    }
}

extension SocketAddress: CustomStringConvertible {
    /// Address and port.
    package var description: String { text }
}
