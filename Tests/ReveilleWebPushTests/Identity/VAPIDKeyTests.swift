import Foundation
import ReveilleBytes
import ReveilleCrypto
import ReveilleJSON
import ReveilleWebPush
import Testing

@Suite("The pair that subscriptions are made with")
struct VAPIDKeyTests {
    /// A private key in one of the forms that files have.
    struct Form: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let isValid: Bool

        var testDescription: String { name }

        static let all: [Form] = {
            guard let file = Bundle.module.url(forResource: "jwt", withExtension: "json", subdirectory: "Vectors"),
                let data = try? Data(contentsOf: file), let vectors = try? JSONReader.parse([UInt8](data)).object
            else { preconditionFailure("the vectors of keys cannot be read") }
            return (vectors["ec_private_key_forms"]?.array ?? []).compactMap { vector in
                guard let name = vector["name"]?.string, let text = vector["text"]?.string,
                    case .boolean(let isValid)? = vector["valid"]
                else { return nil }
                return Form(name: name, text: text, isValid: isValid)
            }
        }()
    }

    @Test(
        "every form of a key file is read or refused as its vector says, and all valid ones are one key",
        arguments: Form.all)
    func forms(_ form: Form) throws {
        if form.isValid {
            let key = try VAPIDKey(importing: SecretText(form.text))
            #expect(try VAPIDKey(scalar: key.scalar) == key)
        } else {
            #expect(throws: VAPIDKeyError.unreadableKey) { try VAPIDKey(importing: SecretText(form.text)) }
        }
    }

    @Test("all vectors are read")
    func count() { #expect(Form.all.count == 28) }

    @Test("what is exported is imported again as the same pair with the same name")
    func round() throws {
        let key = VAPIDKey.generate()
        #expect(key.publicKey.utf8.count == 87)
        #expect(key.privateText.utf8Count == 43)
        #expect(key.id.wholeMatch(of: /[0-9a-f]{16}/) != nil)
        let forms = [key.privateText, key.pem, SecretText(" \(key.privateText.reveal())=\n")]
        for form in forms {
            let again = try VAPIDKey(importing: form, publicKey: key.publicKey)
            #expect(again == key && again.id == key.id && again.scalar == key.scalar)
        }
        #expect(VAPIDKey.generate().id != key.id)
    }

    @Test("the id is the beginning of the public key's SHA-256")
    func id() throws {
        let key = VAPIDKey.generate()
        let point = try #require(Base64URL.decode(key.publicKey))
        #expect(key.id == String(SHA256Digest.hexadecimal(point).prefix(16)))
    }

    @Test("a public key of another pair beside the private one is a mistake that is named")
    func mismatch() throws {
        let (key, other) = (VAPIDKey.generate(), VAPIDKey.generate())
        for publicKey in [other.publicKey, "", "AAAA"] {
            #expect(throws: VAPIDKeyError.otherPublicKey) {
                try VAPIDKey(importing: key.privateText, publicKey: publicKey)
            }
        }
    }

    @Test("numbers outside of the group are no keys", arguments: [UInt8(0), 0xFF])
    func numbers(_ octet: UInt8) {
        let scalar = [UInt8](repeating: octet, count: 32)
        #expect(throws: VAPIDKeyError.unusableKey) { try VAPIDKey(scalar: SecretBytes(scalar)) }
        #expect(throws: VAPIDKeyError.unusableKey) {
            try VAPIDKey(importing: SecretText(Base64URL.encode(scalar)))
        }
    }

    @Test("the pair prints its id and nothing else")
    func silent() throws {
        let key = VAPIDKey.generate()
        let printed = "\(key) \(String(reflecting: key)) \(Optional(key) as Any)"
        #expect(printed.contains(key.id))
        #expect(!printed.contains(key.privateText.reveal()) && !printed.contains(key.publicKey))
    }
}
