/// What a certificate says about itself besides key, names and dates, as OpenSSL's configuration
/// texts.
struct CertificateProfile {
    let basicConstraints: String
    let keyUsage: String
    let extendedKeyUsage: String?
    let alternativeNames: String?

    /// An authority that issues certificates.
    static let authority = CertificateProfile(
        basicConstraints: "critical,CA:TRUE", keyUsage: "critical,keyCertSign,cRLSign",
        extendedKeyUsage: nil, alternativeNames: nil)

    /// A TLS server of some names and addresses.
    ///
    /// Throws `malformedInput` for anything that is not a host name or an address, because the
    /// names become part of a configuration text.
    static func server(
        names: [String], addresses: [String]
    ) throws(CryptoError) -> CertificateProfile {
        guard !names.isEmpty || !addresses.isEmpty, names.allSatisfy(isHostName),
            addresses.allSatisfy(isAddress)
        else { throw CryptoError(.malformedInput) }
        let entries = names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }
        return CertificateProfile(
            basicConstraints: "critical,CA:FALSE", keyUsage: "critical,digitalSignature",
            extendedKeyUsage: "serverAuth", alternativeNames: entries.joined(separator: ","))
    }

    /// The longest host name (RFC 1035 section 2.3.4).
    private static let maximumNameBytes = 253

    private static func isHostName(_ name: String) -> Bool {
        (1...maximumNameBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "*"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func isAddress(_ address: String) -> Bool {
        !address.isEmpty
            && address.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
