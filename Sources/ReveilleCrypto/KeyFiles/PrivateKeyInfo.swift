internal import ReveilleBytes

/// The outer structure of PKCS#8 (RFC 5958 section 2): an algorithm and the key in that algorithm's
/// own form.
struct PrivateKeyInfo {
    /// Object identifier of the algorithm.
    let algorithm: [UInt8]
    /// Object identifier of the curve; nil if the parameters are absent or something else.
    let curve: [UInt8]?
    /// The key in the form of its algorithm.
    let key: [UInt8]
    /// The public key of version 2, if there.
    let publicKey: [UInt8]?

    /// Reads the structure.
    ///
    /// Attributes are passed over.
    init(_ reader: inout DERReader) throws(DERError) {
        var info = try reader.readSequence()
        let version = try info.readInteger()
        guard version == [0] || version == [1] else { throw DERError(.unexpectedTag) }
        var algorithm = try info.readSequence()
        self.algorithm = try algorithm.readObjectIdentifier()
        curve = algorithm.nextTag == 0x06 ? try algorithm.readObjectIdentifier() : nil
        key = try info.readOctetString()
        _ = try info.readContextTag(0)
        // A BIT STRING: its first byte counts the unused bits.
        let bits = try info.readPrimitiveContextTag(1)
        guard bits == nil || bits?.first == 0 else { throw DERError(.invalidBitString) }
        publicKey = bits.map { Array($0.dropFirst()) }
        try info.finish()
    }
}
