internal import COpenSSL

/// The library behind this gate.
package enum CryptoLibrary {
    /// Its name and version, as it says itself.
    package static var version: String {
        guard let text = OpenSSL_version(OPENSSL_VERSION) else { return "OpenSSL" }
        return String(cString: text).split(separator: " ").prefix(2).joined(separator: " ")
    }
}
