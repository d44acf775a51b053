internal import ReveilleBytes

/// The two forms of an ECDSA signature on P-256: DER, which OpenSSL uses, and r ‖ s, which JOSE
/// uses.
package enum ECDSASignature {
    /// Size of the raw form in bytes.
    package static let rawBytes = 64

    /// Turns SEQUENCE { INTEGER r, INTEGER s } into r ‖ s, each left-padded to 32 bytes.
    ///
    /// Refuses what is not DER and numbers outside 1 … n − 1.
    package static func raw(fromDER der: [UInt8]) throws(CryptoError) -> [UInt8] {
        do {
            var reader = DERReader(der)
            var sequence = try reader.readSequence()
            try reader.finish()
            let r = try sequence.readInteger()
            let s = try sequence.readInteger()
            try sequence.finish()
            guard let raw = [r, s].reduce([UInt8]?.some([]), appendScalar) else {
                throw CryptoError(.malformedInput)
            }
            return raw
        } catch {
            throw CryptoError(.malformedInput)
        }
    }

    /// Turns r ‖ s of 64 bytes into DER; refuses another length and numbers outside 1 … n − 1.
    package static func der(fromRaw raw: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard raw.count == rawBytes, P256Curve.isScalar(raw.prefix(P256Curve.scalarBytes)),
            P256Curve.isScalar(raw.suffix(P256Curve.scalarBytes))
        else { throw CryptoError(.malformedInput) }
        let content =
            integer(raw.prefix(P256Curve.scalarBytes)) + integer(raw.suffix(P256Curve.scalarBytes))
        return [0x30, UInt8(content.count)] + content
    }

    private static func appendScalar(_ raw: [UInt8]?, _ integer: [UInt8]) -> [UInt8]? {
        guard let raw, let first = integer.first, first < 0x80 else { return nil }
        let digits = first == 0 ? integer.dropFirst() : integer[...]
        guard digits.count <= P256Curve.scalarBytes else { return nil }
        let padding = [UInt8](repeating: 0, count: P256Curve.scalarBytes - digits.count)
        let scalar = padding + digits
        return P256Curve.isScalar(scalar) ? raw + scalar : nil
    }

    private static func integer(_ scalar: ArraySlice<UInt8>) -> [UInt8] {
        let digits = scalar.drop { $0 == 0 }
        let needsSign = (digits.first ?? 0) >= 0x80
        return [0x02, UInt8(digits.count + (needsSign ? 1 : 0))] + (needsSign ? [0] : []) + digits
    }
}
