/// Object identifiers of key algorithms, in the encoding of their content.
enum KeyObjectIdentifier {
    /// id-ecPublicKey, 1.2.840.10045.2.1 (RFC 5480).
    static let ellipticCurveKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// prime256v1, 1.2.840.10045.3.1.7 (RFC 5480).
    static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// rsaEncryption, 1.2.840.113549.1.1.1 (RFC 8017).
    static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
}
