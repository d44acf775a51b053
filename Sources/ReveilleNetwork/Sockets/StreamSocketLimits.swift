/// What one socket may use, with the reason of each number.
enum StreamSocketLimits {
    /// Bytes taken from the kernel at once: some records, and half of a usual second-level cache.
    static let receiveBytes = 64 * 1024
    /// Receives per turn of the loop: a fast peer must not keep others waiting for longer than a
    /// quarter of a megabyte.
    static let receivesPerTurn = 4
    /// Plaintext encrypted before the next send: enough for a large write, and little enough to
    /// stay in the cache.
    static let encryptBytes = 128 * 1024
    /// Ciphertext waiting for the kernel above which nothing more is encrypted, since it could not
    /// be taken back.
    static let ciphertextBytes = 256 * 1024
    /// Buffers that grew beyond this are given back once they are empty.
    static let keptBufferBytes = 256 * 1024
    /// How long a graceful close may take, to hand over output and to see the peer's end.
    static let lingerTime: Duration = .seconds(5)
    /// How much input is thrown away while a graceful close waits for the peer's end.
    static let lingerBytes = 4 << 20
    /// How long an accepted connection may take for its TLS handshake.
    static let acceptTime: Duration = .seconds(10)
}
