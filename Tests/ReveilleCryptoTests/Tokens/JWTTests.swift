import ReveilleBytes
import ReveilleCrypto
import ReveilleJSON
import Testing

@Suite("JSON Web Tokens with ES256")
struct JWTTests {
    /// The public key that a vector names.
    static func publicKey(_ name: String) throws -> P256PublicKey {
        let key = Vector(try #require(Vectors.load("jwt")["keys"]?[name]))
        return try P256PublicKey(
            x963: try #require(Base64URL.decode(try key.text("public_x963"))))
    }

    @Test("published tokens verify, byte for byte as sent", arguments: try Vectors.entries("es256", of: "jwt"))
    func valid(vector: Vector) throws {
        let key = try Self.publicKey(try vector.text("public_key"))
        let token = try JWT.verifyES256(try vector.text("jwt")) { _ in key }
        #expect(token.header["alg"] == "ES256")
        for (part, key) in [(token.header, "header_json"), (token.claims, "claims_json")] {
            guard let text = vector.value[key]?.string else { continue }
            #expect(part == (try JSONReader.parse(text: text)))
        }
    }

    static let codes: [String: JWTError.Code] = [
        "two-parts": .malformed, "alg-none": .unexpectedAlgorithm,
        "alg-hs256-confusion": .unexpectedAlgorithm, "padded-base64": .malformed,
    ]

    @Test("wrong tokens are refused", arguments: try Vectors.entries("es256_must_fail", of: "jwt"))
    func invalid(vector: Vector) throws {
        let key = try Self.publicKey(try vector.text("public_key"))
        let token = try vector.text("jwt")
        let expected = Self.codes[try vector.text("name")] ?? .invalidSignature
        #expect(throws: JWTError(expected)) { try JWT.verifyES256(token) { _ in key } }
    }

    @Test("a token that was signed here carries header and claims unchanged and verifies")
    func signed() throws {
        let key = P256PrivateKey.generate()
        let header = #"{"alg":"ES256","kid":"ABC123DEFG"}"#
        let claims = #"{"iss":"DEF123GHIJ", "iat":1437179036}"#
        let token = JWT.signES256(headerJSON: header, claimsJSON: claims, key: key)
        let parts = token.split(separator: ".")
        #expect(parts.count == 3)
        #expect(Base64URL.decode(parts[0]) == Array(header.utf8))
        #expect(Base64URL.decode(parts[1]) == Array(claims.utf8))
        #expect(parts[2].count == 86)
        var askedFor: String?
        let verified = try JWT.verifyES256(token) {
            askedFor = $0
            return key.publicKey
        }
        #expect(askedFor == "ABC123DEFG")
        #expect(verified.claims["iat"] == 1_437_179_036)
    }

    @Test("signatures keep 64 bytes however often one signs")
    func signatureLength() throws {
        let key = P256PrivateKey.generate()
        for number in 0..<300 {
            let token = JWT.signES256(headerJSON: #"{"alg":"ES256"}"#, claimsJSON: "{\"n\":\(number)}", key: key)
            #expect(token.split(separator: ".")[2].utf8.count == 86)
        }
    }

    @Test("each changed character of a token is refused")
    func everyCharacter() throws {
        let key = P256PrivateKey.generate()
        let token = Array(
            JWT.signES256(headerJSON: #"{"alg":"ES256"}"#, claimsJSON: #"{"a":1}"#, key: key).utf8)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: changed, as: UTF8.self)
            #expect(throws: JWTError.self, "character \(index)") {
                try JWT.verifyES256(text) { _ in key.publicKey }
            }
        }
    }

    @Test(
        "headers that ask for what is not understood are refused",
        arguments: [
            (#"{"alg":"ES256","crit":["exp"],"exp":1}"#, JWTError.Code.unsupportedHeader),
            (#"{"alg":"ES256","b64":false}"#, .unsupportedHeader),
            (#"{"alg":"es256"}"#, .unexpectedAlgorithm), (#"{"alg":["ES256"]}"#, .unexpectedAlgorithm),
            (#"{"typ":"JWT"}"#, .unexpectedAlgorithm), (#"{"alg":"RS256"}"#, .unexpectedAlgorithm),
            (#"{"alg":"ES256","kid":7}"#, .invalidJSON), (#"["ES256"]"#, .invalidJSON),
            (#"{"alg":"none","alg":"ES256"}"#, .invalidJSON), ("", .invalidJSON), ("{", .invalidJSON),
        ])
    func headers(header: String, code: JWTError.Code) {
        let key = P256PrivateKey.generate()
        let token = JWT.signES256(headerJSON: header, claimsJSON: "{}", key: key)
        #expect(throws: JWTError(code)) { try JWT.verifyES256(token) { _ in key.publicKey } }
    }

    @Test(
        "claims that are no object are refused although the signature is good",
        arguments: ["[]", "1", "\"x\"", "", "{\"a\":1,\"a\":2}"])
    func claims(text: String) {
        let key = P256PrivateKey.generate()
        let token = JWT.signES256(headerJSON: #"{"alg":"ES256"}"#, claimsJSON: text, key: key)
        #expect(throws: JWTError(.invalidJSON)) { try JWT.verifyES256(token) { _ in key.publicKey } }
    }

    @Test("an unknown key, a token that is too long and other numbers of parts are refused")
    func otherErrors() {
        let key = P256PrivateKey.generate()
        let token = JWT.signES256(headerJSON: #"{"alg":"ES256"}"#, claimsJSON: "{}", key: key)
        #expect(throws: JWTError(.unknownKey)) { try JWT.verifyES256(token) { _ in nil } }
        let long = JWT.signES256(
            headerJSON: #"{"alg":"ES256"}"#,
            claimsJSON: "{\"a\":\"" + String(repeating: "a", count: JWT.maximumBytes) + "\"}", key: key)
        #expect(throws: JWTError(.tooLong)) { try JWT.verifyES256(long) { _ in key.publicKey } }
        for text in ["", ".", "..", "...", token + ".", "." + token, token + "." + token] {
            #expect(throws: JWTError.self) { try JWT.verifyES256(text) { _ in key.publicKey } }
        }
    }
}
