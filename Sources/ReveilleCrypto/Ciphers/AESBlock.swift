internal import COpenSSL
package import ReveilleBytes

/// One block of AES-256 as a permutation of 128-bit numbers, for identifiers that must look random
/// and be invertible.
///
/// This is not a way to encrypt texts: equal blocks give equal results. One thread uses an
/// instance; no call allocates.
package final class AESBlock {
    /// Size of a key in bytes.
    package static let keyBytes = 32
    /// Size of a block in bytes.
    package static let blockBytes = 16

    private let encrypting: CipherContext
    private let decrypting: CipherContext

    /// Takes a key of `keyBytes` bytes.
    package init(key: SecretBytes) {
        precondition(key.count == Self.keyBytes)
        encrypting = key.withUnsafeBytes {
            CipherContext(EVP_aes_256_ecb(), key: $0, encrypts: true)
        }
        decrypting = key.withUnsafeBytes {
            CipherContext(EVP_aes_256_ecb(), key: $0, encrypts: false)
        }
        EVP_CIPHER_CTX_set_padding(encrypting.pointer, 0)
        EVP_CIPHER_CTX_set_padding(decrypting.pointer, 0)
    }

    /// Encrypts one block of 16 bytes.
    package func encrypt(_ block: [UInt8]) -> [UInt8] { permute(block, with: encrypting) }

    /// Decrypts one block of 16 bytes.
    package func decrypt(_ block: [UInt8]) -> [UInt8] { permute(block, with: decrypting) }

    /// Encrypts one block of 16 bytes into a buffer of as many; both may be the same memory.
    package func encrypt(
        _ block: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        permute(block, into: output, with: encrypting)
    }

    /// Decrypts one block of 16 bytes into a buffer of as many; both may be the same memory.
    package func decrypt(
        _ block: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        permute(block, into: output, with: decrypting)
    }

    private func permute(_ block: [UInt8], with context: CipherContext) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.blockBytes) { buffer, initialized in
            block.withUnsafeBytes {
                permute($0, into: UnsafeMutableRawBufferPointer(buffer), with: context)
            }
            initialized = Self.blockBytes
        }
    }

    private func permute(
        _ block: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
        with context: CipherContext
    ) {
        precondition(block.count == Self.blockBytes && output.count >= Self.blockBytes)
        var written: Int32 = 0
        let isDone =
            EVP_CipherUpdate(
                context.pointer, output.opensslBytes, &written, block.opensslBytes,
                Int32(Self.blockBytes)) == 1
        guard isDone, written == Int32(Self.blockBytes) else {
            OpenSSLErrors.unavailable("encrypt a block")
        }
    }
}
