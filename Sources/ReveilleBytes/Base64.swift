/// Base64 with the standard alphabet and padding (RFC 4648 section 4).
package enum Base64 {
    /// The padded text of `bytes`, in one line.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Base64Alphabet.standard.encode(bytes, padded: true), as: UTF8.self)
    }

    /// The bytes of `text`, or nil.
    ///
    /// Strict: the length is a multiple of four, padding stands where it must and nowhere else, unused bits are zero, and
    /// nothing else is allowed, white space included.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(utf8: Array(text.utf8))
    }

    /// The bytes of ASCII `text`, or nil; as strict as ``decode(_:)``.
    package static func decode(utf8 text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var body = text[...]
        for _ in 0..<2 where body.last == Base64Alphabet.padding { body.removeLast() }
        return Base64Alphabet.standard.decode(unpadded: body)
    }
}
