internal import COpenSSL
internal import ReveilleBytes

/// Sets up an `SSL_CTX` step by step, and frees it if a step fails.
struct TLSContextBuilder: ~Copyable {
    /// Cipher suites of TLS 1.2: forward secrecy and authenticated encryption, which is also all
    /// that HTTP/2 allows (RFC 9113 section 9.2.2).
    private static let ciphers12 = "ECDHE+AESGCM:ECDHE+CHACHA20"
    /// Cipher suites of TLS 1.3, the fastest with AES instructions first.
    private static let ciphers13 =
        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    /// The longest chain of certificates between a server's and its root.
    private static let maximumChainDepth: Int32 = 10

    private var pointer: OpaquePointer?

    /// Makes a context with what every connection has: TLS 1.2 at least, no renegotiation, no
    /// compression.
    init(role: TLSContext.Role, versions: ClosedRange<TLSVersion>) throws(TLSError) {
        ERR_clear_error()
        let made = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method())
        guard let made else { throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration) }
        guard reveille_openssl_ctx_set_minimum(made, versions.lowerBound.number) == 1,
            reveille_openssl_ctx_set_maximum(made, versions.upperBound.number) == 1,
            SSL_CTX_set_cipher_list(made, Self.ciphers12) == 1,
            SSL_CTX_set_ciphersuites(made, Self.ciphers13) == 1
        else {
            SSL_CTX_free(made)
            throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration)
        }
        SSL_CTX_set_options(made, reveille_openssl_options)
        _ = reveille_openssl_ctx_add_mode(
            made, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
        reveille_openssl_ctx_set_read_ahead(made)
        _ = reveille_openssl_ctx_set_session_cache(made, Int(SSL_SESS_CACHE_OFF))
        pointer = made
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// Gives the context to its owner.
    consuming func finish() -> OpaquePointer {
        guard let finished = pointer.take() else { preconditionFailure("a context was finished twice") }
        return finished
    }

    // MARK: Clients

    /// Offers application protocols.
    func offer(_ protocols: ProtocolList) throws(TLSError) {
        guard let start = protocols.bytes.baseAddress, !protocols.bytes.isEmpty else { return }
        let result = SSL_CTX_set_alpn_protos(
            pointer, start.assumingMemoryBound(to: UInt8.self), UInt32(protocols.bytes.count))
        // This call, unlike all others, returns zero for success.
        guard result == 0 else {
            throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration)
        }
    }

    /// Sets the authorities, and verification, which is never off.
    func trust(_ configuration: TLSClientConfiguration) throws(TLSError) {
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_verify_depth(pointer, Self.maximumChainDepth)
        if configuration.trustsSystemRoots {
            try require(SSL_CTX_set_default_verify_paths(pointer))
        }
        if let file = configuration.extraAuthorityFile {
            try require(SSL_CTX_load_verify_file(pointer, file))
        }
        if let pem = configuration.extraAuthorityPEM {
            let store = SSL_CTX_get_cert_store(pointer)
            for certificate in try CertificateList(pem: pem).certificates {
                try require(X509_STORE_add_cert(store, certificate.pointer))
            }
        }
    }

    /// Hands new sessions to the context's cache; OpenSSL's own keeps none.
    func keepSessions(_ keeps: Bool) {
        guard keeps else { return }
        let mode = Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL)
        _ = reveille_openssl_ctx_set_session_cache(pointer, mode)
        SSL_CTX_sess_set_new_cb(pointer, keepNewSession)
    }

    // MARK: Servers

    /// Sets the certificate, those above it, and the key, which must fit.
    func present(chainPEM: String, keyPEM: SecretText) throws(TLSError) {
        let chain = try CertificateList(pem: chainPEM).certificates
        for (index, certificate) in chain.enumerated() {
            try require(
                index == 0
                    ? SSL_CTX_use_certificate(pointer, certificate.pointer)
                    : reveille_openssl_ctx_add_chain_certificate(pointer, certificate.pointer))
        }
        let key = keyPEM.withUnsafeBytes { Self.privateKey(pem: $0) }
        defer { EVP_PKEY_free(key) }
        guard key != nil else {
            throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration)
        }
        try require(SSL_CTX_use_PrivateKey(pointer, key))
        try require(SSL_CTX_check_private_key(pointer))
    }

    /// Chooses among a client's protocols by the server's preference.
    ///
    /// The list must outlive every connection of the context.
    func choose(from protocols: ProtocolList) {
        guard !protocols.bytes.isEmpty else { return }
        let list = Unmanaged.passUnretained(protocols).toOpaque()
        SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, list)
    }

    /// Frees the buffers of idle connections.
    func releaseIdleBuffers() {
        _ = reveille_openssl_ctx_add_mode(pointer, Int(SSL_MODE_RELEASE_BUFFERS))
    }

    private func require(_ result: Int32) throws(TLSError) {
        guard result == 1 else {
            throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration)
        }
    }

    /// Reads a key without a pass phrase.
    ///
    /// The callback keeps OpenSSL from asking for one on the terminal.
    private static func privateKey(pem: UnsafeRawBufferPointer) -> OpaquePointer? {
        guard let memory = BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else {
            return nil
        }
        defer { BIO_free_all(memory) }
        return PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in 0 }, nil)
    }
}

/// Called by OpenSSL when a client may keep a session; returning 1 takes it over.
private func keepNewSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let owner = reveille_openssl_owner(ssl), let session else { return 0 }
    return Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue().keep(session) ? 1 : 0
}

/// Called by OpenSSL when a client offered protocols to a server.
private func chooseProtocol(
    _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32, _ list: UnsafeMutableRawPointer?
) -> Int32 {
    guard let list else { return SSL_TLSEXT_ERR_NOACK }
    let protocols = Unmanaged<ProtocolList>.fromOpaque(list).takeUnretainedValue()
    let offered = UnsafeRawBufferPointer(start: offered, count: Int(offeredCount))
    guard let common = protocols.firstCommon(with: offered) else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    chosen?.pointee = common.baseAddress?.assumingMemoryBound(to: UInt8.self)
    chosenCount?.pointee = UInt8(common.count)
    return SSL_TLSEXT_ERR_OK
}
