internal import COpenSSL
package import ReveilleBytes

/// AES-256-GCM (NIST SP 800-38D) under one key, reused for one text after another by one thread.
///
/// A sealed text is nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes). Nonces are random by default;
/// with random nonces one key seals at most 2³² texts (SP 800-38D section 8.3), so callers derive a
/// key per purpose and day.
package final class AESGCM {
    /// Size of a key in bytes.
    package static let keyBytes = 32
    /// Size of a nonce in bytes.
    package static let nonceBytes = 12
    /// Size of a tag in bytes.
    package static let tagBytes = 16
    /// What sealing adds to a text, in bytes.
    package static let overheadBytes = nonceBytes + tagBytes
    /// The longest text, so that its length fits OpenSSL's `int`.
    package static let maximumPlaintextBytes = 1 << 30

    /// Fills a buffer with random bytes.
    package typealias Randomness = (UnsafeMutableRawBufferPointer) -> Void

    private let sealing: CipherContext
    private let opening: CipherContext

    /// Takes a key of `keyBytes` bytes.
    package init(key: SecretBytes) {
        precondition(key.count == Self.keyBytes)
        sealing = key.withUnsafeBytes { CipherContext(EVP_aes_256_gcm(), key: $0, encrypts: true) }
        opening = key.withUnsafeBytes { CipherContext(EVP_aes_256_gcm(), key: $0, encrypts: false) }
    }

    /// Seals a text under a nonce that must never repeat under this key: by default a random one.
    ///
    /// - Parameters:
    ///   - plaintext: At most `maximumPlaintextBytes`.
    ///   - additional: Authenticated with the text and needed again to open it; not part of the result.
    ///   - nonce: `nonceBytes` bytes, for vectors; nil draws one from `random`.
    ///   - random: Source of the nonce.
    package func seal(
        _ plaintext: [UInt8], additional: [UInt8], nonce: [UInt8]? = nil,
        random: Randomness = SecureRandom.fill
    ) -> [UInt8] {
        let count = plaintext.count + Self.overheadBytes
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let output = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
            let nonceRegion = UnsafeMutableRawBufferPointer(rebasing: output[..<Self.nonceBytes])
            if let nonce {
                precondition(nonce.count == Self.nonceBytes)
                nonceRegion.copyBytes(from: nonce)
            } else {
                random(nonceRegion)
            }
            plaintext.withUnsafeBytes { plaintext in
                additional.withUnsafeBytes { additional in
                    sealBehindNonce(plaintext, additional: additional, in: output)
                }
            }
            initialized = count
        }
    }

    /// Seals a text into a buffer of exactly its size and `overheadBytes`, without allocation.
    ///
    /// - Returns: The number of bytes written.
    @discardableResult
    package func seal(
        _ plaintext: UnsafeRawBufferPointer, additional: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer, random: Randomness = SecureRandom.fill
    ) -> Int {
        precondition(output.count >= plaintext.count + Self.overheadBytes)
        let count = plaintext.count + Self.overheadBytes
        random(UnsafeMutableRawBufferPointer(rebasing: output[..<Self.nonceBytes]))
        sealBehindNonce(
            plaintext, additional: additional,
            in: UnsafeMutableRawBufferPointer(rebasing: output[..<count]))
        return count
    }

    /// Opens a sealed text; `authenticationFailed` if any bit of it, of the additional data or of
    /// the key differs.
    package func open(_ sealed: [UInt8], additional: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= Self.overheadBytes else { throw CryptoError(.malformedInput) }
        let count = sealed.count - Self.overheadBytes
        var plaintext = [UInt8](repeating: 0, count: count)
        var result: Result<Int, CryptoError> = .failure(CryptoError(.library))
        plaintext.withUnsafeMutableBytes { output in
            sealed.withUnsafeBytes { sealed in
                additional.withUnsafeBytes { additional in
                    result = Result { () throws(CryptoError) in
                        try open(sealed, additional: additional, into: output)
                    }
                }
            }
        }
        _ = try result.get()
        return plaintext
    }

    /// Opens a sealed text into a buffer of at least its size less `overheadBytes`, without
    /// allocation.
    ///
    /// - Returns: The number of bytes written; on failure the buffer is zeroed.
    package func open(
        _ sealed: UnsafeRawBufferPointer, additional: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) -> Int {
        let count = sealed.count - Self.overheadBytes
        guard (0...Self.maximumPlaintextBytes).contains(count),
            additional.count <= Self.maximumPlaintextBytes
        else { throw CryptoError(.malformedInput) }
        precondition(output.count >= count)
        guard decrypt(sealed, count: count, additional: additional, into: output) else {
            if count > 0 { OPENSSL_cleanse(output.baseAddress, count) }
            throw CryptoError(.authenticationFailed)
        }
        return count
    }

    /// Encrypts behind the nonce that the buffer begins with, and appends the tag.
    private func sealBehindNonce(
        _ plaintext: UnsafeRawBufferPointer, additional: UnsafeRawBufferPointer,
        in output: UnsafeMutableRawBufferPointer
    ) {
        precondition(plaintext.count <= Self.maximumPlaintextBytes)
        precondition(additional.count <= Self.maximumPlaintextBytes)
        guard let nonce = output.opensslBytes else { return }
        let context = sealing.pointer
        let ciphertext = nonce + Self.nonceBytes
        let tag = ciphertext + plaintext.count
        var written: Int32 = 0
        let isSealed = OpenSSLErrors.isolated {
            EVP_EncryptInit_ex2(context, nil, nil, nonce, nil) == 1
                && Self.authenticate(additional, with: context)
                && EVP_EncryptUpdate(
                    context, ciphertext, &written, plaintext.opensslBytes, Int32(plaintext.count))
                    == 1
                && EVP_EncryptFinal_ex(context, tag, &written) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), tag)
                    == 1
        }
        guard isSealed else { OpenSSLErrors.unavailable("seal with AES-GCM") }
    }

    private func decrypt(
        _ sealed: UnsafeRawBufferPointer, count: Int, additional: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let context = opening.pointer
        let nonce = sealed.opensslBytes
        let ciphertext = nonce + Self.nonceBytes
        let tag = UnsafeMutableRawPointer(mutating: ciphertext + count)
        var written: Int32 = 0
        return withUnsafeTemporaryAllocation(byteCount: Self.tagBytes, alignment: 1) { spare in
            // Without text there may be no output memory, and OpenSSL takes a nil output for
            // additional data.
            let plaintext = output.opensslBytes ?? spare.opensslBytes
            return OpenSSLErrors.isolated {
                EVP_DecryptInit_ex2(context, nil, nil, nonce, nil) == 1
                    && Self.authenticate(additional, with: context)
                    && EVP_DecryptUpdate(context, plaintext, &written, ciphertext, Int32(count))
                        == 1
                    && EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), tag) == 1
                    && EVP_DecryptFinal_ex(context, spare.opensslBytes, &written) == 1
            }
        }
    }

    private static func authenticate(
        _ additional: UnsafeRawBufferPointer, with context: OpaquePointer
    ) -> Bool {
        guard additional.count > 0 else { return true }
        var written: Int32 = 0
        return EVP_CipherUpdate(
            context, nil, &written, additional.opensslBytes, Int32(additional.count)) == 1
    }
}
