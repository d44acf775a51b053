import ReveilleBytes
import ReveilleJSON
import Testing

/// RFC 4648 section 10: the test vectors of each encoding.
private let rfc4648: [(plain: String, base64: String, base32: String, hex: String)] = [
    ("", "", "", ""),
    ("f", "Zg==", "MY", "66"),
    ("fo", "Zm8=", "MZXQ", "666f"),
    ("foo", "Zm9v", "MZXW6", "666f6f"),
    ("foob", "Zm9vYg==", "MZXW6YQ", "666f6f62"),
    ("fooba", "Zm9vYmE=", "MZXW6YTB", "666f6f6261"),
    ("foobar", "Zm9vYmFy", "MZXW6YTBOI", "666f6f626172"),
]

@Suite("Bytes as text")
struct TextEncodingTests {
    @Test("each encoding gives the vectors of RFC 4648", arguments: rfc4648)
    func vectors(plain: String, base64: String, base32: String, hex: String) {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes) == base64)
        #expect(Base64.decode(base64) == bytes)
        #expect(Base64URL.encode(bytes) == base64.filter { $0 != "=" })
        #expect(Base64URL.decode(base64.filter { $0 != "=" }) == bytes)
        #expect(Base32.encode(bytes) == base32)
        #expect(Hex.encode(bytes) == hex)
        #expect(Hex.decode(hex) == bytes)
        #expect(Hex.decode(hex.uppercased()) == bytes)
    }

    @Test("base64url agrees with the shared vectors in both directions")
    func base64URLVectors() throws {
        let pairs = try #require(VectorFile.load("base64url")["pairs"]?.array)
        #expect(pairs.count == 13)
        for pair in pairs {
            let bytes = try #require(Hex.decode(pair["hex"]?.string ?? "?"))
            let text = try #require(pair["b64u"]?.string)
            #expect(Base64URL.encode(bytes) == text)
            #expect(Base64URL.decode(text) == bytes)
            #expect(Base64URL.decodeLeniently(text) == bytes)
        }
    }

    @Test("strict base64url refuses what the shared vectors list")
    func base64URLRefusals() throws {
        let texts = try #require(VectorFile.load("base64url")["must_fail_strict"]?.array)
        #expect(texts.count == 8)
        for text in texts {
            let text = try #require(text.string)
            #expect(Base64URL.decode(text) == nil, "\(text)")
        }
    }

    @Test(
        "lenient base64url takes padding and either alphabet, and is strict in the rest",
        arguments: [
            ("Zg==", [0x66]), ("Zg=", [0x66]), ("Zg", [0x66]), ("+/8=", [0xFB, 0xFF]), ("-_8", [0xFB, 0xFF]),
            ("-/8", [0xFB, 0xFF]), ("", []), ("Zh", nil), ("A", nil), ("Z g", nil), ("Zg===", nil), ("Z=g", nil),
            ("Zg\n", nil), ("Zé", nil),
        ] as [(String, [UInt8]?)])
    func lenient(text: String, bytes: [UInt8]?) {
        #expect(Base64URL.decodeLeniently(text) == bytes)
    }

    @Test(
        "base64 refuses missing, misplaced and superfluous padding, white space, the other alphabet and unused bits",
        arguments: [
            "Zg", "Zg=", "Zg===", "Z===", "====", "=Zg=", "Zg==Zg==", "Zm9v ", "Zm9v\n", "Zh==", "Zm9=", "-_8=",
            "Zm9\u{0}", "Zmé=",
        ])
    func base64Refusals(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(
        "hexadecimal refuses odd lengths and anything but digits",
        arguments: ["0", "0g", "00 ", " 00", "0x00", "é0", "00\u{0}"])
    func hexRefusals(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    @Test("all encodings give back every byte at every position")
    func roundTrips() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length &* 17) }
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Base64URL.decodeLeniently(Base64.encode(bytes)) == bytes)
        }
        let all = (0...255).map { UInt8($0) }
        #expect(Hex.decode(Hex.encode(all)) == all)
        #expect(Base64.decode(Base64.encode(all)) == all)
    }

    @Test("hexadecimal written into memory is the same as the text")
    func hexIntoMemory() {
        let bytes: [UInt8] = [0x00, 0x9F, 0xA0, 0xFF]
        var digits = [UInt8](repeating: 0, count: 9)
        digits.withUnsafeMutableBufferPointer { target in
            bytes.withUnsafeBytes { source in
                if let start = target.baseAddress { Hex.encode(source, into: start) }
            }
        }
        #expect(digits == Array("009fa0ff".utf8) + [0])
    }
}

@Suite("The text of a UUID")
struct UUIDTextTests {
    private let bytes: [UInt8] = [
        0xF8, 0x1D, 0x4F, 0xAE, 0x7D, 0xEC, 0x11, 0xD0, 0xA7, 0x65, 0x00, 0xA0, 0xC9, 0x1E, 0x6B, 0xF6,
    ]
    // RFC 9562 section 4.
    private let text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"

    @Test("is the one of RFC 9562, in lower case, and is read in either case")
    func vector() {
        #expect(UUIDText.encode(bytes) == text)
        #expect(UUIDText.decode(text) == bytes)
        #expect(UUIDText.decode(text.uppercased()) == bytes)
    }

    @Test("is the same when it is written into memory")
    func intoMemory() {
        var characters = [UInt8](repeating: 0x2A, count: 37)
        characters.withUnsafeMutableBufferPointer { target in
            bytes.withUnsafeBytes { source in
                if let start = target.baseAddress { UUIDText.encode(source, into: start) }
            }
        }
        #expect(characters == Array(text.utf8) + [0x2A])
    }

    @Test(
        "is refused in any other form",
        arguments: [
            "", "f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf", "f81d4fae-7dec-11d0-a765-00a0c91e6bf60",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bfg", "f81d4fa-e7dec-11d0-a765-00a0c91e6bf6",
            "f81d4fae_7dec_11d0_a765_00a0c91e6bf6", "-81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        ])
    func refusals(text: String) {
        #expect(UUIDText.decode(text) == nil)
    }
}
