import ReveilleEndpoints
import Testing

@Suite("Which endpoints a client may give")
struct EndpointPolicyTests {
    private static func judge(_ vector: EndpointVector) throws {
        let kind = try #require(EndpointKind(rawValue: vector.kind))
        let policy = EndpointPolicy()
        let url = try policy.endpoint(vector.url, kind: kind)
        guard let answers = vector.resolves else { return }
        try policy.check(answers.map { try #require(InternetAddress($0)) }, of: url, kind: kind)
    }

    /// Where a rule that comes earlier refuses already.
    private static let earlierRules = [
        // Its only label ends in a hyphen.
        "unifiedpush-167": "syntax"
    ]

    @Test(
        "each vector is judged as it says, and refused by the rule that it names", arguments: EndpointVectors.all.cases)
    func vector(_ vector: EndpointVector) throws {
        if vector.allow {
            try Self.judge(vector)
        } else {
            let rule = try #require(EndpointFault(rawValue: Self.earlierRules[vector.id] ?? vector.rule))
            #expect(throws: rule) { try Self.judge(vector) }
        }
    }

    @Test("there are vectors for every rule but none without one")
    func everyRule() {
        let rules = Set(EndpointVectors.all.cases.filter { !$0.allow }.map(\.rule))
        #expect(rules == Set(EndpointFault.allCases.map(\.rawValue)))
    }

    @Test("every special name is refused, and everything under it", arguments: EndpointVectors.all.specialNames)
    func specialNames(_ name: String) {
        for host in [name, "a.b.\(name)", name.uppercased()] {
            #expect(throws: EndpointFault.specialName) {
                try EndpointPolicy().endpoint("https://\(host)/UP", kind: .unifiedPush)
            }
        }
    }

    @Test("every push service is known, by whole labels", arguments: EndpointVectors.all.webpushHosts)
    func services(_ host: String) throws {
        let policy = EndpointPolicy()
        #expect(try policy.endpoint("https://\(host)/x", kind: .webPush).host == .name(host))
        let isUnderDomain = EndpointVectors.all.webpushSuffixes.contains { host.hasSuffix($0) }
        for other in ["\(host).example.org"] + (isUnderDomain ? [] : ["evil\(host)", "x.\(host)"]) {
            #expect(throws: EndpointFault.host) { try policy.endpoint("https://\(other)/x", kind: .webPush) }
        }
    }

    @Test(
        "names under a push service's domain are known, the domain itself is not",
        arguments: EndpointVectors.all.webpushSuffixes)
    func domains(_ suffix: String) throws {
        let policy = EndpointPolicy()
        #expect(try policy.endpoint("https://a.b\(suffix)/x", kind: .webPush).host == .name("a.b\(suffix)"))
        for other in [String(suffix.dropFirst()), "evil-\(suffix.dropFirst())", "a\(suffix).example.org"] {
            #expect(throws: EndpointFault.host) { try policy.endpoint("https://\(other)/x", kind: .webPush) }
        }
    }

    @Test("host, port and target of what is allowed go out octet for octet")
    func parts() throws {
        let policy = EndpointPolicy()
        let plain = try policy.endpoint("HTTPS://Up.Example.ORG?t=a%2Fb", kind: .unifiedPush)
        #expect(plain.host == .name("up.example.org"))
        #expect(plain.port == 443)
        #expect(plain.target == "/?t=a%2Fb")
        #expect(plain.authority == "up.example.org")
        #expect(plain.origin == "https://up.example.org")
        let ported = try policy.endpoint("https://up.example.org:8443/UP%20x?q//..", kind: .unifiedPush)
        #expect(ported.target == "/UP%20x?q//..")
        #expect(ported.authority == "up.example.org:8443")
        let address = try policy.endpoint("https://[2A00:1450::1]:8443/UP", kind: .unifiedPush)
        #expect(address.authority == "[2a00:1450::1]:8443")
    }

    @Test("an endpoint and a fault print nothing of the URL")
    func silent() throws {
        let url = try EndpointPolicy().endpoint("https://up.example.org/CANARY?CANARY", kind: .unifiedPush)
        #expect(!"\(url) \(String(reflecting: url)) \(Optional(url) as Any)".contains("CANARY"))
    }

    @Test("no name has no address, and one that is not public spoils the others")
    func addresses() throws {
        let policy = EndpointPolicy()
        let url = try policy.endpoint("https://up.example.org/UP", kind: .unifiedPush)
        let good = try #require(InternetAddress("93.184.215.14"))
        let bad = try #require(InternetAddress("10.0.0.1"))
        try policy.check([good], of: url, kind: .unifiedPush)
        #expect(throws: EndpointFault.addresses) { try policy.check([], of: url, kind: .unifiedPush) }
        #expect(throws: EndpointFault.addresses) { try policy.check([good, bad], of: url, kind: .unifiedPush) }
        #expect(throws: EndpointFault.addresses) { try policy.check([bad, good], of: url, kind: .unifiedPush) }
    }
}
