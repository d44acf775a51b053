internal import COpenSSL

extension TLSError {
    /// OpenSSL adds this to the number of an alert that the peer sent.
    private static let alertReasonOffset = 1000

    /// Takes the earliest error off the thread's queue, which is empty afterwards.
    ///
    /// - Parameters:
    ///   - ssl: The connection that failed, whose certificate check may explain it.
    ///   - fallback: The code if the queue does not tell more.
    static func drainingQueue(of ssl: OpaquePointer?, fallback: Code) -> TLSError {
        let error = ERR_get_error()
        defer { ERR_clear_error() }
        guard error != 0 else { return TLSError(fallback) }
        let reason = Int(ERR_GET_REASON(error))
        let text = ERR_reason_error_string(error).map { String(cString: $0) }
        if ERR_GET_LIB(error) == ERR_LIB_SSL, reason >= alertReasonOffset {
            return alert(UInt8(truncatingIfNeeded: reason - alertReasonOffset), text)
        }
        if reason == Int(SSL_R_CERTIFICATE_VERIFY_FAILED), let ssl {
            return verification(Int32(truncatingIfNeeded: SSL_get_verify_result(ssl)))
        }
        return TLSError(code(ofReason: Int32(reason)) ?? fallback, opensslReason: text)
    }

    private static func code(ofReason reason: Int32) -> Code? {
        switch reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_UNKNOWN_PROTOCOL, SSL_R_VERSION_TOO_LOW,
            SSL_R_WRONG_SSL_VERSION:
            .noCommonVersion
        case SSL_R_NO_SHARED_CIPHER: .noCommonCipher
        case SSL_R_NO_APPLICATION_PROTOCOL: .noCommonProtocol
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: .truncated
        default: nil
        }
    }

    /// The peer's alert; some of them say that both sides have nothing in common (RFC 8446 section
    /// 6.2).
    private static func alert(_ number: UInt8, _ text: String?) -> TLSError {
        let code: Code =
            switch Int32(number) {
            case TLS1_AD_PROTOCOL_VERSION: .noCommonVersion
            case TLS1_AD_NO_APPLICATION_PROTOCOL: .noCommonProtocol
            default: .refusedByPeer
            }
        return TLSError(code, alert: number, opensslReason: text)
    }

    private static func verification(_ result: Int32) -> TLSError {
        let code: Code =
            switch result {
            case X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
            case X509_V_ERR_CERT_NOT_YET_VALID: .certificateNotYetValid
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED,
                X509_V_ERR_CERT_SIGNATURE_FAILURE:
                .unknownAuthority
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .hostNameMismatch
            default: .certificateRefused
            }
        let text = X509_verify_cert_error_string(Int(result)).map { String(cString: $0) }
        return TLSError(code, verification: result, opensslReason: text)
    }
}
