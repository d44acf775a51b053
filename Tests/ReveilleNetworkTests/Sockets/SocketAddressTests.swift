import ReveilleNetwork
import Testing

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test(
        "addresses are read and written in their usual text",
        arguments: [
            ("127.0.0.1:443", SocketAddress.Family.ipv4, "127.0.0.1", UInt16(443)), ("0.0.0.0:0", .ipv4, "0.0.0.0", 0),
            ("[::1]:8443", .ipv6, "::1", 8443), ("[2001:db8::ff]:65535", .ipv6, "2001:db8::ff", 65535),
            ("[::ffff:1.2.3.4]:1", .ipv6, "::ffff:1.2.3.4", 1),
        ])
    func roundTrip(text: String, family: SocketAddress.Family, host: String, port: UInt16) throws {
        let address = try #require(SocketAddress(parsing: text))
        #expect(address.family == family)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.text == text && "\(address)" == text)
        #expect(SocketAddress(host: host, port: port) == address)
        #expect(SocketAddress(octets: address.octets, port: port) == address)
    }

    @Test(
        "odd spellings, names and missing parts are refused",
        arguments: [
            "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1: 1", "127.0.0.1:000001",
            "localhost:1", "127.1:1", "0x7f.0.0.1:1", "0177.0.0.1:1", "2130706433:1", "127.0.0.1.:1", "127.0.0.01:1",
            "::1:80",
            "[::1]", "[::1]:", "[127.0.0.1]:1", "[::1:1", "::1]:1", "[::g]:1", "[fe80::1%lo]:1", "127.0.0.1\0:1",
            "[::1\0]:1", "１２７.0.0.1:1",
            "256.0.0.1:1", "1.2.3:1", "1.2.3.4.5:1",
        ])
    func refused(text: String) {
        #expect(SocketAddress(parsing: text) == nil)
        #expect(SocketAddress.parse(text) == nil)
    }

    @Test("equal texts give equal addresses, different ones different")
    func equality() throws {
        let short = try #require(SocketAddress(parsing: "[2001:db8::1]:1"))
        let long = try #require(SocketAddress(parsing: "[2001:0DB8:0:0:0:0:0:1]:1"))
        #expect(short == long && short.hashValue == long.hashValue)
        #expect(short.with(port: 2) != short)
        #expect(SocketAddress.loopback(port: 1) != SocketAddress.loopback6(port: 1))
        #expect(SocketAddress.any(port: 5).text == "0.0.0.0:5")
        #expect(SocketAddress(octets: [1, 2, 3], port: 1) == nil)
    }
}
