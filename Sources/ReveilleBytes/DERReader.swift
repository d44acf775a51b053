/// A forward-only reader of DER (X.690 section 10): definite lengths in their shortest form, bounds checked at each step.
///
/// The reader does not recurse: the content of a constructed element is another reader, and the caller, who knows the
/// structure, decides how deep to go.
package struct DERReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// A reader of `bytes` from their start.
    package init(_ bytes: [UInt8]) {
        self.init(slice: bytes[...])
    }

    private init(slice: ArraySlice<UInt8>) {
        bytes = slice
        position = slice.startIndex
    }

    /// Whether every byte was read.
    package var isAtEnd: Bool { position == bytes.endIndex }

    /// The tag of the next element, or nil at the end.
    package var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

    /// Refuses bytes that are left over.
    package func finish() throws(DERError) {
        guard isAtEnd else { throw DERError(.trailingBytes) }
    }

    /// The content of a SEQUENCE.
    package mutating func readSequence() throws(DERError) -> DERReader {
        DERReader(slice: try readElement(tag: 0x30))
    }

    /// The big-endian two's complement bytes of an INTEGER, in their shortest form.
    package mutating func readInteger() throws(DERError) -> [UInt8] {
        let content = try readElement(tag: 0x02)
        guard let first = content.first else { throw DERError(.invalidInteger) }
        if content.count > 1 {
            let second = content[content.startIndex + 1]
            let isPadded = (first == 0x00 && second < 0x80) || (first == 0xFF && second >= 0x80)
            guard !isPadded else { throw DERError(.invalidInteger) }
        }
        return Array(content)
    }

    /// The content of an OCTET STRING.
    package mutating func readOctetString() throws(DERError) -> [UInt8] {
        Array(try readElement(tag: 0x04))
    }

    /// The encoded content of an OBJECT IDENTIFIER, without tag and length.
    package mutating func readObjectIdentifier() throws(DERError) -> [UInt8] {
        let content = try readElement(tag: 0x06)
        guard let last = content.last, last < 0x80 else { throw DERError(.invalidObjectIdentifier) }
        var startsPart = true
        for byte in content {
            if startsPart, byte == 0x80 { throw DERError(.invalidObjectIdentifier) }
            startsPart = byte < 0x80
        }
        return Array(content)
    }

    /// The bytes of a BIT STRING that ends at a byte.
    package mutating func readBitString() throws(DERError) -> [UInt8] {
        let content = try readElement(tag: 0x03)
        guard content.first == 0 else { throw DERError(.invalidBitString) }
        return Array(content.dropFirst())
    }

    /// A NULL, which has no content.
    package mutating func readNull() throws(DERError) {
        guard try readElement(tag: 0x05).isEmpty else { throw DERError(.invalidLength) }
    }

    /// The content of the constructed context-specific element `[number]`, or nil when the next element is another one.
    ///
    /// - Precondition: `number` is below 31.
    package mutating func readContextTag(_ number: UInt8) throws(DERError) -> DERReader? {
        precondition(number < 31, "longer tags are not read")
        guard nextTag == 0xA0 | number else { return nil }
        return DERReader(slice: try readElement(tag: 0xA0 | number))
    }

    /// The content of the primitive context-specific element `[number]` (an IMPLICIT string), or nil when the next element is another one.
    ///
    /// - Precondition: `number` is below 31.
    package mutating func readPrimitiveContextTag(_ number: UInt8) throws(DERError) -> [UInt8]? {
        precondition(number < 31, "longer tags are not read")
        guard nextTag == 0x80 | number else { return nil }
        return Array(try readElement(tag: 0x80 | number))
    }

    /// Passes over one element of any tag below 31.
    package mutating func skipElement() throws(DERError) {
        guard let tag = nextTag else { throw DERError(.truncated) }
        _ = try readElement(tag: tag)
    }

    private mutating func readElement(tag: UInt8) throws(DERError) -> ArraySlice<UInt8> {
        guard tag & 0x1F != 0x1F else { throw DERError(.unexpectedTag) }
        var next = position
        guard try readByte(&next) == tag else { throw DERError(.unexpectedTag) }
        let length = try readLength(&next)
        guard length <= bytes.endIndex - next else { throw DERError(.truncated) }
        position = next + length
        return bytes[next..<position]
    }

    private func readByte(_ next: inout Int) throws(DERError) -> UInt8 {
        guard next < bytes.endIndex else { throw DERError(.truncated) }
        defer { next += 1 }
        return bytes[next]
    }

    private func readLength(_ next: inout Int) throws(DERError) -> Int {
        let first = try readByte(&next)
        if first < 0x80 { return Int(first) }
        let byteCount = Int(first & 0x7F)
        // Four bytes are 4 GiB, which is more than any caller has in memory.
        guard (1...4).contains(byteCount) else { throw DERError(.invalidLength) }
        var length = 0
        for _ in 0..<byteCount { length = length << 8 | Int(try readByte(&next)) }
        let shortest = length < 0x80 ? 0 : (length.bitWidth - length.leadingZeroBitCount + 7) / 8
        guard byteCount == shortest else { throw DERError(.invalidLength) }
        return length
    }
}
