import ReveilleBytes
import ReveilleCrypto
import ReveilleJSON
import Testing

@Suite("Key files")
struct KeyFileTests {
    static let forms = Result { try Vectors.entries("ec_private_key_forms", of: "jwt") }

    static func forms(valid: Bool) throws -> [Vector] {
        try forms.get().filter { try $0.flag("valid") == valid }
    }

    @Test("every form of a P-256 key in use is read", arguments: try forms(valid: true))
    func validForms(vector: Vector) throws {
        let keys = try #require(Vectors.load("jwt")["keys"]?["es256"])
        let expected = Base64URL.decode(try Vector(keys).text("public_x963"))
        let key = try P256PrivateKey(pem: try vector.text("text"))
        #expect(key.publicKey.x963 == expected)
        #expect(key.publicKey.isValid(signature: key.sign([1, 2]), for: [1, 2]))
        let again = try P256PrivateKey(pem: SecretText(try vector.text("text")))
        #expect(again.publicKey == key.publicKey)
    }

    static let codes: [String: KeyFileError.Code] = [
        "bad-p384": .otherCurve, "bad-rsa": .otherAlgorithm, "bad-public-only": .otherKind,
        "bad-encrypted": .encrypted, "bad-scalar-zero": .numberOutOfRange,
        "bad-scalar-n": .numberOutOfRange, "bad-truncated": .damagedStructure,
        "bad-trailing-garbage": .trailingBytes, "bad-public-mismatch": .publicKeyMismatch,
        "bad-empty": .noKeyFound, "bad-base64": .damagedText, "bad-mismatched-armour": .damagedText,
    ]

    @Test("every wrong form is refused with its reason", arguments: try forms(valid: false))
    func invalidForms(vector: Vector) throws {
        let text = try vector.text("text")
        let expected = try #require(Self.codes[try vector.text("name")])
        let error = try #require(throws: KeyFileError.self) { try P256PrivateKey(pem: text) }
        #expect(error.code == expected)
        expectNothing(of: text, in: error)
    }

    @Test(
        "a scalar whose leading zeros were dropped is padded",
        arguments: try Vectors.entries("ec_private_key_other", of: "jwt"))
    func shortScalar(vector: Vector) throws {
        let key = try P256PrivateKey(pem: try vector.text("text"))
        let expected = Base64URL.decode(try vector.text("public"))
        #expect(key.publicKey.x963 == expected)
        let scalar = try #require(Base64URL.decode(try vector.text("d")))
        #expect(try P256PrivateKey(rawScalar: SecretBytes(scalar)).publicKey == key.publicKey)
    }

    @Test("a body of one long line is read")
    func caseOneLongLine() throws {
        try expectParsed("001-p8-one-long-line", ["pem"])
    }

    @Test("BEGIN and END need no lines of their own")
    func caseNoLineEndsAtArmour() throws {
        try expectParsed("002-p8-no-newlines-at-armour", ["pem"])
    }

