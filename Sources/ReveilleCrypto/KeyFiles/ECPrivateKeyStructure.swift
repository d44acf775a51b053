internal import ReveilleBytes

/// The structure ECPrivateKey of RFC 5915 section 3.
struct ECPrivateKeyStructure {
    /// The private number, big-endian, as long as the encoder made it.
    let scalar: [UInt8]
    /// Object identifier of the curve, if there.
    let curve: [UInt8]?
    /// The point that belongs to the number, if there.
    let publicKey: [UInt8]?

    /// Reads the structure.
    init(_ reader: inout DERReader) throws(DERError) {
        var structure = try reader.readSequence()
        guard try structure.readInteger() == [1] else { throw DERError(.unexpectedTag) }
        scalar = try structure.readOctetString()
        if var parameters = try structure.readContextTag(0) {
            curve = try parameters.readObjectIdentifier()
            try parameters.finish()
        } else {
            curve = nil
        }
        if var bits = try structure.readContextTag(1) {
            publicKey = try bits.readBitString()
            try bits.finish()
        } else {
            publicKey = nil
        }
        try structure.finish()
    }
}
