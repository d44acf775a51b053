import Foundation
import ReveilleBytes
import ReveilleEmulator
import ReveilleJSON
import Testing

@Suite("The emulated user agent opens pushes")
struct EncryptedContentTests {
    private static func vectors() throws -> JSONValue {
        let file = try #require(
            Bundle.module.url(forResource: "webpush", withExtension: "json", subdirectory: "Vectors"))
        return try JSONReader.parse([UInt8](Data(contentsOf: file)), limits: JSONLimits(maximumBytes: 1 << 20))
    }

    private static func octets(_ value: JSONValue?) throws -> [UInt8] {
        try #require(value?.string.flatMap { Base64URL.decode($0) })
    }

    @Test("every right vector opens to its plaintext")
    func accepts() throws {
        let vectors = try Self.vectors()
        let all = (vectors["rfc8291"]?.array ?? []) + (vectors["generated"]?.array ?? [])
        #expect(all.count == 14)
        for vector in all {
            let keys = try SubscriptionKeys(
                scalar: Self.octets(vector["ua_private"]), secret: Self.octets(vector["auth_secret"]))
            #expect(try keys.publicKey == Self.octets(vector["ua_public"]))
            let plaintext =
                try vector["plaintext_utf8"]?.string.map { Array($0.utf8) } ?? Self.octets(vector["plaintext_b64u"])
            let opened = try EncryptedContent.open(Self.octets(vector["body_b64u"]), with: keys)
            #expect(opened == plaintext, "\(vector["name"]?.string ?? "")")
        }
    }

    @Test("no wrong body opens")
    func refuses() throws {
        let given = try Self.vectors()["must_reject"]
        let material = try #require(given?["key_material"])
        let keys = try SubscriptionKeys(
            scalar: Self.octets(material["ua_private"]), secret: Self.octets(material["auth_secret"]))
        let bodies = try #require(given?["bodies"]?.array)
        #expect(bodies.count == 15)
        for body in bodies {
            let octets = try Self.octets(body["body_b64u"])
            #expect(throws: EncryptedContent.Fault.self, "\(body["name"]?.string ?? "")") {
                try EncryptedContent.open(octets, with: keys)
            }
        }
    }
}
