import Foundation
import ReveilleBytes
import ReveilleJSON
import Testing

/// The vectors of Web Push.
enum WebPushVectors {
    static let all: JSONObject = {
        guard let file = Bundle.module.url(forResource: "webpush", withExtension: "json", subdirectory: "Vectors"),
            let data = try? Data(contentsOf: file), case .object(let vectors)? = try? JSONReader.parse([UInt8](data))
        else { preconditionFailure("the vectors of Web Push cannot be read") }
        return vectors
    }()

    static func list(_ name: String) -> [JSONObject] {
        guard case .array(let items)? = all[name] else { return [] }
        return items.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
}

/// A message with everything that it was made from.
struct MessageVector: Sendable, CustomTestStringConvertible {
    let name: String
    let text: [UInt8]
    let paddingBytes: Int
    let recordSize: UInt32
    let p256dh: String
    let auth: String
    let senderScalar: [UInt8]
    let senderPoint: [UInt8]
    let sharedSecret: [UInt8]
    let salt: [UInt8]
    let body: [UInt8]

    var testDescription: String { name }

    init?(_ vector: JSONObject) {
        func text(_ key: String) -> String? { if case .string(let text)? = vector[key] { text } else { nil } }
        func number(_ key: String) -> Int? { if case .integer(let number)? = vector[key] { Int(number) } else { nil } }
        func bytes(_ key: String) -> [UInt8]? { text(key).flatMap { Base64URL.decode($0) } }
        guard let name = text("name"), let padding = number("padding_len"), let recordSize = number("record_size"),
            let p256dh = text("ua_public"), let auth = text("auth_secret"), let scalar = bytes("as_private"),
            let point = bytes("as_public"), let shared = bytes("ecdh_secret"), let salt = bytes("salt"),
            let body = bytes("body_b64u"),
            let plain = bytes("plaintext_b64u") ?? text("plaintext_utf8").map({ Array($0.utf8) })
        else { return nil }
        (self.name, self.p256dh, self.auth, self.text, self.body) = (name, p256dh, auth, plain, body)
        (paddingBytes, self.recordSize, senderScalar) = (padding, UInt32(recordSize), scalar)
        (senderPoint, sharedSecret, self.salt) = (point, shared, salt)
    }

    static let all: [MessageVector] =
        (WebPushVectors.list("rfc8291") + WebPushVectors.list("generated")).compactMap(MessageVector.init)
}
