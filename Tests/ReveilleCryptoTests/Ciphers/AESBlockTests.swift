import ReveilleBytes
import ReveilleCrypto
import Testing

@Suite("One block of AES-256")
struct AESBlockTests {
    @Test(
        "encrypts and decrypts the published blocks",
        arguments: try Vectors.entries("aes_256_block", of: "symmetric"))
    func vectors(vector: Vector) throws {
        let block = AESBlock(key: SecretBytes(try vector.bytes("key_hex")))
        let plaintext = try vector.bytes("plaintext_hex")
        let ciphertext = try vector.bytes("ciphertext_hex")
        for _ in 0..<3 {
            #expect(block.encrypt(plaintext) == ciphertext)
            #expect(block.decrypt(ciphertext) == plaintext)
        }
    }

    @Test("a block can be replaced in its place")
    func inPlace() {
        let block = AESBlock(key: SecretBytes([UInt8](repeating: 9, count: 32)))
        let original: [UInt8] = Array(0..<16)
        var bytes = original
        bytes.withUnsafeMutableBytes { block.encrypt(UnsafeRawBufferPointer($0), into: $0) }
        #expect(bytes == block.encrypt(original))
        bytes.withUnsafeMutableBytes { block.decrypt(UnsafeRawBufferPointer($0), into: $0) }
        #expect(bytes == original)
    }
}
