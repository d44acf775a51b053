internal import COpenSSL
internal import ReveilleBytes

/// What OpenSSL reads ciphertext from and writes it to: memory, no socket.
///
/// Ciphertext is read straight from the region that the caller lends and written straight to a
/// queue, so that each byte is copied once on either way, and nothing is allocated per record.
final class TLSTransport {
    /// Ciphertext for the peer.
    let output = ByteQueue()
    /// Ciphertext of the peer that was lent and not read before the loan ended.
    private let backlog = ByteQueue()
    /// What is left of the loan.
    private var lent = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether nothing comes any more once everything there is has been read.
    private(set) var hasEnded = false

    /// How many bytes wait to be read.
    var unreadCount: Int { backlog.count + lent.count }

    /// Lends ciphertext for the time of `body`; what is left of it then is copied and read first
    /// the next time.
    func lend<Result>(_ ciphertext: UnsafeRawBufferPointer, _ body: () -> Result) -> Result {
        if backlog.isEmpty {
            lent = ciphertext
        } else {
            backlog.append(ciphertext)
        }
        defer {
            backlog.append(lent)
            lent = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return body()
    }

    /// Says that the peer sends nothing more.
    func end() {
        hasEnded = true
    }

    /// Copies the next ciphertext to OpenSSL's buffer, and returns how much it was.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        guard backlog.isEmpty else {
            let count = backlog.withReadableBytes { Self.copy(from: $0, to: target) }
            backlog.consume(count)
            return count
        }
        let count = Self.copy(from: lent, to: target)
        lent = UnsafeRawBufferPointer(rebasing: lent[count...])
        return count
    }

    private static func copy(
        from source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer
    ) -> Int {
        let count = min(source.count, target.count)
        if count > 0 {
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
        }
        return count
    }
}

extension TLSTransport {
    /// Makes OpenSSL's view of this transport, which must outlive it.
    func makeBIO() -> OpaquePointer? {
        guard let bio = BIO_new(Self.method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    /// The callbacks, made once; OpenSSL only reads them, which is why they may be shared.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        let type = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = BIO_meth_new(type, "reveille transport") else { return nil }
        BIO_meth_set_write_ex(method, writeToTransport)
        BIO_meth_set_read_ex(method, readFromTransport)
        BIO_meth_set_ctrl(method, controlTransport)
        return method
    }()

    fileprivate static func of(_ bio: OpaquePointer?) -> Unmanaged<TLSTransport>? {
        BIO_get_data(bio).map { Unmanaged<TLSTransport>.fromOpaque($0) }
    }
}

private func writeToTransport(
    _ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int,
    _ written: UnsafeMutablePointer<Int>?
) -> Int32 {
    guard let transport = TLSTransport.of(bio) else { return 0 }
    transport._withUnsafeGuaranteedRef {
        $0.output.append(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    written?.pointee = count
    return 1
}

private func readFromTransport(
    _ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ readCount: UnsafeMutablePointer<Int>?
) -> Int32 {
    reveille_openssl_bio_clear_retry(bio)
    guard let transport = TLSTransport.of(bio) else { return 0 }
    let target = UnsafeMutableRawBufferPointer(start: target, count: capacity)
    let (count, hasEnded) = transport._withUnsafeGuaranteedRef {
        ($0.read(into: target), $0.hasEnded)
    }
    readCount?.pointee = count
    if count > 0 { return 1 }
    if !hasEnded { reveille_openssl_bio_set_retry_read(bio) }
    return 0
}

private func controlTransport(
    _ bio: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?
) -> Int {
    switch command {
    case BIO_CTRL_FLUSH: 1
    case BIO_CTRL_EOF: TLSTransport.of(bio)?._withUnsafeGuaranteedRef { $0.hasEnded ? 1 : 0 } ?? 1
    default: 0
    }
}
