internal import COpenSSL
internal import ReveilleBytes

/// Hashes in which a private text might travel: who guesses the text can confirm it.
package enum HashAlgorithm: String, CaseIterable, Sendable {
    case md5 = "MD5"
    case sha1 = "SHA1"
    case sha224 = "SHA224"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"
    case sha512Truncated = "SHA512-256"
    case sha3 = "SHA3-256"
    case blake2b = "BLAKE2b512"
    case blake2s = "BLAKE2s256"
    case ripemd = "RIPEMD160"
    case crc32 = "CRC32"

    /// The hash of `bytes`; nil when the system's OpenSSL does not have it.
    package func hash(_ bytes: [UInt8]) -> [UInt8]? {
        if self == .crc32 { return Self.crc32(bytes) }
        guard let algorithm = EVP_MD_fetch(nil, rawValue, nil) else { return nil }
        defer { EVP_MD_free(algorithm) }
        var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &result, &count, algorithm, nil) == 1 else { return nil }
        return Array(result.prefix(Int(count)))
    }

    /// The checksum of gzip and PNG (ISO 3309), most significant octet first.
    private static func crc32(_ bytes: [UInt8]) -> [UInt8] {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        value ^= 0xFFFF_FFFF
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
