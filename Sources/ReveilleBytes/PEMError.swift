/// Why a text holds no readable PEM.
package struct PEMError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, stable for tests and messages.
    package enum Code: String, Sendable, CaseIterable {
        /// The text is empty or only white space.
        case empty = "pem_empty"
        /// The text is longer than ``PEM/maximumBytes``.
        case tooLong = "pem_too_long"
        /// There is no `-----BEGIN …-----`, and the text is not base64 of a key either.
        case noBlock = "pem_no_block"
        /// There are more blocks than ``PEM/maximumBlocks``.
        case tooManyBlocks = "pem_too_many_blocks"
        /// The words after BEGIN or END are not a label.
        case malformedLabel = "pem_malformed_label"
        /// A BEGIN has no END.
        case missingEnd = "pem_missing_end"
        /// BEGIN and END name different labels.
        case labelMismatch = "pem_label_mismatch"
        /// Nothing stands between BEGIN and END.
        case emptyBody = "pem_empty_body"
        /// The body is not base64.
        case invalidBase64 = "pem_invalid_base64"
        /// The body starts with header lines, which only encrypted keys of the old form have.
        case headersPresent = "pem_headers_present"
    }

    /// The reason.
    package let code: Code
    /// The label of the block concerned, when one was read.
    ///
    /// Labels are capital letters, digits and spaces, never key material.
    package let label: String?

    /// An error about the block called `label`, if one is known.
    package init(_ code: Code, label: String? = nil) {
        self.code = code
        self.label = label
    }

    /// A sentence for the operator; it never quotes the body.
    package var description: String {
        let block = label.map { "the PEM block \"\($0)\"" } ?? "the PEM text"
        return switch code {
        case .empty: "the PEM text is empty"
        case .tooLong: "the PEM text is longer than \(PEM.maximumBytes) bytes"
        case .noBlock: "no PEM block was found (no \"-----BEGIN …-----\" line)"
        case .tooManyBlocks: "the PEM text holds more than \(PEM.maximumBlocks) blocks"
        case .malformedLabel: "a BEGIN or END line of \(block) is malformed"
        case .missingEnd: "\(block) has no END line"
        case .labelMismatch: "\(block) ends with another label than it begins with"
        case .emptyBody: "\(block) has no content"
        case .invalidBase64: "the content of \(block) is not base64"
        case .headersPresent: "\(block) carries header lines, as encrypted keys of the old form do"
        }
    }
}
