internal import ReveilleCrypto
internal import ReveilleTLS

/// The certificate of an emulated service, from an authority that is made with it and whose key is never written.
struct EmulatorIdentity {
    /// The certificate that clients must trust.
    let authorityPEM: String
    let tls: TLSContext

    /// Makes authority and certificate.
    ///
    /// - Throws: `certificate_failed` when names or addresses are none.
    init(
        of service: String, names: [String], addresses: [String], protocols: [String]
    ) throws(EmulatorError) {
        do {
            // Each its own name: a client may trust several of them, and finds the issuer by it.
            let authority = try CertificateAuthority.generate(commonName: "Reveille emulator authority for \(service)")
            let certificate = try authority.issueServerCertificate(names: names, addresses: addresses)
            tls = try TLSContext(
                server: TLSServerConfiguration(
                    certificateChainPEM: certificate.certificateChainPEM,
                    privateKeyPEM: certificate.privateKeyPEM, alpn: protocols, releasesIdleBuffers: false))
            authorityPEM = authority.certificatePEM
        } catch {
            throw EmulatorError(.certificateFailed)
        }
    }
}
