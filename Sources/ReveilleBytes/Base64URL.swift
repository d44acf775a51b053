/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, as RFC 7515 section 2 uses it).
package enum Base64URL {
    /// The unpadded text of `bytes`.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.withContiguousBytes { Base64Alphabet.urlSafe.encode($0, padded: false) }
    }

    /// The bytes of `text`, or nil.
    ///
    /// Strict, for machines' texts such as the parts of a JWT: no padding, no character of the standard alphabet, no white
    /// space, and unused bits are zero, so that one value has one text.
    @inlinable
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(utf8: text.utf8)
    }

    /// The bytes of ASCII `text`, or nil; as strict as ``decode(_:)``.
    @inlinable
    package static func decode(utf8 text: some Sequence<UInt8>) -> [UInt8]? {
        text.withContiguousBytes { decode($0) }
    }

    @usableFromInline
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Base64Alphabet.urlSafe.decode(unpadded: text)
    }

    /// The bytes of a text that a person may have typed, or nil.
    ///
    /// Accepts either alphabet and padding, whether or not it is complete; everything else is as strict as ``decode(_:)``.
    package static func decodeLeniently(_ text: some StringProtocol) -> [UInt8]? {
        var body = Array(text.utf8)
        for _ in 0..<2 where body.last == Base64Alphabet.padding { body.removeLast() }
        for index in body.indices {
            switch body[index] {
            case UInt8(ascii: "+"): body[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): body[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return decode(utf8: body)
    }
}
