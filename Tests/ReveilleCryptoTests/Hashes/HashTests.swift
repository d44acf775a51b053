import ReveilleBytes
import ReveilleCrypto
import Testing

@Suite("Hashes, message authentication and key derivation")
struct HashTests {
    @Test(
        "SHA-256 gives the published digests",
        arguments: try Vectors.entries("sha256", of: "symmetric"))
    func digest(vector: Vector) throws {
        let message = try vector.bytes("message_hex")
        #expect(SHA256Digest.hash(message) == (try vector.bytes("digest_hex")))
        #expect(SHA256Digest.hexadecimal(message) == (try vector.text("digest_hex")))
        #expect(message.withUnsafeBytes { SHA256Digest.hash($0) } == SHA256Digest.hash(message))
    }

    @Test(
        "HMAC gives the published codes, in one part or several",
        arguments: try Vectors.entries("hmac_sha256", of: "symmetric"))
    func authenticationCode(vector: Vector) throws {
        let key = SecretBytes(try vector.bytes("key_hex"))
        let message = try vector.bytes("message_hex")
        let code = try vector.bytes("code_hex")
        let hmac = HMACSHA256(key: key)
        #expect(hmac.authenticate(message) == code)
        let half = message.count / 2
        #expect(hmac.authenticate(Array(message[..<half]), [], Array(message[half...])) == code)
        #expect(hmac.isValid(code, for: message))
    }

    @Test("a code that is cut, longer or changed in any byte is not valid")
    func wrongCodes() {
        let hmac = HMACSHA256(key: SecretBytes([1, 2, 3]))
        let message: [UInt8] = Array("message".utf8)
        let code = hmac.authenticate(message)
        #expect(!hmac.isValid(Array(code.dropLast()), for: message))
        #expect(!hmac.isValid(code + [0], for: message))
        #expect(!hmac.isValid([], for: message))
        for index in code.indices {
            var changed = code
            changed[index] ^= 0x80
            #expect(!hmac.isValid(changed, for: message))
        }
    }

    @Test(
        "a context can be used again after each text",
        arguments: try Vectors.entries("hmac_sha256", of: "symmetric"))
    func reusedContext(vector: Vector) throws {
        let context = HMACSHA256Context(key: SecretBytes(try vector.bytes("key_hex")))
        let message = try vector.bytes("message_hex")
        let code = try vector.bytes("code_hex")
        for _ in 0..<3 {
            var output = [UInt8](repeating: 0, count: 32)
            output.withUnsafeMutableBytes { output in
                message.withUnsafeBytes { context.authenticate($0, into: output) }
            }
            #expect(output == code)
        }
    }

    @Test(
        "HKDF gives the published keys, from one byte to the most",
        arguments: try Vectors.entries("hkdf_sha256", of: "symmetric"))
    func derivation(vector: Vector) throws {
        let key = HKDFSHA256.derive(
            secret: SecretBytes(try vector.bytes("secret_hex")), salt: try vector.bytes("salt_hex"),
            info: try vector.bytes("info_hex"), count: try vector.number("count"))
        let expected = try vector.bytes("output_hex")
        #expect(key.withUnsafeBytes { Array($0) } == expected)
    }

    @Test("random bytes have the asked length and do not repeat", arguments: [1, 16, 33, 4096])
    func randomBytes(count: Int) {
        let first = SecureRandom.bytes(count)
        #expect(first.count == count)
        #expect(count < 16 || first != SecureRandom.bytes(count))
        #expect(SecureRandom.bytes(0).isEmpty)
    }
}
