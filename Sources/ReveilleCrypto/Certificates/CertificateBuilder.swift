internal import COpenSSL

/// Builds and signs one X.509 certificate (RFC 5280) with P-256 keys.
struct CertificateBuilder {
    let commonName: String
    let profile: CertificateProfile
    let validity: CertificateValidity

    /// Signs a certificate for `subject`; without an issuer it signs itself.
    func certificate(
        for subject: P256PrivateKey, issuer: SharedHandle?, signedBy key: P256PrivateKey
    ) throws(CryptoError) -> SharedHandle {
        try OpenSSLErrors.isolated { () throws(CryptoError) in
            let certificate = try SharedHandle(X509_new(), X509_free)
            let version3: Int = 2
            try requireSuccess(X509_set_version(certificate.pointer, version3))
            try setSerialNumber(of: certificate)
            try setDates(of: certificate)
            try setNames(of: certificate, issuer: issuer)
            try requireSuccess(X509_set_pubkey(certificate.pointer, subject.handle.pointer))
            try addExtensions(to: certificate, issuer: issuer ?? certificate)
            let size = X509_sign(certificate.pointer, key.handle.pointer, EVP_sha256())
            guard size > 0 else { throw OpenSSLErrors.drain() }
            return certificate
        }
    }

    /// 127 random bits: positive, unpredictable, within the 20 bytes of RFC 5280 section 4.1.2.2.
    private func setSerialNumber(of certificate: SharedHandle) throws(CryptoError) {
        var bytes = SecureRandom.bytes(16)
        bytes[0] = bytes[0] & 0x7F | 0x40
        let number = try Owned(BN_bin2bn(bytes, Int32(bytes.count), nil), BN_free)
        let serial = X509_get_serialNumber(certificate.pointer)
        _ = try requireValue(BN_to_ASN1_INTEGER(number.pointer, serial))
    }

    private func setDates(of certificate: SharedHandle) throws(CryptoError) {
        let starts = Int(validity.starts.components.seconds)
        let ends = Int(validity.ends.components.seconds)
        _ = try requireValue(X509_gmtime_adj(X509_getm_notBefore(certificate.pointer), starts))
        _ = try requireValue(X509_gmtime_adj(X509_getm_notAfter(certificate.pointer), ends))
    }

    private func setNames(
        of certificate: SharedHandle, issuer: SharedHandle?
    ) throws(CryptoError) {
        let name = try requireValue(X509_get_subject_name(certificate.pointer))
        let text = Array(commonName.utf8)
        try requireSuccess(
            X509_NAME_add_entry_by_NID(
                name, NID_commonName, MBSTRING_UTF8, text, Int32(text.count), -1, 0))
        let issuerName = X509_get_subject_name((issuer ?? certificate).pointer)
        try requireSuccess(X509_set_issuer_name(certificate.pointer, issuerName))
    }

    private func addExtensions(
        to certificate: SharedHandle, issuer: SharedHandle
    ) throws(CryptoError) {
        var extensions: [(nid: Int32, value: String)] = [
            (NID_basic_constraints, profile.basicConstraints),
            (NID_key_usage, profile.keyUsage),
            (NID_subject_key_identifier, "hash"),
            (NID_authority_key_identifier, "keyid:always"),
        ]
        if let usage = profile.extendedKeyUsage { extensions.append((NID_ext_key_usage, usage)) }
        if let names = profile.alternativeNames {
            extensions.append((NID_subject_alt_name, names))
        }
        for (nid, value) in extensions {
            var context = X509V3_CTX()
            X509V3_set_ctx(&context, issuer.pointer, certificate.pointer, nil, nil, 0)
            let made = try Owned(
                X509V3_EXT_conf_nid(nil, &context, nid, value), X509_EXTENSION_free)
            try requireSuccess(X509_add_ext(certificate.pointer, made.pointer, -1))
        }
    }
}
