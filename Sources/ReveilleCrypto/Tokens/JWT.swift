internal import ReveilleBytes
package import ReveilleJSON

/// Signing and strict verification of JSON Web Tokens in compact form (RFC 7515, RFC 7519).
///
/// Claims such as `exp` and `iat` are the caller's to judge: rules about time need a clock, which
/// this type does not have.
package enum JWT {
    /// The longest token that is looked at.
    package static let maximumBytes = 8 * 1024

    /// A verified token: both parts as JSON objects.
    package typealias Verified = (header: JSONValue, claims: JSONValue)

    /// Signs with ES256; header and claims go in byte by byte as given.
    package static func signES256(
        headerJSON: some Sequence<UInt8>, claimsJSON: some Sequence<UInt8>, key: P256PrivateKey
    ) -> String {
        compact(headerJSON, claimsJSON) { key.sign($0) }
    }

    /// Signs with ES256; header and claims go in byte by byte as given.
    package static func signES256(
        headerJSON: String, claimsJSON: String, key: P256PrivateKey
    ) -> String {
        signES256(headerJSON: headerJSON.utf8, claimsJSON: claimsJSON.utf8, key: key)
    }

    /// Signs with RS256; header and claims go in byte by byte as given.
    package static func signRS256(
        headerJSON: some Sequence<UInt8>, claimsJSON: some Sequence<UInt8>, key: RSAPrivateKey
    ) -> String {
        compact(headerJSON, claimsJSON) { key.sign($0) }
    }

    /// Verifies a token that must be signed with ES256.
    ///
    /// - Parameters:
    ///   - token: The compact form.
    ///   - key: Gives the key for a `kid`, which is nil if the header has none.
    package static func verifyES256(
        _ token: String, key: (_ kid: String?) -> P256PublicKey?
    ) throws(JWTError) -> Verified {
        let parts = try Parts(token, algorithm: "ES256")
        guard let key = key(parts.keyID) else { throw JWTError(.unknownKey) }
        guard key.isValid(signature: parts.signature, for: parts.signingInput) else {
            throw JWTError(.invalidSignature)
        }
        return try parts.verified()
    }

    /// Verifies a token that must be signed with RS256.
    ///
    /// - Parameters:
    ///   - token: The compact form.
    ///   - key: Gives the key for a `kid`, which is nil if the header has none.
    package static func verifyRS256(
        _ token: String, key: (_ kid: String?) -> RSAPublicKey?
    ) throws(JWTError) -> Verified {
        let parts = try Parts(token, algorithm: "RS256")
        guard let key = key(parts.keyID) else { throw JWTError(.unknownKey) }
        guard key.isValid(signature: parts.signature, for: parts.signingInput) else {
            throw JWTError(.invalidSignature)
        }
        return try parts.verified()
    }

    private static func compact(
        _ header: some Sequence<UInt8>, _ claims: some Sequence<UInt8>,
        _ sign: ([UInt8]) -> [UInt8]
    ) -> String {
        let signingInput = Base64URL.encode(header) + "." + Base64URL.encode(claims)
        return signingInput + "." + Base64URL.encode(sign(Array(signingInput.utf8)))
    }
}

extension JWT {
    /// A token taken apart, its header checked, its signature not yet.
    private struct Parts {
        let header: JSONObject
        let keyID: String?
        let claims: [UInt8]
        let signature: [UInt8]
        /// The bytes as sent: JSON is never written again to verify it.
        let signingInput: [UInt8]

        init(_ token: String, algorithm: String) throws(JWTError) {
            let bytes = Array(token.utf8)
            guard bytes.count <= JWT.maximumBytes else { throw JWTError(.tooLong) }
            let dot = UInt8(ascii: ".")
            let parts = bytes.split(separator: dot, omittingEmptySubsequences: false)
            guard parts.count == 3, let header = Base64URL.decode(utf8: parts[0]),
                let claims = Base64URL.decode(utf8: parts[1]),
                let signature = Base64URL.decode(utf8: parts[2])
            else { throw JWTError(.malformed) }
            self.header = try JWT.object(header)
            self.claims = claims
            self.signature = signature
            signingInput = Array(bytes[..<(parts[2].startIndex - 1)])
            guard self.header["alg"] == .string(algorithm) else {
                throw JWTError(.unexpectedAlgorithm)
            }
            guard self.header["crit"] == nil, self.header["b64"] == nil else {
                throw JWTError(.unsupportedHeader)
            }
            switch self.header["kid"] {
            case nil: keyID = nil
            case .string(let text)?: keyID = text
            case .null?, .boolean?, .integer?, .number?, .array?, .object?:
                throw JWTError(.invalidJSON)
            }
        }

        func verified() throws(JWTError) -> Verified {
            (.object(header), .object(try JWT.object(claims)))
        }
    }

    private static func object(_ bytes: [UInt8]) throws(JWTError) -> JSONObject {
        guard let value = try? JSONReader.parse(bytes), case .object(let object) = value else {
            throw JWTError(.invalidJSON)
        }
        return object
    }
}
