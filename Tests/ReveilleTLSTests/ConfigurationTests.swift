import ReveilleBytes
import ReveilleCrypto
import ReveilleTLS
import Testing

@Suite("Configuration of TLS")
struct ConfigurationTests {
    @Test("a key that does not fit, an encrypted key, and texts that are none are refused")
    func serverMistakes() throws {
        let fixture = try TLSFixture()
        let certificate = try fixture.authority.issueServerCertificate(names: ["localhost"])
        let other = P256PrivateKey.generate().pkcs8PEM
        let encrypted = SecretText(
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBBj74q6bZI4pNwD9Dej
            L28bAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQPr2qT0hhh9vlJ7Yl
            21xMkASBkPPDVwdGgc68uyhXh7Zkm/q79E5Kqb28kSvivq9wUgW7zE1+gSXHUkvB
            01OjhmNISlrqfzM6PEQKU+hlAR84v2WY8FQgDKN5lD7C3K7wW0d8GX+Gnkjnbqcm
            aYSQQ7HuL1wnEFDegGGF41n6RkMP3lcjQd2UobO4JmM3ZkXhhnU6J2yqusSQPZn/
            BwsA1Xojcw==
            -----END ENCRYPTED PRIVATE KEY-----
            """)
        let chain = certificate.certificateChainPEM
        let cut = String(chain.dropLast(100))
        for (chain, key) in [
            (chain, other), (chain, encrypted), (chain, SecretText("")), (chain, SecretText("no key")),
            ("", certificate.privateKeyPEM), ("no certificate", certificate.privateKeyPEM),
            (cut, certificate.privateKeyPEM), (chain + cut, certificate.privateKeyPEM),
        ] {
            let error = try #require(throws: TLSError.self) {
                try TLSContext(
                    server: TLSServerConfiguration(certificateChainPEM: chain, privateKeyPEM: key))
            }
            #expect(error.code == .badConfiguration)
        }
    }

    @Test("an authority that is none, or a file that is not there, is refused")
    func clientMistakes() throws {
        for text in ["", "no certificate", P256PrivateKey.generate().pkcs8PEM.reveal()] {
            let error = try #require(throws: TLSError.self) {
                try TLSContext(client: TLSClientConfiguration(extraAuthorityPEM: text))
            }
            #expect(error.code == .badConfiguration)
        }
        let error = try #require(throws: TLSError.self) {
            try TLSContext(client: TLSClientConfiguration(extraAuthorityFile: "/nonexistent/authority.pem"))
        }
        #expect(error.code == .badConfiguration)
    }

    @Test("several extra authorities are all trusted")
    func severalAuthorities() throws {
        let first = try TLSFixture()
        let second = try TLSFixture()
        let client = try TLSContext(
            client: TLSClientConfiguration(
                extraAuthorityPEM: first.authority.certificatePEM + second.authority.certificatePEM,
                trustsSystemRoots: false))
        for fixture in [first, second] {
            let pair = try TLSPair(client: client, server: try fixture.server())
            pair.handshake()
            #expect(pair.clientResult == .complete)
        }
    }

    @Test(
        "a client names its server, and by a name that can be one",
        arguments: [
            nil, "", "a\0b", "local host", "a/b", "ä.example", String(repeating: "a", count: 254),
        ])
    func refusedNames(name: String?) throws {
        let client = try TLSFixture().client()
        #expect(throws: TLSError(.badConfiguration)) { try client.makeSession(serverName: name) }
    }

    @Test("a session that failed to be made leaves nothing behind for the next")
    func afterFailure() throws {
        let fixture = try TLSFixture()
        let client = try fixture.client()
        _ = try? client.makeSession(serverName: nil)
        let pair = try TLSPair(client: client, server: try fixture.server())
        pair.handshake()
        #expect(pair.clientResult == .complete)
    }
}
