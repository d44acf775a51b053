import ReveilleBytes
import ReveilleCrypto
import ReveilleJSON
import Testing

@Suite("The two forms of an ECDSA signature")
struct ECDSASignatureTests {
    @Test(
        "DER becomes r and s of 32 bytes each, and back",
        arguments: try Vectors.entries("ecdsa_der_raw", of: "jwt"))
    func bothWays(vector: Vector) throws {
        let der = try vector.bytes("der_hex")
        let raw = try vector.bytes("raw_hex")
        #expect(der.count == (try vector.number("der_len")))
        #expect(try ECDSASignature.raw(fromDER: der) == raw)
        #expect(try ECDSASignature.der(fromRaw: raw) == der)
    }

    @Test(
        "what is not a signature in DER is refused",
        arguments: try Vectors.entries("ecdsa_der_must_fail", of: "jwt"))
    func refusedDER(vector: Vector) throws {
        let der = try vector.bytes("der_hex")
        #expect(throws: CryptoError(.malformedInput)) { try ECDSASignature.raw(fromDER: der) }
    }

    @Test("every cut of a signature in DER is refused")
    func cutDER() throws {
        let der = try ECDSASignature.der(fromRaw: P256PrivateKey.generate().sign([1]))
        for count in 0..<der.count {
            #expect(throws: CryptoError(.malformedInput)) {
                try ECDSASignature.raw(fromDER: Array(der.prefix(count)))
            }
        }
    }

    @Test("a raw signature has 64 bytes and numbers from 1 to n - 1")
    func refusedRaw() throws {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let zero = [UInt8](repeating: 0, count: 32)
        let order = try #require(
            Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        let highest = order.dropLast() + [0x50]
        for raw in [one + zero, zero + one, order + one, one + order, one, one + one + [0], []] {
            #expect(throws: CryptoError(.malformedInput)) { try ECDSASignature.der(fromRaw: raw) }
        }
        #expect(try ECDSASignature.der(fromRaw: one + highest).count == 40)
    }

    @Test("a signature that OpenSSL gave in DER verifies in the form of JOSE")
    func caseDERNotRaw() throws {
        let file = try Vectors.reported("018-es256-der-not-raw")
        let input = Vector(try #require(file["input"]))
        let expected = Vector(try #require(file["expected"]))
        let raw = try ECDSASignature.raw(fromDER: try input.bytes("signature_der_hex"))
        #expect(raw == (try expected.bytes("jose_signature_hex")))
        #expect(Base64URL.encode(raw) == (try expected.text("jose_signature_b64url")))
        #expect(raw.count == (try expected.number("length")))
        let key = try P256PublicKey(x963: try input.bytes("public_x963_hex"))
        let message = Array(try input.text("signed_text").utf8)
        #expect(key.isValid(signature: raw, for: message))
        #expect(!key.isValid(signature: try input.bytes("signature_der_hex"), for: message))
    }

    @Test("numbers that begin with zeros keep their 32 bytes")
    func caseShortNumbers() throws {
        let file = try Vectors.reported("020-es256-short-r-or-s")
        let input = try #require(file["input"])
        let key = try P256PublicKey(x963: try Vector(input).bytes("public_x963_hex"))
        let signatures = try #require(input["cases"]?.array).map(Vector.init)
        let expected = try #require(file["expected"]?["jose_signature_hex"]?.array)
        try #require(signatures.count == expected.count && !expected.isEmpty)
        for (signature, hex) in zip(signatures, expected) {
            let raw = try ECDSASignature.raw(fromDER: try signature.bytes("signature_der_hex"))
            #expect(Hex.encode(raw) == hex.string)
            #expect(raw.count == 64)
            #expect(key.isValid(signature: raw, for: Array(try signature.text("signed_text").utf8)))
        }
    }
}
