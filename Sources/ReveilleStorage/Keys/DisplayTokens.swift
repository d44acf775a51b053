internal import ReveilleBytes
package import ReveilleCore
internal import ReveilleCrypto

/// The tokens with which a device fetches what a wake told it of: derived from its row and generation, so that the same one
/// can be answered again and nothing has to be stored.
///
/// Whether the device still exists, has that generation and registered less than 90 days ago is the caller's to look up.
package struct DisplayTokens: Sendable {
    /// What every display token begins with.
    package static let prefix = "rvd_"
    private static let codeOctets = 16
    private static let octets = 16 + codeOctets

    private let permutation: BlockCipherPermutation
    private let code: HMACSHA256

    init(key: SecretBytes) {
        permutation = BlockCipherPermutation(
            key: HKDFSHA256.derive(secret: key, info: Array("block".utf8), count: AESBlock.keyBytes))
        code = HMACSHA256(key: HKDFSHA256.derive(secret: key, info: Array("code".utf8), count: 32))
    }

    /// The token of a device in a generation; the same every time.
    package func issue(device: DeviceRow, generation: Int64) -> String {
        var block: [UInt8] = []
        for number in [device.number, generation] {
            withUnsafeBytes(of: number.bigEndian) { block.append(contentsOf: $0) }
        }
        block.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { permutation.encrypt(base) }
        }
        return Self.prefix + Base64URL.encode(block + code.authenticate(block).prefix(Self.codeOctets))
    }

    /// The device and generation of a token, or nil when this store did not make it.
    package func open(_ token: String) -> (device: DeviceRow, generation: Int64)? {
        guard token.utf8.count < 128, token.hasPrefix(Self.prefix),
            let octets = Base64URL.decode(token.dropFirst(Self.prefix.count)), octets.count == Self.octets
        else { return nil }
        var block = Array(octets.prefix(16))
        guard ConstantTime.equal(octets.dropFirst(16), code.authenticate(block).prefix(Self.codeOctets)) else {
            return nil
        }
        block.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { permutation.decrypt(base) }
        }
        let numbers = (0..<2).map { index in block[8 * index..<8 * index + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
        return (DeviceRow(numbers[0]), numbers[1])
    }
}
