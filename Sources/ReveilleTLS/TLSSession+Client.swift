internal import COpenSSL

extension TLSSession {
    /// The longest host name (RFC 1035 section 2.3.4).
    private static let maximumNameBytes = 253

    /// Sets what a client expects of its server, and the session to resume.
    static func prepareClient(
        _ ssl: OpaquePointer, serverName: String?, cache: TLSSessionCache?
    ) throws(TLSError) {
        guard let serverName, isName(serverName) else { throw TLSError(.badConfiguration) }
        let parameters = SSL_get0_param(ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, serverName) != 1 {
            // A name, then: it is sent to the server, which RFC 6066 section 3 forbids for
            // addresses.
            ERR_clear_error()
            X509_VERIFY_PARAM_set_hostflags(
                parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            guard X509_VERIFY_PARAM_set1_host(parameters, serverName, 0) == 1,
                reveille_openssl_set_server_name(ssl, serverName) == 1
            else { throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration) }
        }
        SSL_set_connect_state(ssl)
        if let session = cache?.take(for: serverName) {
            // A session that does not fit is no reason not to connect: the full handshake follows.
            _ = SSL_set_session(ssl, session.pointer)
            ERR_clear_error()
        }
    }

    /// Says whether a text can be a host name or an address; a zero byte in it would cut it short
    /// in C.
    private static func isName(_ text: String) -> Bool {
        (1...maximumNameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}
