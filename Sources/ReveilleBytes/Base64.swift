/// Base64 with the standard alphabet and padding (RFC 4648 section 4).
package enum Base64 {
    /// The padded text of `bytes`, in one line.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.withContiguousBytes { Base64Alphabet.standard.encode($0, padded: true) }
    }

    /// The bytes of `text`, or nil.
    ///
    /// Strict: the length is a multiple of four, padding stands where it must and nowhere else, unused bits are zero, and
    /// nothing else is allowed, white space included.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(utf8: text.utf8)
    }

    /// The bytes of ASCII `text`, or nil; as strict as ``decode(_:)``.
    package static func decode(utf8 text: some Sequence<UInt8>) -> [UInt8]? {
        text.withContiguousBytes { text in
            guard text.count % 4 == 0 else { return nil }
            var end = text.count
            for _ in 0..<2 where end > 0 && text[end - 1] == Base64Alphabet.padding { end -= 1 }
            return Base64Alphabet.standard.decode(unpadded: UnsafeBufferPointer(rebasing: text[..<end]))
        }
    }
}
