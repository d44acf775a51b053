internal import COpenSSL

/// PEM texts of OpenSSL objects.
enum PEMText {
    /// Writes a private key as PKCS#8 without encryption.
    static func privateKey(_ key: SharedHandle) -> String {
        write { PEM_write_bio_PKCS8PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) }
    }

    /// Writes a certificate.
    static func certificate(_ certificate: SharedHandle) -> String {
        write { PEM_write_bio_X509($0, certificate.pointer) }
    }

    private static func write(_ body: (OpaquePointer) -> Int32) -> String {
        let text = OpenSSLErrors.isolated { () -> String? in
            // Memory of the secure kind is wiped when it is freed, since the text may be a key.
            guard let memory = BIO_new(BIO_s_secmem()) else { return nil }
            defer { BIO_free_all(memory) }
            guard body(memory) == 1 else { return nil }
            var start: UnsafeMutablePointer<CChar>?
            let count = reveille_openssl_bio_contents(memory, &start)
            guard let start, count > 0 else { return nil }
            return String(
                decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
        guard let text else { OpenSSLErrors.unavailable("write PEM") }
        return text
    }
}
