import ReveilleBytes
import ReveilleCrypto
import Testing

@Suite("The authority for emulators and tests")
struct CertificateAuthorityTests {
    @Test("a server gets its certificate and those above it, without the root")
    func chains() throws {
        let root = try CertificateAuthority.generate(commonName: "Root")
        let below = try root.issueIntermediate(commonName: "Below")
        let direct = try root.issueServerCertificate(names: ["localhost"], addresses: ["127.0.0.1", "::1"])
        let indirect = try below.issueServerCertificate(names: ["*.example.org"])
        #expect(try PEM.blocks(in: root.certificatePEM).map(\.label) == ["CERTIFICATE"])
        #expect(try PEM.blocks(in: direct.certificateChainPEM).count == 1)
        let chain = try PEM.blocks(in: indirect.certificateChainPEM)
        #expect(chain.count == 2)
        #expect(chain.last == (try PEM.blocks(in: below.certificatePEM).first))
        #expect(throws: Never.self) { try P256PrivateKey(pem: direct.privateKeyPEM) }
    }

    @Test(
        "names that are none are refused",
        arguments: [
            ([], []), (["a,DNS:b"], []), ([""], []), (["ä.example"], []), (["a b"], []), ([], ["127.0.0.1,IP:1.1.1.1"]),
            ([], ["localhost"]), ([], ["1.2.3"]), ([String(repeating: "a", count: 254)], []),
        ] as [([String], [String])])
    func refusedNames(names: [String], addresses: [String]) throws {
        let root = try CertificateAuthority.generate(commonName: "Root")
        #expect(throws: CryptoError.self) {
            try root.issueServerCertificate(names: names, addresses: addresses)
        }
    }

    @Test("a common name has 1 to 64 characters", arguments: ["", String(repeating: "x", count: 65)])
    func refusedCommonName(name: String) {
        #expect(throws: CryptoError.self) { try CertificateAuthority.generate(commonName: name) }
    }
}
