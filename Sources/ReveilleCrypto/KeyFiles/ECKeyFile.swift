internal import ReveilleBytes

/// Reading of P-256 keys from files.
enum ECKeyFile {
    /// Reads a private key from a text in any of the forms in use.
    static func privateKey(in text: String) throws(KeyFileError) -> P256PrivateKey {
        let file = try KeyFile(text: text, purpose: .p256PrivateKey)
        if let parameters = file.curveParameters {
            var reader = DERReader(parameters)
            guard (try? reader.readObjectIdentifier()) == KeyObjectIdentifier.p256 else {
                throw file.error(.otherCurve)
            }
        }
        switch try container(of: file) {
        case .pkcs1: throw file.error(.otherAlgorithm)
        case .sec1:
            let structure = try file.reading { reader throws(DERError) in
                try ECPrivateKeyStructure(&reader)
            }
            return try key(structure, claimedPublicKeys: [structure.publicKey], file: file)
        case .pkcs8, .unlabelled:
            let info = try file.reading { reader throws(DERError) in try PrivateKeyInfo(&reader) }
            guard info.algorithm == KeyObjectIdentifier.ellipticCurveKey else {
                throw file.error(.otherAlgorithm)
            }
            guard info.curve == KeyObjectIdentifier.p256 else { throw file.error(.otherCurve) }
            let structure = try self.structure(info.key, file: file)
            return try key(
                structure, claimedPublicKeys: [structure.publicKey, info.publicKey], file: file)
        }
    }

    /// Reads a public key from a text with a block PUBLIC KEY (RFC 5480 section 2).
    static func publicKey(in text: String) throws(KeyFileError) -> P256PublicKey {
        let purpose = KeyFileError.Purpose.p256PublicKey
        let blocks: [PEMBlock]
        do {
            blocks = try PEM.blocks(in: text)
        } catch {
            throw KeyFileError(error, purpose: purpose)
        }
        guard let block = blocks.first(where: { $0.label == "PUBLIC KEY" || $0.label.isEmpty })
        else {
            throw KeyFileError(.otherKind, purpose: purpose, label: blocks.first?.label)
        }
        let point: [UInt8]
        do {
            point = try subjectPublicKey(block.bytes)
        } catch {
            throw KeyFileError(error, purpose: purpose, label: block.label)
        }
        guard point.count == P256Curve.pointBytes, let key = try? P256PublicKey(x963: point) else {
            throw KeyFileError(.otherCurve, purpose: purpose, label: block.label)
        }
        return key
    }

    /// The point in a SubjectPublicKeyInfo, empty if it is of another algorithm or curve.
    private static func subjectPublicKey(_ der: [UInt8]) throws(DERError) -> [UInt8] {
        var reader = DERReader(der)
        var info = try reader.readSequence()
        try reader.finish()
        var algorithm = try info.readSequence()
        guard try algorithm.readObjectIdentifier() == KeyObjectIdentifier.ellipticCurveKey,
            try algorithm.readObjectIdentifier() == KeyObjectIdentifier.p256
        else { return [] }
        try algorithm.finish()
        let point = try info.readBitString()
        try info.finish()
        return point
    }

    /// Base64 without armour is PKCS#8 if a SEQUENCE follows the version, and SEC 1 if an OCTET
    /// STRING does.
    private static func container(of file: KeyFile) throws(KeyFileError) -> KeyFile.Container {
        guard file.container == .unlabelled else { return file.container }
        var reader = DERReader(file.der)
        guard var content = try? reader.readSequence(), (try? content.readInteger()) != nil else {
            throw file.error(.damagedStructure)
        }
        return content.nextTag == 0x04 ? .sec1 : .pkcs8
    }

    private static func structure(
        _ der: [UInt8], file: KeyFile
    ) throws(KeyFileError) -> ECPrivateKeyStructure {
        do {
            var reader = DERReader(der)
            let structure = try ECPrivateKeyStructure(&reader)
            try reader.finish()
            return structure
        } catch {
            throw KeyFileError(error, purpose: file.purpose, label: file.label)
        }
    }

    private static func key(
        _ structure: ECPrivateKeyStructure, claimedPublicKeys: [[UInt8]?], file: KeyFile
    ) throws(KeyFileError) -> P256PrivateKey {
        guard structure.curve == nil || structure.curve == KeyObjectIdentifier.p256 else {
            throw file.error(.otherCurve)
        }
        // Old encoders drop leading zeros, which RFC 5915 forbids; a longer number is of a larger
        // curve.
        let missing = P256Curve.scalarBytes - structure.scalar.count
        guard missing >= 0 else { throw file.error(.numberOutOfRange) }
        let scalar = SecretBytes([UInt8](repeating: 0, count: missing) + structure.scalar)
        guard let key = try? P256PrivateKey(rawScalar: scalar) else {
            throw file.error(.numberOutOfRange)
        }
        for claimed in claimedPublicKeys {
            guard let claimed else { continue }
            guard isSame(claimed, as: key.publicKey.x963) else {
                throw file.error(.publicKeyMismatch)
            }
        }
        return key
    }

    /// Compares a point in uncompressed or compressed form with an uncompressed one.
    private static func isSame(_ claimed: [UInt8], as point: [UInt8]) -> Bool {
        guard claimed.count == 1 + P256Curve.scalarBytes, let last = point.last else {
            return claimed == point
        }
        let compressed = [0x02 | (last & 1)] + point[1...P256Curve.scalarBytes]
        return claimed == compressed
    }
}
