/// Text of header fields: ISO-8859-1 in both directions.
package enum FieldText {
    /// The lower-case form of an ASCII letter; every other byte as it is.
    @inline(__always)
    package static func lowerCased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// Reads bytes as text: one character for each byte, so that distinct bytes give distinct text.
    package static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var text = String()
        text.unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        return text
    }

    /// Writes text as bytes.
    ///
    /// A control character becomes a space, so that no text can end a field or a section; a character outside
    /// ISO-8859-1 becomes a question mark.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        // Nearly every field is printable ASCII, which is copied as it stands.
        let isCopied = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard utf8.allSatisfy({ ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x09 }) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        guard isCopied != true else { return }
        for scalar in text.unicodeScalars {
            let byte = UInt8(exactly: scalar.value) ?? 0x3F
            let isControl = (byte < 0x20 && byte != 0x09) || byte == 0x7F
            bytes.append(isControl ? 0x20 : byte)
        }
    }
}
