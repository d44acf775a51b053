internal import COpenSSL

/// A version of TLS that is used; older ones are not (RFC 8996).
package enum TLSVersion: Int, Sendable, Comparable, CaseIterable {
    /// RFC 5246.
    case tls12 = 12
    /// RFC 8446.
    case tls13 = 13

    package static func < (left: TLSVersion, right: TLSVersion) -> Bool {
        left.rawValue < right.rawValue
    }

    /// OpenSSL's number.
    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}
