import ReveilleCore
import Testing

@Suite("Addresses of devices")
struct DeviceAddressTests {
    private static func addresses() throws -> [(DeviceAddress, ProviderKind)] {
        let subscription = try #require(
            PushSubscription(
                endpoint: "https://push.example.org/p?id=1", publicKey: [UInt8](repeating: 4, count: 65),
                secret: Array(0..<16)))
        return [
            (.apns(try DeviceToken(octets: [1, 2, 3])), .apns),
            (.fcm(try FCMTarget(.token, parsing: "cAbC-_09:APA91b")), .fcm),
            (.fcm(try FCMTarget(.installation, parsing: "dEf0123456789_-abcdefg")), .fcm),
            (.push(subscription), .webPush), (.push(subscription), .unifiedPush),
        ]
    }

    @Test("come back from their octets as they were")
    func roundTrip() throws {
        for (address, provider) in try Self.addresses() {
            #expect(DeviceAddress(octets: address.octets, provider: provider) == address)
            for part in [[], Array(address.octets.prefix(1)), [0xFF] + address.octets] where provider != .apns {
                #expect(DeviceAddress(octets: part, provider: provider) != address)
            }
        }
    }

    @Test("are not printed")
    func unprintable() throws {
        for (address, _) in try Self.addresses() {
            for text in ["\(address)", String(reflecting: address), "\([address])"] {
                #expect(!text.contains("push.example") && !text.contains("APA91b") && !text.contains("010203"))
            }
            var dumped = ""
            dump(address, to: &dumped)
            #expect(!dumped.contains("push.example") && !dumped.contains("APA91b"))
        }
    }

    @Test("a subscription with other keys is the same device, another endpoint is not")
    func identity() throws {
        let subscription = { (endpoint: String, key: UInt8) in
            try #require(
                PushSubscription(
                    endpoint: endpoint, publicKey: [UInt8](repeating: key, count: 65),
                    secret: [UInt8](repeating: key, count: 16)))
        }
        let one = DeviceAddress.push(try subscription("https://a.example/1", 1))
        #expect(one.identity == DeviceAddress.push(try subscription("https://a.example/1", 2)).identity)
        #expect(one.identity != DeviceAddress.push(try subscription("https://a.example/2", 1)).identity)
    }

    @Test(
        "registration tokens have their limits",
        arguments: [
            ("", FCMTargetError.empty), ("a b", .wrongCharacter), ("a\"b", .wrongCharacter), ("ä", .wrongCharacter),
            (String(repeating: "a1", count: 32), .looksLikeOtherProvider),
            (String(repeating: "x", count: 2_049), .tooLong),
        ])
    func tokens(text: String, error: FCMTargetError) {
        #expect(throws: error) { try FCMTarget(.token, parsing: text) }
    }

    @Test(
        "the parts of a subscription have their lengths",
        arguments: [(64, 16, 1), (65, 15, 1), (65, 16, 0), (65, 16, 2_049)])
    func lengths(key: Int, secret: Int, endpoint: Int) {
        #expect(
            PushSubscription(
                endpoint: String(repeating: "e", count: endpoint), publicKey: [UInt8](repeating: 4, count: key),
                secret: [UInt8](repeating: 1, count: secret)) == nil)
    }

    @Test("the parts of a subscription are lent as they were")
    func parts() throws {
        guard case (.push(let subscription), _)? = try Self.addresses().last else { return }
        let seen = subscription.octets.withUnsafeBytes { octets in
            PushSubscription.withParts(of: octets) { endpoint, key, secret in
                String(decoding: endpoint, as: UTF8.self) == subscription.endpoint
                    && Array(key) == subscription.publicKey && Array(secret) == subscription.secret
            }
        }
        #expect(seen == true)
        #expect(
            [UInt8](repeating: 1, count: 81).withUnsafeBytes { PushSubscription.withParts(of: $0) { _, _, _ in 1 } }
                == nil)
    }
}

@Suite("Lanes by where they lead")
struct LaneDestinationTests {
    private static let all: [LaneDestination] = [
        .apns(.production), .apns(.sandbox), .fcm, .webPush(origin: "https://push.example"),
        .unifiedPush(origin: "https://push.example:8443"),
    ]

    @Test("come back from provider and place, and no two are alike", arguments: all)
    func roundTrip(destination: LaneDestination) {
        #expect(LaneDestination(provider: destination.provider, place: destination.place) == destination)
        #expect(Set(Self.all.map { "\($0.provider) \($0.place)" }).count == Self.all.count)
    }

    @Test(
        "a place that a provider does not have is none",
        arguments: [(ProviderKind.apns, "staging"), (.fcm, "x"), (.webPush, ""), (.unifiedPush, "")])
    func wrong(provider: ProviderKind, place: String) {
        #expect(LaneDestination(provider: provider, place: place) == nil)
    }

    @Test("only APNs has another environment", arguments: all)
    func other(destination: LaneDestination) {
        #expect((destination.other != nil) == (destination.provider == .apns))
    }
}
