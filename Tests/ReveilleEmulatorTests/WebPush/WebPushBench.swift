import RawSockets
import ReveilleBytes
import ReveilleCrypto
import ReveilleEmulator
import ReveilleJSON
import Testing

/// A body that the emulator's own rules take without opening it: form without meaning.
let opaqueBody: [UInt8] = [UInt8](repeating: 7, count: 20) + [65, 4] + [UInt8](repeating: 9, count: 100)

extension PushServiceBench {
    /// `Authorization` for this service, each part replaceable.
    func vapid(
        _ key: P256PrivateKey, aud: String? = nil, lifetime: Int64 = 3600, sub: String? = "mailto:a@example.org",
        shown: P256PrivateKey? = nil
    ) -> (String, String) {
        var claims: JSONObject = [
            "aud": .string(aud ?? "https://\(authority)"), "exp": .integer(now + lifetime),
        ]
        claims["sub"] = sub.map(JSONValue.string)
        let header = #"{"typ":"JWT","alg":"ES256"}"#
        let input =
            Base64URL.encode(header.utf8) + "." + Base64URL.encode(JSONValue.object(claims).encoded())
        let token = input + "." + Base64URL.encode(key.sign(Array(input.utf8)))
        let point = Base64URL.encode((shown ?? key).publicKey.x963)
        return ("Authorization", "vapid t=\(token), k=\(point)")
    }

    /// The path of an endpoint.
    func path(_ endpoint: String) -> String {
        String(endpoint.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" })
    }
}

/// The fields of a right push.
let pushFields = [("TTL", "60"), ("Content-Encoding", "aes128gcm")]
