import ReveilleBytes
import ReveilleCrypto

extension FuzzTarget {
    /// The readers of PEM and DER key files.
    ///
    /// The input is the file.
    static let keyFile = FuzzTarget(
        name: "key-file",
        seeds: [
            armoured("PRIVATE KEY", pkcs8), armoured("EC PRIVATE KEY", sec1), Base64.encode(pkcs8),
            armoured("PUBLIC KEY", spki),
            "-----BEGIN PRIVATE KEY-----\\n\(Base64.encode(pkcs8))\\n-----END PRIVATE KEY-----",
            armoured("EC PARAMETERS", curve) + armoured("EC PRIVATE KEY", sec1),
            armoured("ENCRYPTED PRIVATE KEY", pkcs8), armoured("CERTIFICATE", spki),
        ].map { [UInt8]($0.utf8) },
        words: [
            "-----BEGIN ", "-----END ", "-----", "PRIVATE KEY", "EC PRIVATE KEY", "PUBLIC KEY", "RSA PRIVATE KEY", "\n",
            "\r\n",
            "\\n", "=", "==", " ", "\t", "\"", "Proc-Type: 4,ENCRYPTED\n", "MIGH", "AgEA", "MHcC", "////", "\u{FEFF}",
        ].map { [UInt8]($0.utf8) } + [[0x00], [0xFF]],
        check: KeyFileProperties.check)

    private static func armoured(_ label: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n\(Base64.encode(der))\n-----END \(label)-----\n"
    }

    // The key whose private number is 1: nobody's secret.
    private static let curve: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    private static let number: [UInt8] = [UInt8](repeating: 0, count: 31) + [1]
    private static let sec1: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + number + [0xA0, 0x0A] + curve
    private static let pkcs8: [UInt8] =
        [0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] + curve
        + [0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20] + number
    /// The generator of the curve is the public key.
    private static let spki: [UInt8] =
        [0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] + curve + [0x03, 0x42, 0x00]
        + generator
    private static let generator: [UInt8] =
        Base64URL.decode(
            "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU") ?? []
}

/// What must hold for every file that may hold a key.
enum KeyFileProperties {
    /// So many characters of a file are never repeated in an error.
    private static let longestEcho = 16

    @Sendable static func check(_ bytes: [UInt8]) throws(BrokenProperty) -> FuzzTarget.Verdict {
        try checkBlocks(bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        try checkPublicKey(text)
        let key: P256PrivateKey
        do throws(KeyFileError) {
            key = try P256PrivateKey(pem: text)
        } catch {
            try tellsNothing(error, of: bytes)
            return .refused(error.code.rawValue)
        }
        try demand(key.publicKey.isValid(signature: key.sign([1]), for: [1]), "a key that was read signs")
        let again = try? P256PrivateKey(pem: key.pkcs8PEM)
        try demand(again?.publicKey == key.publicKey, "a key survives writing")
        return .accepted
    }

    private static func checkBlocks(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let blocks = try? PEM.blocks(in: bytes) else { return }
        try demand(!blocks.isEmpty && blocks.count <= PEM.maximumBlocks, "the number of blocks keeps its limit")
        for block in blocks {
            try demand(block.label.utf8.count <= PEM.maximumLabelBytes, "a label keeps its limit")
            try demand(!block.bytes.isEmpty && block.bytes.count < bytes.count, "a block holds less than its text")
        }
    }

    private static func checkPublicKey(_ text: String) throws(BrokenProperty) {
        guard let key = try? P256PublicKey(spkiPEM: text) else { return }
        try demand(key.x963.count == 65 && key.x963[0] == 4, "a public key is a whole point")
    }

    /// No run of characters from the file is in the message, apart from the label.
    private static func tellsNothing(_ error: KeyFileError, of bytes: [UInt8]) throws(BrokenProperty) {
        let label = error.label.map { "\"\($0)\"" } ?? ""
        let message = [UInt8](error.description.replacing(label, with: "").utf8)
        guard bytes.count >= longestEcho, message.count >= longestEcho else { return }
        var runs: Set<ArraySlice<UInt8>> = []
        for start in 0...(message.count - longestEcho) { runs.insert(message[start..<(start + longestEcho)]) }
        for start in 0...(bytes.count - longestEcho) {
            let run = bytes[start..<(start + longestEcho)]
            let isData = !run.contains { $0 == 0x20 || $0 == 0x0A }
            try demand(!isData || !runs.contains(run), "an error repeats nothing of the file")
        }
    }
}
