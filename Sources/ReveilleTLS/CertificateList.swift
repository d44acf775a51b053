internal import COpenSSL

/// Certificates read from a PEM text, in their order.
struct CertificateList {
    /// One certificate, owned.
    final class Certificate {
        let pointer: OpaquePointer

        init(adopting pointer: OpaquePointer) {
            self.pointer = pointer
        }

        deinit { X509_free(pointer) }
    }

    /// The certificates; at least one.
    let certificates: [Certificate]

    /// The longest text: some hundred certificates, more than the system's own list.
    private static let maximumBytes = 4 << 20

    /// Reads all certificates; throws `badConfiguration` if there is none or one is damaged.
    init(pem: String) throws(TLSError) {
        ERR_clear_error()
        var certificates: [Certificate] = []
        var text = pem
        text.withUTF8 { bytes in
            guard bytes.count <= Self.maximumBytes,
                let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            else { return }
            defer { BIO_free_all(memory) }
            while let certificate = PEM_read_bio_X509(memory, nil, { _, _, _, _ in 0 }, nil) {
                certificates.append(Certificate(adopting: certificate))
            }
        }
        // The end of the text shows as the error that no further block begins.
        let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        guard isAtEnd, !certificates.isEmpty else {
            throw TLSError.drainingQueue(of: nil, fallback: .badConfiguration)
        }
        ERR_clear_error()
        self.certificates = certificates
    }
}
