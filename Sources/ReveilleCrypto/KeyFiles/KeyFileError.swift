internal import ReveilleBytes

/// Why a key file cannot be used, without any of its content.
package struct KeyFileError: Error, Equatable, Sendable {
    /// The reason; the raw text is stable.
    package enum Code: String, Sendable, CaseIterable {
        /// The text holds no block and no base64 of a key.
        case noKeyFound = "key_file_no_key"
        /// The armour or the base64 is damaged.
        case damagedText = "key_file_damaged"
        /// There is a block, but of something else: a certificate, a public key.
        case otherKind = "key_file_other_kind"
        /// The key is encrypted with a pass phrase.
        case encrypted = "key_file_encrypted"
        /// There is more than one private key.
        case severalKeys = "key_file_several_keys"
        /// The key is of another algorithm.
        case otherAlgorithm = "key_file_other_algorithm"
        /// The key is on another curve than P-256.
        case otherCurve = "key_file_other_curve"
        /// An RSA key is shorter than 2048 or longer than 8192 bits.
        case unsuitableSize = "key_file_unsuitable_size"
        /// The decoded bytes are not the structure that the label names.
        case damagedStructure = "key_file_damaged_structure"
        /// Bytes follow the key.
        case trailingBytes = "key_file_trailing_bytes"
        /// The private number is zero, too large or too long.
        case numberOutOfRange = "key_file_number_out_of_range"
        /// The public key in the file does not belong to the private one.
        case publicKeyMismatch = "key_file_public_key_mismatch"
    }

    /// What the file was read for.
    package enum Purpose: String, Sendable, CaseIterable {
        /// A P-256 private key, as Apple's `.p8` files hold it.
        case p256PrivateKey = "a P-256 private key"
        /// A P-256 public key.
        case p256PublicKey = "a P-256 public key"
        /// An RSA private key, as Google's service accounts have it.
        case rsaPrivateKey = "an RSA private key"

        var acceptedLabels: String {
            switch self {
            case .p256PrivateKey: "PRIVATE KEY or EC PRIVATE KEY"
            case .p256PublicKey: "PUBLIC KEY"
            case .rsaPrivateKey: "PRIVATE KEY or RSA PRIVATE KEY"
            }
        }
    }

    /// The reason.
    package let code: Code
    /// What the file was read for.
    package let purpose: Purpose
    /// The label of the block that was found; nil if there was none.
    ///
    /// Capital letters, digits and blanks only.
    package let label: String?

    /// Makes an error about the block called `label`, if one was found.
    package init(_ code: Code, purpose: Purpose, label: String? = nil) {
        self.code = code
        self.purpose = purpose
        self.label = label
    }

    /// Translates what the PEM reader found.
    init(_ error: PEMError, purpose: Purpose) {
        let code: Code =
            switch error.code {
            case .empty, .noBlock: .noKeyFound
            case .headersPresent: .encrypted
            case .tooLong, .tooManyBlocks, .malformedLabel, .missingEnd, .labelMismatch, .emptyBody,
                .invalidBase64:
                .damagedText
            }
        self.init(code, purpose: purpose, label: error.label)
    }

    /// Translates what the DER reader found.
    init(_ error: DERError, purpose: Purpose, label: String) {
        let code: Code =
            switch error.code {
            case .trailingBytes: .trailingBytes
            case .truncated, .unexpectedTag, .invalidLength, .invalidInteger, .invalidBitString,
                .invalidObjectIdentifier:
                .damagedStructure
            }
        self.init(code, purpose: purpose, label: label)
    }
}

extension KeyFileError: CustomStringConvertible {
    /// A sentence for the operator that names what was found and what is needed.
    package var description: String {
        "\(found); \(purpose.rawValue) in a block called \(purpose.acceptedLabels) is needed"
    }

    private var found: String {
        let block =
            switch label {
            case nil: "the text"
            case "": "the base64 without BEGIN and END lines"
            case let label?: "the block \"\(label)\""
            }
        return switch code {
        case .noKeyFound: "found no BEGIN line and no base64 of a key"
        case .damagedText: "\(block) is damaged: its BEGIN and END lines or its base64 do not fit"
        case .otherKind: "found \(block)"
        case .encrypted: "\(block) is encrypted, and keys with a pass phrase are not supported"
        case .severalKeys: "found more than one private key"
        case .otherAlgorithm: "\(block) holds a key of another algorithm"
        case .otherCurve: "\(block) holds a key on another curve"
        case .unsuitableSize: "\(block) holds an RSA key that has not between 2048 and 8192 bits"
        case .damagedStructure: "\(block) is cut short or holds something other than a key"
        case .trailingBytes: "\(block) holds more bytes after the key"
        case .numberOutOfRange: "\(block) holds a private number that is out of range"
        case .publicKeyMismatch:
            "\(block) holds a public key that does not belong to its private key"
        }
    }
}
