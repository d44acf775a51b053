internal import COpenSSL
package import ReveilleBytes

/// One TLS connection without a socket: ciphertext is lent to it and taken from it, plaintext is
/// read and written.
///
/// Confined to one thread. No call allocates once the buffers are warm.
///
///     session.lend(received) {
///         // handshake() until it is complete, then read(into:) until it wants input
///     }
///     // send and consume session.output
package final class TLSSession {
    /// What a step of the handshake came to.
    package enum HandshakeResult: Equatable, Sendable {
        /// Both sides have the keys, and the peer is who it should be.
        case complete
        /// More ciphertext of the peer is needed; `output` may hold some for it.
        case wantsInput
        /// There is no connection; `output` may hold an alert for the peer.
        case failed(TLSError)
    }

    /// What stopped a read.
    package enum ReadStop: Equatable, Sendable {
        /// The buffer is full; there may be more.
        case bufferIsFull
        /// More ciphertext of the peer is needed.
        case wantsInput
        /// The peer said that it sends nothing more (close-notify).
        case ended
        /// The connection is broken; what was read before is good.
        case failed(TLSError)
    }

    private enum State {
        case handshaking
        case open
        case failed(TLSError)
    }

    /// Ciphertext for the peer.
    package var output: ByteQueue { transport.output }
    /// The application protocol both sides agreed on, known once the handshake is complete.
    package private(set) var negotiatedProtocol: String?

    private let ssl: OpaquePointer
    private let context: TLSContext
    private let serverName: String?
    private let transport = TLSTransport()
    private var state = State.handshaking

    /// Makes the session of one connection; see `TLSContext.makeSession(serverName:)`.
    init(context: TLSContext, serverName: String?) throws(TLSError) {
        ERR_clear_error()
        guard let ssl = SSL_new(context.pointer) else {
            throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration)
        }
        guard let bio = transport.makeBIO() else {
            SSL_free(ssl)
            throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration)
        }
        SSL_set_bio(ssl, bio, bio)
        self.ssl = ssl
        self.context = context
        self.serverName = serverName
        _ = reveille_openssl_set_owner(ssl, Unmanaged.passUnretained(self).toOpaque())
        switch context.role {
        case .client:
            try Self.prepareClient(ssl, serverName: serverName, cache: context.cache)
        case .server: SSL_set_accept_state(ssl)
        }
    }

    deinit {
        if isSessionIntact {
            // Otherwise OpenSSL bars the session from being resumed unless a close-notify was sent,
            // which no version since TLS 1.1 asks for (RFC 5246 section 7.2.1).
            SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        }
        SSL_free(ssl)
    }

    /// Whether an earlier session was resumed.
    package var isResumed: Bool { SSL_session_reused(ssl) == 1 }
    /// The version of the protocol, for example `TLSv1.3`.
    package var protocolVersion: String { String(cString: SSL_get_version(ssl)) }

    // MARK: The transport

    /// Lends ciphertext of the peer for the time of `body`, in which it is read.
    ///
    /// What is left is kept for the next time.
    package func lend<Result>(
        _ ciphertext: UnsafeRawBufferPointer, _ body: () -> Result
    ) -> Result {
        transport.lend(ciphertext, body)
    }

    /// Says that the transport has ended: after what was lent before, nothing more comes.
    package func endInput() {
        transport.end()
    }

    /// How many bytes of ciphertext were lent and not read yet.
    package var unreadCiphertextBytes: Int { transport.unreadCount }

    // MARK: The connection

    /// Goes on with the handshake as far as the input allows.
    package func handshake() -> HandshakeResult {
        switch state {
        case .open: return .complete
        case .failed(let error): return .failed(error)
        case .handshaking: break
        }
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return finishHandshake() }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsInput
        case SSL_ERROR_ZERO_RETURN: return .failed(fail(TLSError(.truncated)))
        default: return .failed(fail(drainedError()))
        }
    }

    /// Reads plaintext, of as many records as there are, until the buffer is full or the input is
    /// used up.
    package func read(
        into target: UnsafeMutableRawBufferPointer
    ) -> (count: Int, stop: ReadStop) {
        switch state {
        case .handshaking: return (0, .wantsInput)
        case .failed(let error): return (0, .failed(error))
        case .open: break
        }
        guard let start = target.baseAddress else { return (0, .bufferIsFull) }
        var count = 0
        ERR_clear_error()
        while count < target.count {
            var step = 0
            let result = SSL_read_ex(ssl, start + count, target.count - count, &step)
            guard result == 1 else { return (count, readStop(result)) }
            count += step
        }
        return (count, .bufferIsFull)
    }

    /// Encrypts plaintext into `output`, in full records as far as it goes.
    ///
    /// `output` grows by a little more than the plaintext: the caller bounds what it passes.
    package func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        switch state {
        case .handshaking: throw TLSError(.protocolViolation)
        case .failed(let error): throw error
        case .open: break
        }
        guard var next = plaintext.baseAddress else { return }
        let end = next + plaintext.count
        ERR_clear_error()
        while next < end {
            var step = 0
            guard SSL_write_ex(ssl, next, end - next, &step) == 1 else {
                throw fail(drainedError())
            }
            next += step
        }
    }

    /// Says to the peer that nothing more will be sent (close-notify); reading goes on.
    ///
    /// Further calls do nothing.
    package func endOutput() {
        guard case .open = state, SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else { return }
        ERR_clear_error()
        // The result says only whether the peer has done the same.
        _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    // MARK: -

    /// Takes over a session that OpenSSL made, if later connections may resume it.
    func keep(_ session: OpaquePointer) -> Bool {
        guard let serverName, let cache = context.cache else { return false }
        cache.put(ResumableSession(adopting: session), for: serverName)
        return true
    }

    /// Whether the keys may be used for later connections: not after an error of the protocol.
    private var isSessionIntact: Bool {
        switch state {
        case .handshaking: false
        case .open: true
        case .failed(let error): error.code == .truncated
        }
    }

    private func finishHandshake() -> HandshakeResult {
        negotiatedProtocol = selectedProtocol()
        if context.requiresApplicationProtocol, negotiatedProtocol == nil {
            return .failed(fail(TLSError(.noCommonProtocol)))
        }
        state = .open
        return .complete
    }

    private func selectedProtocol() -> String? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &start, &count)
        guard let start, count > 0 else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    private func readStop(_ result: Int32) -> ReadStop {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: .wantsInput
        case SSL_ERROR_ZERO_RETURN: .ended
        default: .failed(fail(drainedError()))
        }
    }

    private func drainedError() -> TLSError {
        TLSError.drainingQueue(
            of: ssl, fallback: transport.hasEnded ? .truncated : .protocolViolation)
    }

    private func fail(_ error: TLSError) -> TLSError {
        state = .failed(error)
        return error
    }
}
