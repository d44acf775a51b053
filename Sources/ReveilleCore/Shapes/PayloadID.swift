internal import ReveilleBytes

/// An opaque id inside a payload: characters that need no escaping, kept in place so that writing a payload allocates
/// nothing.
package struct PayloadID: Sendable {
    /// The longest id of another server (the relay's contract).
    package static let maximumOctets = 128
    /// The longest input whose base32 fits.
    private static let maximumSourceOctets = maximumOctets * 5 / 8

    private var octets = InlineArray<128, UInt8>(repeating: 0)
    /// How many characters it has; 0 when there is no id.
    package let count: Int

    /// No id.
    package init() {
        count = 0
    }

    /// Takes an id of letters, digits and `-`, `.`, `_`, `~` (RFC 3986 section 2.3); nil for anything else or longer.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumOctets, text.utf8.allSatisfy(Self.isUnreserved) else { return nil }
        var written = 0
        for octet in text.utf8 {
            octets[written] = octet
            written += 1
        }
        count = written
    }

    /// The base32 of at most 80 octets.
    package init(base32Of source: UnsafeRawBufferPointer) {
        precondition(source.count <= Self.maximumSourceOctets, "an id of a payload is short")
        var written = 0
        var span = octets.mutableSpan
        span.withUnsafeMutableBufferPointer { target in
            if let start = target.baseAddress { written = Base32.encode(source, into: start) }
        }
        count = written
    }

    /// Whether there is an id.
    package var isEmpty: Bool { count == 0 }

    /// The characters.
    package var text: String {
        withOctets { String(decoding: $0, as: UTF8.self) }
    }

    /// Lends the characters.
    package func withOctets<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        octets.span.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }

    private static func isUnreserved(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
