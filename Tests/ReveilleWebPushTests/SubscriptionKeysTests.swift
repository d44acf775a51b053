import ReveilleBytes
import ReveilleJSON
import ReveilleWebPush
import Testing

@Suite("The keys of a subscription are checked completely")
struct SubscriptionKeysTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let p256dh: String
        let auth: String
        let isValid: Bool

        var testDescription: String { name }

        init?(_ vector: JSONObject) {
            guard case .string(let name)? = vector["name"], case .string(let p256dh)? = vector["p256dh"],
                case .string(let auth)? = vector["auth"], case .boolean(let isValid)? = vector["valid"]
            else { return nil }
            (self.name, self.p256dh, self.auth, self.isValid) = (name, p256dh, auth, isValid)
        }

        static let all = WebPushVectors.list("subscription_keys").compactMap(Vector.init)
    }

    @Test("valid keys are taken in every form, all others are refused", arguments: Vector.all)
    func vector(_ vector: Vector) throws {
        if vector.isValid {
            let keys = try SubscriptionKeys(p256dh: vector.p256dh, auth: vector.auth)
            #expect(keys.publicPoint.count == 65 && keys.publicPoint.first == 0x04)
            #expect(keys.authenticationSecret.count == 16)
        } else {
            #expect(throws: SubscriptionKeys.Fault.self) {
                try SubscriptionKeys(p256dh: vector.p256dh, auth: vector.auth)
            }
        }
    }

    @Test("all sixteen vectors are read, and the fault names the field")
    func fields() throws {
        #expect(Vector.all.count == 16)
        let good = try #require(Vector.all.first { $0.isValid })
        #expect(throws: SubscriptionKeys.Fault.publicKey) { try SubscriptionKeys(p256dh: "AAAA", auth: good.auth) }
        #expect(throws: SubscriptionKeys.Fault.authenticationSecret) {
            try SubscriptionKeys(p256dh: good.p256dh, auth: "AAAA")
        }
    }
}
