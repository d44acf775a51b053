internal import COpenSSL
package import ReveilleBytes

/// A small certificate authority of our own, for emulators and tests: its certificate is given to
/// clients as an extra root.
package struct CertificateAuthority: Sendable {
    /// What a TLS server needs.
    package struct ServerCertificate: Sendable {
        /// The server's certificate and those between it and the root, which is left out.
        package let certificateChainPEM: String
        /// The private key as PKCS#8.
        package let privateKeyPEM: SecretText
    }

    /// The certificate of this authority.
    package let certificatePEM: String

    private let key: P256PrivateKey
    private let certificate: SharedHandle
    /// Certificates of this authority and those above it, up to the root, which is left out.
    private let intermediatesPEM: String

    private init(key: P256PrivateKey, certificate: SharedHandle, intermediatesAbove: String?) {
        self.key = key
        self.certificate = certificate
        let text = PEMText.certificate(certificate)
        certificatePEM = text
        intermediatesPEM = intermediatesAbove.map { text + $0 } ?? ""
    }

    /// Makes a root with a new key.
    ///
    /// The name must have 1 to 64 characters.
    package static func generate(
        commonName: String, validity: CertificateValidity = .oneYear
    ) throws(CryptoError) -> CertificateAuthority {
        let key = P256PrivateKey.generate()
        let builder = CertificateBuilder(
            commonName: commonName, profile: .authority, validity: validity)
        let certificate = try builder.certificate(for: key, issuer: nil, signedBy: key)
        return CertificateAuthority(key: key, certificate: certificate, intermediatesAbove: nil)
    }

    /// Makes an authority below this one, whose certificates carry it in their chain.
    package func issueIntermediate(
        commonName: String, validity: CertificateValidity = .oneYear
    ) throws(CryptoError) -> CertificateAuthority {
        let key = P256PrivateKey.generate()
        let builder = CertificateBuilder(
            commonName: commonName, profile: .authority, validity: validity)
        let certificate = try builder.certificate(
            for: key, issuer: certificate, signedBy: self.key)
        return CertificateAuthority(
            key: key, certificate: certificate, intermediatesAbove: intermediatesPEM)
    }

    /// Issues a certificate with a new key for a TLS server.
    ///
    /// - Parameters:
    ///   - names: Host names; a leading `*.` stands for one label.
    ///   - addresses: IPv4 or IPv6 addresses in their usual text.
    ///   - validity: When it is valid.
    package func issueServerCertificate(
        names: [String], addresses: [String] = [], validity: CertificateValidity = .oneYear
    ) throws(CryptoError) -> ServerCertificate {
        let serverKey = P256PrivateKey.generate()
        let builder = CertificateBuilder(
            commonName: "Reveille server",
            profile: try .server(names: names, addresses: addresses), validity: validity)
        let certificate = try builder.certificate(
            for: serverKey, issuer: certificate, signedBy: key)
        return ServerCertificate(
            certificateChainPEM: PEMText.certificate(certificate) + intermediatesPEM,
            privateKeyPEM: serverKey.pkcs8PEM)
    }
}
