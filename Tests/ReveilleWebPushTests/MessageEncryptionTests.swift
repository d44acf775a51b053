import ReveilleBytes
import ReveilleCrypto
import ReveilleJSON
import ReveilleWebPush
import Testing

@Suite("Messages for subscriptions are encrypted as RFC 8291 says")
struct MessageEncryptionTests {
    @Test("with the vector's key and salt the message is the vector's, octet for octet", arguments: MessageVector.all)
    func vector(_ vector: MessageVector) throws {
        let keys = try SubscriptionKeys(p256dh: vector.p256dh, auth: vector.auth)
        let given = MessageEncryption.Given(
            scalar: SecretBytes(vector.senderScalar), salt: vector.salt, recordSize: vector.recordSize)
        let message = try MessageEncryption().encrypt(
            vector.text, for: keys, paddedBytes: vector.text.count + vector.paddingBytes, given: given)
        #expect(message == vector.body)
    }

    @Test("all fourteen vectors are read")
    func count() { #expect(MessageVector.all.count == 14) }

    @Test("the agreement is the vector's, leading zeros kept", arguments: MessageVector.all)
    func agreement(_ vector: MessageVector) throws {
        let keys = try SubscriptionKeys(p256dh: vector.p256dh, auth: vector.auth)
        var (point, secret) = ([UInt8](repeating: 0, count: 65), [UInt8](repeating: 0, count: 32))
        try point.withUnsafeMutableBytes { point in
            try secret.withUnsafeMutableBytes { secret in
                try keys.publicPoint.withUnsafeBytes {
                    try P256Agreement().agree(
                        with: $0, scalar: SecretBytes(vector.senderScalar), ownPoint: point, sharedSecret: secret)
                }
            }
        }
        #expect(point == vector.senderPoint)
        #expect(secret == vector.sharedSecret)
    }

    @Test("every message has a key and a salt of its own, also for the same text and receiver")
    func fresh() throws {
        let vector = try #require(MessageVector.all.first)
        let keys = try SubscriptionKeys(p256dh: vector.p256dh, auth: vector.auth)
        let encryption = MessageEncryption()
        let messages = try (0..<50).map { _ in try encryption.encrypt(vector.text, for: keys) }
        #expect(Set(messages.map { Array($0[..<16]) }).count == 50)
        #expect(Set(messages.map { Array($0[21..<86]) }).count == 50)
        #expect(Set(messages.map { Array($0[86...]) }).count == 50)
    }

    @Test("padding hides the length up to the room there is", arguments: [0, 1, 41, 1_023, 1_024])
    func padded(length: Int) throws {
        let vector = try #require(MessageVector.all.first)
        let keys = try SubscriptionKeys(p256dh: vector.p256dh, auth: vector.auth)
        let message = try MessageEncryption().encrypt(
            [UInt8](repeating: 7, count: length), for: keys, paddedBytes: 1_024)
        #expect(message.count == 1_024 + MessageEncryption.overheadBytes)
    }

    @Test("the longest message has 4096 octets, and one octet more is refused")
    func longest() throws {
        let vector = try #require(MessageVector.all.first)
        let keys = try SubscriptionKeys(p256dh: vector.p256dh, auth: vector.auth)
        let encryption = MessageEncryption()
        let longest = [UInt8](repeating: 1, count: MessageEncryption.maximumTextBytes)
        #expect(MessageEncryption.maximumTextBytes == 3_993)
        #expect(try encryption.encrypt(longest, for: keys).count == 4_096)
        #expect(throws: CryptoError(.malformedInput)) { try encryption.encrypt(longest + [1], for: keys) }
        #expect(throws: CryptoError(.malformedInput)) { try encryption.encrypt([], for: keys, paddedBytes: 3_994) }
    }
}

extension MessageEncryption {
    /// The message as an array.
    func encrypt(
        _ text: [UInt8], for keys: SubscriptionKeys, paddedBytes: Int = 0, given: Given? = nil
    ) throws -> [UInt8] {
        var message = [UInt8](repeating: 0xAA, count: Self.messageBytes(text: text.count, padded: paddedBytes))
        let count = try message.withUnsafeMutableBytes { message in
            try text.withUnsafeBytes { text in
                try keys.publicPoint.withUnsafeBytes { point in
                    try keys.authenticationSecret.withUnsafeBytes { secret in
                        try encrypt(
                            text, publicKey: point, secret: secret, paddedBytes: paddedBytes, given: given,
                            into: message)
                    }
                }
            }
        }
        #expect(count == message.count)
        return message
    }
}
