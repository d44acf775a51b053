import ReveilleBytes
import ReveilleCrypto
import Testing

@Suite("AES-256-GCM")
struct AESGCMTests {
    @Test(
        "seals and opens the published texts",
        arguments: try Vectors.entries("aes_256_gcm", of: "symmetric"))
    func vectors(vector: Vector) throws {
        let cipher = AESGCM(key: SecretBytes(try vector.bytes("key_hex")))
        let nonce = try vector.bytes("nonce_hex")
        let plaintext = try vector.bytes("plaintext_hex")
        let additional = try vector.bytes("additional_hex")
        let expected = nonce + (try vector.bytes("ciphertext_hex")) + (try vector.bytes("tag_hex"))
        // Twice, because a context that is used again must not remember the text before.
        for _ in 0..<2 {
            #expect(cipher.seal(plaintext, additional: additional, nonce: nonce) == expected)
            #expect(try cipher.open(expected, additional: additional) == plaintext)
        }
    }

    @Test(
        "the forms over buffers agree with those over arrays",
        arguments: try Vectors.entries("aes_256_gcm", of: "symmetric"))
    func bufferForms(vector: Vector) throws {
        let cipher = AESGCM(key: SecretBytes(try vector.bytes("key_hex")))
        let nonce = try vector.bytes("nonce_hex")
        let plaintext = try vector.bytes("plaintext_hex")
        let additional = try vector.bytes("additional_hex")
        var sealed = [UInt8](repeating: 0, count: plaintext.count + AESGCM.overheadBytes)
        let written = sealed.withUnsafeMutableBytes { output in
            plaintext.withUnsafeBytes { text in
                additional.withUnsafeBytes { extra in
                    cipher.seal(text, additional: extra, into: output) { $0.copyBytes(from: nonce) }
                }
            }
        }
        #expect(written == sealed.count)
        #expect(sealed == cipher.seal(plaintext, additional: additional, nonce: nonce))
        var opened = [UInt8](repeating: 0xAA, count: plaintext.count)
        let count = try opened.withUnsafeMutableBytes { output in
            try sealed.withUnsafeBytes { text in
                try additional.withUnsafeBytes { extra in
                    try cipher.open(text, additional: extra, into: output)
                }
            }
        }
        #expect(count == plaintext.count)
        #expect(opened == plaintext)
    }

    @Test("any changed bit of a sealed text is found, and a good text opens afterwards")
    func changedBits() throws {
        let cipher = AESGCM(key: SecretBytes(SecureRandom.bytes(32)))
        let sealed = cipher.seal(Array("eight by".utf8), additional: [1, 2])
        for bit in 0..<(sealed.count * 8) {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError(.authenticationFailed)) {
                try cipher.open(changed, additional: [1, 2])
            }
        }
        #expect(try cipher.open(sealed, additional: [1, 2]) == Array("eight by".utf8))
    }

    @Test("other additional data, another key and a cut text are refused")
    func wrongContext() throws {
        let cipher = AESGCM(key: SecretBytes([UInt8](repeating: 1, count: 32)))
        let other = AESGCM(key: SecretBytes([UInt8](repeating: 2, count: 32)))
        let sealed = cipher.seal([7, 7, 7], additional: [1])
        for additional in [[], [2], [1, 0]] as [[UInt8]] {
            #expect(throws: CryptoError(.authenticationFailed)) {
                try cipher.open(sealed, additional: additional)
            }
        }
        #expect(throws: CryptoError(.authenticationFailed)) {
            try other.open(sealed, additional: [1])
        }
        for count in 0..<AESGCM.overheadBytes {
            #expect(throws: CryptoError(.malformedInput)) {
                try cipher.open(Array(sealed.prefix(count)), additional: [1])
            }
        }
        for count in AESGCM.overheadBytes..<sealed.count {
            #expect(throws: CryptoError(.authenticationFailed)) {
                try cipher.open(Array(sealed.prefix(count)), additional: [1])
            }
        }
    }

    @Test("a text that does not open leaves nothing of itself in the buffer")
    func failureWipesOutput() throws {
        let cipher = AESGCM(key: SecretBytes([UInt8](repeating: 3, count: 32)))
        var sealed = cipher.seal([UInt8](repeating: 0x5A, count: 64), additional: [])
        sealed[sealed.count - 1] ^= 1
        var output = [UInt8](repeating: 0xFF, count: 64)
        output.withUnsafeMutableBytes { output in
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            #expect(throws: CryptoError(.authenticationFailed)) {
                try sealed.withUnsafeBytes { try cipher.open($0, additional: none, into: output) }
            }
        }
        #expect(output == [UInt8](repeating: 0, count: 64))
    }

    @Test("random nonces differ from text to text")
    func randomNonces() {
        let cipher = AESGCM(key: SecretBytes([UInt8](repeating: 4, count: 32)))
        let nonces = (0..<100).map { _ in Array(cipher.seal([], additional: []).prefix(12)) }
        #expect(Set(nonces).count == 100)
    }

    @Test("the nonce comes from the source of randomness that is given")
    func injectedNonce() {
        let cipher = AESGCM(key: SecretBytes([UInt8](repeating: 5, count: 32)))
        let sealed = cipher.seal([1], additional: []) { $0.copyBytes(from: Array(0..<12)) }
        #expect(Array(sealed.prefix(12)) == Array(0..<12))
    }
}
