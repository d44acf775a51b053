import ReveilleBytes
import ReveilleCrypto
import ReveilleTLS
import Testing

@Suite("Verification of a server")
struct VerificationTests {
    private func expectRefused(
        _ pair: TLSPair, _ code: TLSError.Code, alert: UInt8,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        pair.handshake()
        #expect(pair.clientResult.error?.code == code, sourceLocation: sourceLocation)
        #expect(pair.serverResult.error?.code != nil, sourceLocation: sourceLocation)
        #expect(pair.serverResult.error?.alert == alert, sourceLocation: sourceLocation)
        #expect(throws: TLSError.self, sourceLocation: sourceLocation) {
            try TLSPair.write([1], to: pair.client)
        }
    }

    @Test(
        "a server of a trusted authority with the right name is accepted",
        arguments: ["localhost", "LOCALHOST", "a.example.org", "127.0.0.1", "::1"])
    func accepted(name: String) throws {
        let fixture = try TLSFixture()
        let server = try fixture.server(
            names: ["localhost", "*.example.org"], addresses: ["127.0.0.1", "::1"])
        let pair = try TLSPair(client: try fixture.client(), server: server, serverName: name)
        pair.handshake()
        #expect(pair.clientResult == .complete)
        #expect(pair.serverResult == .complete)
        #expect(pair.client.protocolVersion == "TLSv1.3")
    }

    @Test(
        "another name or address than the certificate's is refused",
        arguments: ["other", "localhost.example", "example.org", "a.b.example.org", "127.0.0.2", "::2"])
    func wrongName(name: String) throws {
        let fixture = try TLSFixture()
        let server = try fixture.server(
            names: ["localhost", "*.example.org"], addresses: ["127.0.0.1", "::1"])
        let pair = try TLSPair(client: try fixture.client(), server: server, serverName: name)
        expectRefused(pair, .hostNameMismatch, alert: 42)
    }

    @Test("an address is not matched by a name, nor a name by an address")
    func kindsOfNames() throws {
        let fixture = try TLSFixture()
        let named = try fixture.server(names: ["127.0.0.1"])
        expectRefused(
            try TLSPair(client: try fixture.client(), server: named, serverName: "127.0.0.1"),
            .hostNameMismatch, alert: 42)
    }

    @Test("a server of another authority is refused")
    func otherAuthority() throws {
        let fixture = try TLSFixture()
        let server = try TLSFixture().server()
        expectRefused(try TLSPair(client: try fixture.client(), server: server), .unknownAuthority, alert: 48)
    }

    @Test("without an extra authority, with the system's or none, our own is refused", arguments: [true, false])
    func noExtraAuthority(trustsSystemRoots: Bool) throws {
        let client = try TLSContext(
            client: TLSClientConfiguration(trustsSystemRoots: trustsSystemRoots))
        expectRefused(
            try TLSPair(client: client, server: try TLSFixture().server()), .unknownAuthority, alert: 48)
    }

    @Test("a certificate that has expired is refused")
    func expired() throws {
        let fixture = try TLSFixture()
        let server = try fixture.server(validity: .expired)
        expectRefused(try TLSPair(client: try fixture.client(), server: server), .certificateExpired, alert: 45)
    }

    @Test("a certificate that is not valid yet is refused")
    func future() throws {
        let fixture = try TLSFixture()
        let server = try fixture.server(validity: .future)
        expectRefused(try TLSPair(client: try fixture.client(), server: server), .certificateNotYetValid, alert: 42)
    }

    @Test("a chain over an authority in between is followed, unless that one is missing or expired")
    func intermediates() throws {
        let fixture = try TLSFixture()
        let below = try fixture.authority.issueIntermediate(commonName: "Below")
        let certificate = try below.issueServerCertificate(names: ["localhost"])
        let pair = try TLSPair(client: try fixture.client(), server: try TLSFixture.server(certificate))
        pair.handshake()
        #expect(pair.clientResult == .complete)

        let leaf = try #require(try PEM.blocks(in: certificate.certificateChainPEM).first)
        let leafOnly =
            "-----BEGIN CERTIFICATE-----\n\(Base64.encode(leaf.bytes))\n-----END CERTIFICATE-----\n"
        let incomplete = try TLSContext(
            server: TLSServerConfiguration(
                certificateChainPEM: leafOnly, privateKeyPEM: certificate.privateKeyPEM))
        expectRefused(try TLSPair(client: try fixture.client(), server: incomplete), .unknownAuthority, alert: 48)

        let old = try fixture.authority.issueIntermediate(commonName: "Old", validity: .expired)
        let ofOld = try TLSFixture.server(try old.issueServerCertificate(names: ["localhost"]))
        expectRefused(try TLSPair(client: try fixture.client(), server: ofOld), .certificateExpired, alert: 45)
    }

    @Test("a server's certificate cannot issue others")
    func leafAsAuthority() throws {
        // The root itself as the server's certificate: it has no name and may not serve.
        let fixture = try TLSFixture()
        let key = P256PrivateKey.generate()
        #expect(throws: TLSError.self) {
            try TLSContext(
                server: TLSServerConfiguration(
                    certificateChainPEM: fixture.authority.certificatePEM, privateKeyPEM: key.pkcs8PEM))
        }
    }
}
