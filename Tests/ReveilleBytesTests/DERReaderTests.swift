import ReveilleBytes
import ReveilleJSON
import Testing

@Suite("DER")
struct DERReaderTests {
    @Test("of a private key is read field by field")
    func privateKey() throws {
        let vectors = try #require(VectorFile.load("pem-forms").array)
        let der = try #require(Hex.decode(vectors[3]["blocks"]?.array?.first?["der"]?.string ?? "?"))
        var file = DERReader(der)
        var key = try file.readSequence()
        try file.finish()
        #expect(try key.readInteger() == [0])
        var algorithm = try key.readSequence()
        #expect(try algorithm.readObjectIdentifier() == [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
        #expect(try algorithm.readObjectIdentifier() == [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
        try algorithm.finish()
        var inner = DERReader(try key.readOctetString())
        #expect(key.isAtEnd)
        var sec1 = try inner.readSequence()
        #expect(try sec1.readInteger() == [1])
        #expect(try sec1.readOctetString().count == 32)
        var curve = try #require(try sec1.readContextTag(0))
        #expect(try curve.readObjectIdentifier().count == 8)
        #expect(try sec1.readContextTag(0) == nil)
        var point = try #require(try sec1.readContextTag(1))
        #expect(try point.readBitString().count == 65)
        #expect(sec1.isAtEnd)
        #expect(sec1.nextTag == nil)
    }

    /// What is read from the bytes of a refusal.
    enum Element: Sendable {
        case sequence, integer, octetString, objectIdentifier, bitString, null, anything
    }

    @Test(
        "is refused when it is cut, longer than it says, or not in its shortest form",
        arguments: [
            ([], .sequence, .truncated),
            ([0x30], .sequence, .truncated),
            ([0x30, 0x01], .sequence, .truncated),
            ([0x30, 0x82, 0x01], .sequence, .truncated),
            ([0x31, 0x00], .sequence, .unexpectedTag),
            ([0x30, 0x80, 0x00, 0x00], .sequence, .invalidLength),
            ([0x30, 0x81, 0x01, 0x00], .sequence, .invalidLength),
            ([0x30, 0x81, 0x7F], .sequence, .invalidLength),
            ([0x30, 0x82, 0x00, 0x80], .sequence, .invalidLength),
            ([0x30, 0x84, 0x00, 0x00, 0x00, 0x00], .sequence, .invalidLength),
            ([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .sequence, .truncated),
            ([0x30, 0x85, 0x01, 0x00, 0x00, 0x00, 0x00], .sequence, .invalidLength),
            ([0x30, 0xFF], .sequence, .invalidLength),
            ([0x02, 0x00], .integer, .invalidInteger),
            ([0x02, 0x02, 0x00, 0x7F], .integer, .invalidInteger),
            ([0x02, 0x02, 0xFF, 0x80], .integer, .invalidInteger),
            ([0x04, 0x02, 0x00], .octetString, .truncated),
            ([0x06, 0x00], .objectIdentifier, .invalidObjectIdentifier),
            ([0x06, 0x02, 0x2A, 0x86], .objectIdentifier, .invalidObjectIdentifier),
            ([0x06, 0x03, 0x2A, 0x80, 0x01], .objectIdentifier, .invalidObjectIdentifier),
            ([0x03, 0x00], .bitString, .invalidBitString),
            ([0x03, 0x02, 0x01, 0xFE], .bitString, .invalidBitString),
            ([0x05, 0x01, 0x00], .null, .invalidLength),
            ([0x1F, 0x81, 0x00, 0x00], .anything, .unexpectedTag),
            ([], .anything, .truncated),
        ] as [([UInt8], Element, DERError.Code)])
    func refusals(bytes: [UInt8], element: Element, code: DERError.Code) {
        var reader = DERReader(bytes)
        #expect(throws: DERError(code)) {
            switch element {
            case .sequence: _ = try reader.readSequence()
            case .integer: _ = try reader.readInteger()
            case .octetString: _ = try reader.readOctetString()
            case .objectIdentifier: _ = try reader.readObjectIdentifier()
            case .bitString: _ = try reader.readBitString()
            case .null: try reader.readNull()
            case .anything: try reader.skipElement()
            }
        }
    }

    @Test("integers and lengths at the edges of their forms are read")
    func edges() throws {
        for content: [UInt8] in [[0x00], [0x7F], [0x00, 0x80], [0xFF], [0x80], [0xFF, 0x7F]] {
            var reader = DERReader([0x02, UInt8(content.count)] + content)
            #expect(try reader.readInteger() == content)
        }
        for count in [0, 1, 127, 128, 255, 256, 65_535, 65_536] {
            let length: [UInt8] =
                switch count {
                case ..<128: [UInt8(count)]
                case ..<256: [0x81, UInt8(count)]
                case ..<65_536: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
                default: [0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
                }
            var reader = DERReader([0x04] + length + [UInt8](repeating: 7, count: count))
            #expect(try reader.readOctetString().count == count)
            #expect(reader.isAtEnd)
        }
    }

    @Test("bytes after the structure are refused, and elements of no interest are passed over")
    func trailing() throws {
        var reader = DERReader([0x05, 0x00, 0x82, 0x01, 0x61, 0x0C, 0x01, 0x61, 0x00])
        try reader.readNull()
        #expect(try reader.readPrimitiveContextTag(1) == nil)
        #expect(try reader.readPrimitiveContextTag(2) == [0x61])
        try reader.skipElement()
        #expect(throws: DERError(.trailingBytes)) { try reader.finish() }
    }

    @Test("no damage to a key's bytes makes the reader trap")
    func survivesDamage() throws {
        let vectors = try #require(VectorFile.load("pem-forms").array)
        let der = try #require(Hex.decode(vectors[3]["blocks"]?.array?.first?["der"]?.string ?? "?"))
        var read = 0
        for index in der.indices {
            for value in 0...255 {
                var damaged = der
                damaged[index] = UInt8(value)
                var reader = DERReader(damaged)
                guard var outer = try? reader.readSequence() else { continue }
                while !outer.isAtEnd, (try? outer.skipElement()) != nil { read += 1 }
            }
        }
        #expect(read > 10_000)
    }
}