    @Test("line ends that an environment variable or a form mangled are put right")
    func caseMangledLineEnds() throws {
        let file = try Vectors.reported("003-p8-from-env-or-form-field")
        let variants = try #require(file["input"]?["variants"]?.array).map(Vector.init)
        let expected = Vector(try #require(file["expected"]?["every_variant"]))
        try #require(variants.count == 8)
        for variant in variants {
            let key = try P256PrivateKey(pem: try variant.text("text"))
            #expect(key.publicKey.x963 == (try expected.bytes("public_x963_hex")), "\(variant)")
        }
    }

    @Test("another kind of file is refused, and the message names what was found")
    func caseWrongKind() throws {
        let file = try Vectors.reported("005-p8-wrong-kind-of-pem")
        let files = try #require(file["input"]?["files"]?.array).map(Vector.init)
        try #require(files.count == 5)
        for file in files {
            let text = try file.text("text")
            let label = try file.text("label")
            let error = try #require(throws: KeyFileError.self) { try P256PrivateKey(pem: text) }
            if label.hasPrefix("(") {
                #expect(error.code == .noKeyFound)
                #expect(error.label == nil)
                #expect(error.description.hasPrefix("found no BEGIN line"))
            } else {
                #expect(error.label == label)
                #expect(error.description.contains("\"\(label)\""))
            }
            #expect(error.description.contains("P-256 private key"))
            expectNothing(of: text, in: error)
        }
    }

    @Test("SEC 1 and PKCS#8 are read, with and without their optional parts")
    func caseContainers() throws {
        let file = try Vectors.reported("008-p8-sec1-and-optional-fields")
        let pems = try #require(file["input"]?["pems"]?.array).map(Vector.init)
        let expected = Vector(try #require(file["expected"]?["every_pem"]))
        try #require(pems.count == 3)
        for pem in pems {
            let key = try P256PrivateKey(pem: try pem.text("pem"))
            #expect(key.publicKey.x963 == (try expected.bytes("public_x963_hex")), "\(pem)")
        }
    }

    @Test("base64 of the file and of the bare key are read")
    func caseBase64OfTheFile() throws {
        let fields = ["value", "value_wrapped_76", "value_bare_der_base64"]
        let file = try Vectors.reported("009-p8-base64-of-the-file")
        for field in fields {
            let text = try Vector(try #require(file["input"])).text(field)
            let expected = Vector(try #require(file["expected"]?[field]))
            let key = try P256PrivateKey(pem: text)
            #expect(key.publicKey.x963 == (try expected.bytes("public_x963_hex")), "\(field)")
        }
    }

    @Test("each cut of a key's DER is refused")
    func everyCut() throws {
        let pem = P256PrivateKey.generate().pkcs8PEM.reveal()
        let der = try #require(try PEM.blocks(in: pem).first).bytes
        for count in 1..<der.count {
            let text = armoured(Array(der.prefix(count)), "PRIVATE KEY")
            #expect(throws: KeyFileError.self) { try P256PrivateKey(pem: text) }
        }
        #expect(throws: Never.self) { try P256PrivateKey(pem: armoured(der, "PRIVATE KEY")) }
    }

    @Test("a changed byte of the structure is refused or leaves the same key")
    func everyChangedByte() throws {
        let key = P256PrivateKey.generate()
        let der = try #require(try PEM.blocks(in: key.pkcs8PEM.reveal()).first).bytes
        for index in der.indices {
            var changed = der
            changed[index] ^= 0x01
            let read = try? P256PrivateKey(pem: armoured(changed, "PRIVATE KEY"))
            #expect(read == nil || read?.publicKey == key.publicKey, "byte \(index)")
        }
    }

    @Test("two private keys in one file are refused")
    func severalKeys() throws {
        let text = P256PrivateKey.generate().pkcs8PEM.reveal() + P256PrivateKey.generate().pkcs8PEM.reveal()
        let error = try #require(throws: KeyFileError.self) { try P256PrivateKey(pem: text) }
        #expect(error.code == .severalKeys)
    }

    @Test("parameters of another curve before a key are refused")
    func otherParameters() throws {
        let vectors = try Self.forms(valid: true)
        let sec1 = try #require(vectors.first { $0.testDescription == "sec1-no-public" }).text("text")
        // The object identifier of P-384, 1.3.132.0.34.
        let text = armoured([0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22], "EC PARAMETERS") + sec1
        let error = try #require(throws: KeyFileError.self) { try P256PrivateKey(pem: text) }
        #expect(error.code == .otherCurve)
    }

    @Test("a public key file gives the key, and another file a reason")
    func publicKeyFile() throws {
        let keys = try #require(Vectors.load("jwt")["keys"]?["es256"])
        let key = try P256PublicKey(spkiPEM: try Vector(keys).text("spki_pem"))
        let expected = Base64URL.decode(try Vector(keys).text("public_x963"))
        #expect(key.x963 == expected)
        let privateText = P256PrivateKey.generate().pkcs8PEM.reveal()
        let error = try #require(throws: KeyFileError.self) { try P256PublicKey(spkiPEM: privateText) }
        #expect(error.code == .otherKind && error.label == "PRIVATE KEY")
        #expect(error.description.contains("P-256 public key"))
    }

    @Test("every reason has a sentence of its own", arguments: KeyFileError.Code.allCases)
    func sentences(code: KeyFileError.Code) {
        let error = KeyFileError(code, purpose: .p256PrivateKey, label: "PRIVATE KEY")
        let others = KeyFileError.Code.allCases.filter { $0 != code }.map {
            KeyFileError($0, purpose: .p256PrivateKey, label: "PRIVATE KEY").description
        }
        #expect(!others.contains(error.description))
        #expect(error.description.contains("is needed"))
    }

    private func expectParsed(_ file: String, _ fields: [String]) throws {
        let file = try Vectors.reported(file)
        let input = Vector(try #require(file["input"]))
        let expected = Vector(try #require(file["expected"]))
        for field in fields {
            let key = try P256PrivateKey(pem: try input.text(field))
            #expect(key.publicKey.x963 == (try expected.bytes("public_x963_hex")))
        }
    }

    /// No run of eight characters of the base64 may be in what the operator sees.
    private func expectNothing(of text: String, in error: KeyFileError) {
        let body = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        for line in body where line.count >= 8 {
            let characters = Array(line)
            for start in 0...(characters.count - 8) {
                let run = String(characters[start..<(start + 8)])
                #expect(!"\(error)\(String(reflecting: error))".contains(run))
            }
        }
    }

    private func armoured(_ der: [UInt8], _ label: String) -> String {
        "-----BEGIN \(label)-----\n\(Base64.encode(der))\n-----END \(label)-----\n"
    }
}
