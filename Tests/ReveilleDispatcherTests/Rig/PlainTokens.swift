import ReveilleBytes
import ReveilleCore
import ReveilleDispatcher
import ReveilleStorage

/// Tokens that are sealed by nothing: their octets are written as they are.
///
/// One that begins with zero does not open.
struct PlainTokens: TokenOpening {
    func writeHexadecimal(
        _ sealed: [UInt8], device: DeviceRow, into target: UnsafeMutableBufferPointer<UInt8>
    ) throws(StoreError) -> Int {
        guard sealed.first != 0, target.count >= 2 * sealed.count, let start = target.baseAddress else {
            throw StoreError(.unreadableValue)
        }
        sealed.withUnsafeBytes { Hex.encode($0, into: start) }
        return 2 * sealed.count
    }

    func write(
        _ sealed: [UInt8], device: DeviceRow, into target: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> Int {
        guard sealed.first != 0, target.count >= sealed.count else { throw StoreError(.unreadableValue) }
        target.copyBytes(from: sealed)
        return sealed.count
    }
}

/// A permutation that a reader can follow: octets reversed and masked.
///
/// Not a cipher.
struct MirrorPermutation: BlockPermutation {
    func encrypt(_ block: UnsafeMutablePointer<UInt8>) { mirror(block) }
    func decrypt(_ block: UnsafeMutablePointer<UInt8>) { mirror(block) }

    private func mirror(_ block: UnsafeMutablePointer<UInt8>) {
        for index in 0..<8 {
            let low = block[index] ^ 0xA5
            block[index] = block[15 - index] ^ 0xA5
            block[15 - index] = low
        }
    }
}
