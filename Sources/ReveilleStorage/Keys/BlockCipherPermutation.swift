internal import ReveilleBytes
internal import ReveilleCore
internal import ReveilleCrypto
internal import ReveilleRuntime

/// One AES-256 key as a permutation that any thread may use.
final class BlockCipherPermutation: BlockPermutation {
    /// Ciphers that work side by side; each has its lock, held for about a hundred nanoseconds.
    private static let stripes = 8

    private let ciphers: [Locked<AESBlock>]

    init(key: SecretBytes) {
        ciphers = (0..<Self.stripes).map { _ in Locked(AESBlock(key: key)) }
    }

    func encrypt(_ block: UnsafeMutablePointer<UInt8>) {
        let memory = Self.memory(of: block)
        stripe(block).withLock { $0.encrypt(UnsafeRawBufferPointer(memory.bytes), into: memory.bytes) }
    }

    func decrypt(_ block: UnsafeMutablePointer<UInt8>) {
        let memory = Self.memory(of: block)
        stripe(block).withLock { $0.decrypt(UnsafeRawBufferPointer(memory.bytes), into: memory.bytes) }
    }

    private static func memory(of block: UnsafeMutablePointer<UInt8>) -> LentMemory {
        LentMemory(bytes: UnsafeMutableRawBufferPointer(start: block, count: AESBlock.blockBytes))
    }

    private func stripe(_ block: UnsafeMutablePointer<UInt8>) -> Locked<AESBlock> {
        ciphers[Int(block[AESBlock.blockBytes - 1]) & (Self.stripes - 1)]
    }
}
