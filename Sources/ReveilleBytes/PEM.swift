/// One block of a PEM text (RFC 7468).
package struct PEMBlock: Sendable, Equatable {
    /// The words between `-----BEGIN ` and `-----`; empty when the text was the bare base64 of DER, without armour.
    package let label: String
    /// The decoded body.
    package let bytes: [UInt8]

    /// A block as if it had been read.
    package init(label: String, bytes: [UInt8]) {
        self.label = label
        self.bytes = bytes
    }
}

/// Reads PEM as operators' files, environment variables and forms really hold it.
///
/// Tolerated: any line length and line end, white space anywhere in the body, a byte order mark, text outside the blocks,
/// armour that is not on lines of its own, quotation marks around the whole, line ends written out as `\n` or `\\n`, the
/// base64 of a whole PEM file, and the bare base64 of DER. Refused: whatever is not base64 in the end, labels that differ,
/// blocks without an end.
package enum PEM {
    /// The longest text that is looked at: a chain of certificates is well below.
    package static let maximumBytes = 256 * 1024
    /// The most blocks of one text.
    package static let maximumBlocks = 32
    /// The longest label; RFC 7468's are all below 32 characters.
    package static let maximumLabelBytes = 64

    /// All blocks of `text`, in order; never an empty list.
    package static func blocks(in text: String) throws(PEMError) -> [PEMBlock] {
        try PEM.blocks(in: Array(text.utf8))
    }

    /// All blocks of a text in UTF-8, in order; never an empty list.
    package static func blocks(in utf8: [UInt8]) throws(PEMError) -> [PEMBlock] {
        guard utf8.count <= maximumBytes else { throw PEMError(.tooLong) }
        guard !withoutBlanks(utf8[...]).isEmpty else { throw PEMError(.empty) }
        let direct = try armouredBlocks(in: utf8)
        if !direct.isEmpty { return direct }
        return try unarmoured(utf8)
    }

    /// What a text without armour may be: base64 of a PEM file, or base64 of DER.
    private static func unarmoured(_ utf8: [UInt8]) throws(PEMError) -> [PEMBlock] {
        guard let decoded = Base64.decode(utf8: withoutBlanks(utf8[...])) else {
            throw PEMError(.noBlock)
        }
        let inner = try armouredBlocks(in: decoded)
        if !inner.isEmpty { return inner }
        let derSequence: UInt8 = 0x30
        guard decoded.first == derSequence else { throw PEMError(.noBlock) }
        return [PEMBlock(label: "", bytes: decoded)]
    }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    private static func armouredBlocks(in utf8: [UInt8]) throws(PEMError) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var rest = utf8[...]
        while let bodyStart = position(after: begin, in: rest) {
            guard blocks.count < maximumBlocks else { throw PEMError(.tooManyBlocks) }
            rest = rest[bodyStart...]
            let label = try readLabel(&rest, of: nil)
            guard let endStart = position(after: end, in: rest) else {
                throw PEMError(.missingEnd, label: label)
            }
            let body = rest[..<(endStart - end.count)]
            rest = rest[endStart...]
            guard try readLabel(&rest, of: label) == label else {
                throw PEMError(.labelMismatch, label: label)
            }
            blocks.append(PEMBlock(label: label, bytes: try decodeBody(body, label: label)))
        }
        return blocks
    }

    /// Reads up to the closing dashes and leaves `rest` behind them.
    private static func readLabel(
        _ rest: inout ArraySlice<UInt8>, of block: String?
    ) throws(PEMError) -> String {
        let window = rest.prefix(maximumLabelBytes + dashes.count)
        guard let next = position(after: dashes, in: window) else {
            throw PEMError(.malformedLabel, label: block)
        }
        let label = rest[..<(next - dashes.count)]
        let isWellFormed = label.allSatisfy { byte in
            byte == 0x20 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        }
        guard isWellFormed, !label.isEmpty else { throw PEMError(.malformedLabel, label: block) }
        rest = rest[next...]
        return String(decoding: label, as: UTF8.self)
    }

    private static func decodeBody(
        _ body: ArraySlice<UInt8>, label: String
    ) throws(PEMError) -> [UInt8] {
        guard !body.contains(UInt8(ascii: ":")) else {
            throw PEMError(.headersPresent, label: label)
        }
        let compact = withoutBlanks(body)
        guard !compact.isEmpty else { throw PEMError(.emptyBody, label: label) }
        guard let bytes = Base64.decode(utf8: compact) else {
            throw PEMError(.invalidBase64, label: label)
        }
        return bytes
    }

    /// Drops white space, quotation marks, and the line ends that were written out as a backslash and a letter.
    private static func withoutBlanks(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "'"):
                continue
            case UInt8(ascii: "\\"):
                while index < text.endIndex, text[index] == UInt8(ascii: "\\") { index += 1 }
                guard index < text.endIndex else { continue }
                let letter = text[index]
                let isWrittenLineEnd =
                    letter == UInt8(ascii: "n") || letter == UInt8(ascii: "r")
                    || letter == UInt8(ascii: "t")
                if isWrittenLineEnd { index += 1 }
            default: kept.append(byte)
            }
        }
        return kept.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(kept.dropFirst(3)) : kept
    }

    /// The index just behind the first occurrence of `pattern`.
    private static func position(after pattern: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        var start = text.startIndex
        while start + pattern.count <= text.endIndex {
            if text[start] == pattern[0], text[start..<(start + pattern.count)].elementsEqual(pattern) {
                return start + pattern.count
            }
            start += 1
        }
        return nil
    }
}
