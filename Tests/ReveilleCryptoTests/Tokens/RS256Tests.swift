import ReveilleBytes
import ReveilleCrypto
import ReveilleJSON
import Testing

@Suite("JSON Web Tokens with RS256")
struct RS256Tests {
    static func vectors(_ list: String) throws -> [Vector] {
        try #require(Vectors.load("jwt")["rs256"]?[list]?.array).map(Vector.init)
    }

    static func keyForms(valid: Bool) throws -> [Vector] {
        try vectors("key_forms").filter { try $0.flag("valid") == valid }
    }

    static func file() throws -> Vector { Vector(try #require(Vectors.load("jwt")["rs256"])) }

    static func publicKey() throws -> RSAPublicKey {
        try RSAPublicKey(
            modulus: try #require(Base64URL.decode(try file().text("modulus_b64u"))),
            exponent: try #require(Base64URL.decode(try file().text("exponent_b64u"))))
    }

    @Test("each form of the key gives exactly the published tokens", arguments: try keyForms(valid: true))
    func exactTokens(form: Vector) throws {
        let key = try RSAPrivateKey(pem: try form.text("text"))
        for token in try Self.vectors("exact") {
            let header = try token.text("header_json")
            let claims = try token.text("claims_json")
            let signed = JWT.signRS256(headerJSON: header.utf8, claimsJSON: claims.utf8, key: key)
            #expect(signed == (try token.text("jwt")))
            #expect(
                Base64URL.encode(key.sign(Array(try token.text("signing_input").utf8)))
                    == (try token.text("signature_b64u")))
        }
    }

    @Test("published tokens verify with modulus and exponent", arguments: try vectors("exact"))
    func verification(token: Vector) throws {
        let key = try Self.publicKey()
        let text = try token.text("jwt")
        let verified = try JWT.verifyRS256(text) { _ in key }
        #expect(verified.claims == (try JSONReader.parse(text: try token.text("claims_json"))))
        #expect(throws: JWTError.self) { try JWT.verifyRS256(text + "A") { _ in key } }
        #expect(throws: JWTError(.unknownKey)) { try JWT.verifyRS256(text) { _ in nil } }
        #expect(throws: JWTError(.unexpectedAlgorithm)) { try JWT.verifyES256(text) { _ in nil } }
    }

    @Test("a signature of other bytes is not valid")
    func otherBytes() throws {
        let key = try RSAPrivateKey(pem: try #require(try Self.vectors("key_forms").first).text("text"))
        let signature = key.sign([1, 2, 3])
        #expect(key.publicKey.isValid(signature: signature, for: [1, 2, 3]))
        #expect(!key.publicKey.isValid(signature: signature, for: [1, 2]))
        #expect(!key.publicKey.isValid(signature: Array(signature.dropLast()), for: [1, 2, 3]))
        #expect(!key.publicKey.isValid(signature: [], for: [1, 2, 3]))
    }

    @Test("a key of another algorithm, a cut key and a short modulus are refused")
    func refusedKeys() throws {
        let others = try Self.keyForms(valid: false)
        try #require(!others.isEmpty)
        for other in others {
            let text = try other.text("text")
            let error = try #require(throws: KeyFileError.self) { try RSAPrivateKey(pem: text) }
            #expect(error.code == .otherAlgorithm)
            #expect(error.description.contains("RSA private key"))
        }
        for form in try Self.keyForms(valid: true) {
            let text = try form.text("text")
            guard let block = try PEM.blocks(in: text).first else { continue }
            let cut = Base64.encode(block.bytes.dropLast(40))
            let pem = "-----BEGIN \(block.label)-----\n\(cut)\n-----END \(block.label)-----"
            #expect(throws: KeyFileError.self) { try RSAPrivateKey(pem: pem) }
        }
        let modulus = try #require(Base64URL.decode(try Self.file().text("modulus_b64u")))
        for (modulus, exponent) in [
            (Array(modulus.dropFirst(64)), [1, 0, 1]), (modulus, [1]), (modulus, [1, 0, 0]), (modulus, []),
            (modulus, [1, 0, 0, 0, 1]), ([UInt8](repeating: 0xFF, count: 2000), [1, 0, 1]), ([], [3]),
        ] as [([UInt8], [UInt8])] {
            #expect(throws: CryptoError.self) { try RSAPublicKey(modulus: modulus, exponent: exponent) }
        }
    }
}
