import Glibc
import ReveilleEndpoints
import ReveilleRuntime
import ReveilleTesting
import Testing

@Suite("Addresses and their blocks")
struct InternetAddressTests {
    /// What the C library reads, without its older forms.
    private static func library(_ text: String) -> InternetAddress? {
        var octets = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &octets) == 1 { return InternetAddress(octets: Array(octets[..<4])) }
        if inet_pton(AF_INET6, text, &octets) == 1 { return InternetAddress(octets: octets) }
        return nil
    }

    @Test("texts are read as inet_pton reads them, over a grammar of near misses", arguments: TestSeed.both)
    func sameAsLibrary(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        let pieces = [
            ":", "::", ".", "0", "1", "01", "255", "256", "f", "FFFF", "12345", "1.2.3.4", "2a00", "ffff:", "g", " ",
            "%",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let text = (0..<random.uniform(1..<11)).map { _ in pieces[random.uniform(0..<pieces.count)] }.joined()
            let address = InternetAddress(text)
            if address != Self.library(text) {
                Issue.record("\(text) is read as \(String(describing: address)); \(TestSeed.comment(seed))")
            }
            if address != nil { accepted += 1 }
        }
        #expect(accepted > 100)
    }

    @Test(
        "the usual forms of IPv6",
        arguments: [
            "::", "::1", "1::", "2001:db8::8:800:200c:417a", "::ffff:129.144.52.38", "0:0:0:0:0:0:13.1.68.3",
            "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", "ABCD:EF01::",
        ])
    func forms(_ text: String) {
        #expect(InternetAddress(text) != nil)
        #expect(InternetAddress(text) == Self.library(text))
    }

    @Test(
        "what is no address",
        arguments: [
            "", ":", ":::", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7:8::", "::1.2.3", "::1.2.3.256", "1.2.3.4::",
            "127.1", "0x7f.0.0.1", "0177.0.0.1", "1.2.3.04", "fe80::1%eth0", "[::1]", "::1/128", "12345::", "+1.2.3.4",
        ])
    func others(_ text: String) { #expect(InternetAddress(text) == nil) }

    @Test(
        "a block holds its first and last address and not their neighbours",
        arguments: [
            ("172.16.0.0/12", "172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.7", "192.0.2.6", "192.0.2.8"),
            ("fc00::/7", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fbff::", "fe00::"),
            ("2001:db8::/32", "2001:db8::", "2001:db8:ffff::1", "2001:db7:ffff::", "2001:db9::"),
            ("::ffff:0:0/96", "::ffff:0.0.0.0", "::ffff:255.255.255.255", "::fffe:ffff:ffff", "::1:0:0:0"),
        ])
    func blocks(_ text: String, _ first: String, _ last: String, _ before: String, _ after: String) throws {
        let block = try #require(AddressBlock(text))
        #expect(block.contains(try #require(InternetAddress(first))))
        #expect(block.contains(try #require(InternetAddress(last))))
        #expect(!block.contains(try #require(InternetAddress(before))))
        #expect(!block.contains(try #require(InternetAddress(after))))
    }

    @Test("everything is in the block of no bits, and no IPv4 address in one of IPv6")
    func wholeFamily() throws {
        let (all4, all6) = (try #require(AddressBlock("0.0.0.0/0")), try #require(AddressBlock("::/0")))
        let (four, six) = (try #require(InternetAddress("8.8.8.8")), try #require(InternetAddress("2a00::1")))
        #expect(all4.contains(four) && !all4.contains(six))
        #expect(all6.contains(six) && !all6.contains(four))
    }

    @Test(
        "a block that says two things is none",
        arguments: [
            "10.0.0.1/8", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/8/8", "/8", "fc00::1/7", "",
        ])
    func wrongBlocks(_ text: String) { #expect(AddressBlock(text) == nil) }

    @Test("the lists are those of the vectors, and every line of them is read")
    func lists() {
        let vectors = EndpointVectors.all
        #expect(PublicAddresses.refusedIPv4.map(\.description) == vectors.refusedIpv4)
        #expect(PublicAddresses.refusedIPv6.map(\.description) == vectors.refusedIpv6)
        #expect(PublicAddresses.givenOutIPv6.map(\.description) == [vectors.requiredIpv6])
    }
}
