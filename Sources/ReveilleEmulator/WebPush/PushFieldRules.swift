internal import ReveilleBytes
internal import ReveilleCrypto
internal import ReveilleJSON
internal import ReveilleNetwork
internal import ReveilleRuntime

/// What a push asks for by its fields (RFC 8030, section 5).
package struct PushInstructions: Sendable, Equatable {
    /// How long to keep it, in seconds.
    package var ttl: Int64
    /// `very-low`, `low`, `normal` or `high`.
    package var urgency: String
    /// What later pushes with the same topic replace.
    package var topic: String?
    /// The key that the sender showed, 65 octets; nil without VAPID.
    package var vapidKey: [UInt8]?
}

/// The rules about a push's fields and body, one by one.
enum PushFieldRules {
    /// The longest body (RFC 8291, section 4).
    static let maximumBodyBytes = 4096
    /// The longest topic.
    static let maximumTopicBytes = 32
    /// The longest time that a service keeps a push: what is above is cut.
    static let longestTTL: Int64 = 30 * 86_400
    /// The longest life of a VAPID token, in seconds (RFC 8292, section 2).
    static let longestTokenLife: Int64 = 24 * 3600
    private static let urgencies: Set<String> = ["very-low", "low", "normal", "high"]

    static func ttl(in fields: HTTPFields) throws(WebPushRefusal) -> Int64 {
        let values = fields.values("ttl")
        guard let text = values.first else { throw .ttlMissing }
        guard values.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .ttlMalformed
        }
        // More than 31 bits is taken as 2³¹ (RFC 8030, section 5.2).
        return min(Int64(text) ?? 1 << 31, 1 << 31, longestTTL)
    }

    static func urgency(in fields: HTTPFields) throws(WebPushRefusal) -> String {
        let values = fields.values("urgency")
        guard let text = values.first else { return "normal" }
        guard values.count == 1, urgencies.contains(text) else { throw .urgency }
        return text
    }

    static func topic(in fields: HTTPFields) throws(WebPushRefusal) -> String? {
        let values = fields.values("topic")
        guard let text = values.first else { return nil }
        guard values.count == 1, !text.isEmpty, text.utf8.count <= maximumTopicBytes, text.utf8.allSatisfy(isBase64URL)
        else {
            throw .topic
        }
        return text
    }

    private static func isBase64URL(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    /// A body is one record of `aes128gcm`; a push may have none.
    static func checkBody(of request: HTTPRequest, isEncrypted: Bool = true) throws(WebPushRefusal) {
        guard request.body.count <= maximumBodyBytes else { throw .tooLarge }
        let encoding = request.fields.values("content-encoding")
        guard !request.body.isEmpty else {
            guard encoding.isEmpty else { throw .encoding }
            return
        }
        guard isEncrypted else { return }
        guard encoding == ["aes128gcm"] else { throw .encoding }
        guard request.body.count > EncryptedContent.headerBytes + AESGCM128.tagBytes, request.body[20] == 65,
            request.body[21] == 4
        else { throw .body }
    }

    /// Who sends: the key of a VAPID token that is good for this endpoint now (RFC 8292).
    static func vapidKey(in request: HTTPRequest, at now: WallInstant) throws(WebPushRefusal) -> [UInt8] {
        let values = request.fields.values("authorization")
        guard let text = values.first else { throw .vapidMissing }
        guard values.count == 1 else { throw .vapidMalformed }
        let (token, point) = try parts(of: text)
        guard let key = try? P256PublicKey(x963: point) else { throw .vapidMalformed }
        let claims: JSONValue
        do throws(JWTError) {
            claims = try JWT.verifyES256(token) { _ in key }.claims
        } catch {
            throw .vapidMalformed
        }
        let host = request.fields["host"] ?? ""
        guard claims["aud"]?.string == "\(request.isSecure ? "https" : "http")://\(host)" else { throw .vapidAudience }
        guard let expires = claims["exp"]?.integer, expires > now.seconds, expires - now.seconds <= longestTokenLife
        else {
            throw .vapidExpiry
        }
        if let subject = claims["sub"] {
            guard let text = subject.string, isSubject(text) else { throw .vapidSubject }
        }
        if !request.body.isEmpty, request.body.count >= EncryptedContent.headerBytes,
            Array(request.body[21..<EncryptedContent.headerBytes]) == point
        {
            throw .keyUsedTwice
        }
        return point
    }

    /// `vapid t=…, k=…`.
    private static func parts(of text: String) throws(WebPushRefusal) -> (token: String, point: [UInt8]) {
        guard text.prefix(6).lowercased() == "vapid " else { throw .vapidMalformed }
        var token: String?
        var point: [UInt8]?
        for part in text.dropFirst(6).split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw .vapidMalformed }
            switch pair[0] {
            case "t" where token == nil: token = String(pair[1])
            case "k" where point == nil: point = Base64URL.decodeLeniently(pair[1])
            default: throw .vapidMalformed
            }
        }
        guard let token, let point, point.count == 65 else { throw .vapidMalformed }
        return (token, point)
    }

    private static func isSubject(_ text: String) -> Bool {
        if text.hasPrefix("https://") { return text.utf8.count > 8 && !text.hasPrefix("https://localhost") }
        return text.hasPrefix("mailto:") && text.dropFirst(7).contains("@") && !text.hasPrefix("mailto:mailto:")
    }
}
