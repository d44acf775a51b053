import ReveilleBytes

/// Rules that texts of a request must keep beyond their type and length.
enum FieldRule {
    /// Refuses control characters and line ends of any kind: ids and names are one line that people can read.
    static func line(_ text: String, _ field: String) throws(InboxError) {
        // The C1 controls and Unicode's own line ends have more than one octet.
        let isPlain =
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) } || !text.unicodeScalars.contains(where: breaksLine)
        guard isPlain else { throw .invalid(field, "must not contain control characters or line ends") }
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Refuses control characters except tab and line breaks.
    static func prose(_ text: String, _ field: String) throws(InboxError) {
        guard !text.utf8.contains(where: { Self.isForbiddenInProse($0) }) else {
            throw .invalid(field, "must not contain control characters but tab and line breaks")
        }
    }

    /// Demands 1 … `maximumOctets` octets.
    static func length(
        _ text: String, _ maximumOctets: Int, _ field: String
    ) throws(InboxError) {
        guard (1...maximumOctets).contains(text.utf8.count) else {
            throw .invalid(field, "must not be empty or longer than its limit")
        }
    }

    /// Refuses repetitions, octet by octet.
    static func unique(_ texts: [String], _ field: String) throws(InboxError) {
        guard texts.count < 2 || Set(texts.map(ExactText.init)).count == texts.count else {
            throw .invalid(field, "must not repeat an element")
        }
    }

    private static func isForbiddenInProse(_ octet: UInt8) -> Bool {
        (octet < 0x20 && octet != 0x09 && octet != 0x0A && octet != 0x0D) || octet == 0x7F
    }
}
