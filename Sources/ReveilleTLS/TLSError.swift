/// Why a TLS connection could not be made or kept, or a context not be set up.
///
/// It holds constants of the library only: no name, no certificate, no bytes of the peer.
package struct TLSError: Error, Equatable, Sendable {
    /// The reason; the raw text is stable.
    package enum Code: String, Sendable, CaseIterable {
        /// A certificate, key, authority, protocol or server name of the configuration cannot be
        /// used.
        case badConfiguration = "tls_bad_configuration"
        /// The peer's certificate, or one above it, has expired.
        case certificateExpired = "tls_certificate_expired"
        /// The peer's certificate, or one above it, is not valid yet.
        case certificateNotYetValid = "tls_certificate_not_yet_valid"
        /// The peer's certificate does not lead to an authority that is trusted.
        case unknownAuthority = "tls_unknown_authority"
        /// The peer's certificate is for other names or addresses.
        case hostNameMismatch = "tls_host_name_mismatch"
        /// The peer's certificate is refused for another reason.
        case certificateRefused = "tls_certificate_refused"
        /// Both sides share no version of TLS from 1.2 on.
        case noCommonVersion = "tls_no_common_version"
        /// Both sides share no cipher suite.
        case noCommonCipher = "tls_no_common_cipher"
        /// Both sides share no application protocol (RFC 7301).
        case noCommonProtocol = "tls_no_common_protocol"
        /// The peer ended the connection with an alert; `alert` has its number.
        case refusedByPeer = "tls_refused_by_peer"
        /// The transport ended without a close-notify: what was received may be incomplete.
        case truncated = "tls_truncated"
        /// The peer broke the protocol, or something between changed its bytes.
        case protocolViolation = "tls_protocol_violation"
    }

    /// The reason.
    package let code: Code
    /// The number of the peer's alert (RFC 8446 section 6), if it sent one.
    package let alert: UInt8?
    /// OpenSSL's number for the check that a certificate failed (`X509_V_ERR_…`), if one did.
    package let verification: Int32?
    /// OpenSSL's reason, a constant of the library; nil when it gave none.
    package let opensslReason: String?

    /// Makes an error.
    package init(
        _ code: Code, alert: UInt8? = nil, verification: Int32? = nil,
        opensslReason: String? = nil
    ) {
        self.code = code
        self.alert = alert
        self.verification = verification
        self.opensslReason = opensslReason
    }
}

extension TLSError: CustomStringConvertible {
    /// The code, with the numbers and constants that explain it.
    package var description: String {
        var text = code.rawValue
        if let alert { text += ", alert \(alert)" }
        if let verification { text += ", certificate check \(verification)" }
        if let opensslReason { text += ", \(opensslReason)" }
        return text
    }
}
