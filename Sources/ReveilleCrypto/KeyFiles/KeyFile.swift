internal import ReveilleBytes

/// The one block of a key file that holds the key, whatever else the file holds.
struct KeyFile {
    /// What the bytes are.
    enum Container {
        /// RFC 5958, "PRIVATE KEY".
        case pkcs8
        /// RFC 5915, "EC PRIVATE KEY".
        case sec1
        /// RFC 8017 appendix A.1.2, "RSA PRIVATE KEY".
        case pkcs1
        /// Base64 without armour: one of the three, which the structure tells.
        case unlabelled
    }

    let container: Container
    let label: String
    let der: [UInt8]
    let purpose: KeyFileError.Purpose
    /// The content of a block EC PARAMETERS, which tools write before a SEC 1 key.
    let curveParameters: [UInt8]?

    /// Finds the private key in a text.
    init(text: String, purpose: KeyFileError.Purpose) throws(KeyFileError) {
        let blocks: [PEMBlock]
        do {
            blocks = try PEM.blocks(in: text)
        } catch {
            throw KeyFileError(error, purpose: purpose)
        }
        let keys = blocks.filter { Self.container(of: $0.label) != nil }
        guard let key = keys.first, let container = Self.container(of: key.label) else {
            throw Self.error(for: blocks, purpose: purpose)
        }
        guard keys.count == 1 else {
            throw KeyFileError(.severalKeys, purpose: purpose, label: key.label)
        }
        self.container = container
        self.label = key.label
        self.der = key.bytes
        self.purpose = purpose
        curveParameters = blocks.first { $0.label == Self.parametersLabel }?.bytes
    }

    /// An error about this file.
    func error(_ code: KeyFileError.Code) -> KeyFileError {
        KeyFileError(code, purpose: purpose, label: label)
    }

    /// Runs a reader of the structure and translates its errors.
    func reading<Value>(
        _ body: (inout DERReader) throws(DERError) -> Value
    ) throws(KeyFileError) -> Value {
        do {
            var reader = DERReader(der)
            let value = try body(&reader)
            try reader.finish()
            return value
        } catch {
            throw KeyFileError(error, purpose: purpose, label: label)
        }
    }

    private static let parametersLabel = "EC PARAMETERS"

    private static func container(of label: String) -> Container? {
        switch label {
        case "PRIVATE KEY": .pkcs8
        case "EC PRIVATE KEY": .sec1
        case "RSA PRIVATE KEY": .pkcs1
        case "": .unlabelled
        default: nil
        }
    }

    /// What to say about a text that holds blocks but no private key.
    private static func error(
        for blocks: [PEMBlock], purpose: KeyFileError.Purpose
    ) -> KeyFileError {
        let encrypted = blocks.first { $0.label == "ENCRYPTED PRIVATE KEY" }
        let other = blocks.first { $0.label != parametersLabel } ?? blocks.first
        if let encrypted {
            return KeyFileError(.encrypted, purpose: purpose, label: encrypted.label)
        }
        return KeyFileError(.otherKind, purpose: purpose, label: other?.label)
    }
}
