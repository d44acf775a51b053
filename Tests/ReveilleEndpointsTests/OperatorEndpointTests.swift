import ReveilleEndpoints
import Testing

@Suite("What an operator allows beside the public Internet")
struct OperatorEndpointTests {
    private static func policy(
        _ host: String, port: UInt16 = 8_443, _ block: String = "192.168.1.0/24", kind: EndpointKind = .unifiedPush
    ) throws -> EndpointPolicy {
        let block = try #require(AddressBlock(block))
        return EndpointPolicy(operators: [OperatorEndpoint(kind: kind, host: host, port: port, addresses: block)])
    }

    @Test("the exact host and port may lie in the block, and nowhere else")
    func exact() throws {
        let policy = try Self.policy("nas.lan")
        let url = try policy.endpoint("https://NAS.lan:8443/UP", kind: .unifiedPush)
        try policy.check([try #require(InternetAddress("192.168.1.10"))], of: url, kind: .unifiedPush)
        for elsewhere in ["192.168.2.10", "127.0.0.1", "93.184.215.14"] {
            let address = try #require(InternetAddress(elsewhere))
            #expect(throws: EndpointFault.addresses) { try policy.check([address], of: url, kind: .unifiedPush) }
        }
    }

    @Test(
        "another port, another host or the other kind is not what was allowed",
        arguments: [
            ("https://nas.lan/UP", EndpointKind.unifiedPush, EndpointFault.specialName),
            ("https://nas.lan:8444/UP", .unifiedPush, .specialName),
            ("https://x.nas.lan:8443/UP", .unifiedPush, .specialName),
            ("https://nas.lan:8443/UP", .webPush, .host), ("http://nas.lan:8443/UP", .unifiedPush, .scheme),
            ("https://nas.lan.:8443/UP", .unifiedPush, .trailingDot),
            ("https://nas.lan:8443/", .unifiedPush, .noIdentifier),
        ])
    func others(_ url: String, _ kind: EndpointKind, _ fault: EndpointFault) throws {
        let policy = try Self.policy("nas.lan")
        #expect(throws: fault) { try policy.endpoint(url, kind: kind) }
    }

    @Test("a literal address must lie in its own entry's block")
    func literals() throws {
        let good = try Self.policy("127.0.0.1", port: 9_000, "127.0.0.0/8", kind: .webPush)
        #expect(try good.endpoint("https://127.0.0.1:9000/wpush/v2/x", kind: .webPush).port == 9_000)
        let mistaken = try Self.policy("10.0.0.1", port: 9_000, "127.0.0.0/8", kind: .webPush)
        #expect(throws: EndpointFault.blockedAddress) {
            try mistaken.endpoint("https://10.0.0.1:9000/wpush/v2/x", kind: .webPush)
        }
    }
}
