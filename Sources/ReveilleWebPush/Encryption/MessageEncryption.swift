package import ReveilleBytes
package import ReveilleCrypto

/// Encrypts messages for subscriptions: one record of `aes128gcm` (RFC 8188) under keys agreed on for each message (RFC 8291).
///
/// Belongs to one thread. Every message has a key pair and a salt of its own, also when it is sent again.
package final class MessageEncryption {
    /// What stands before the record: salt, record size, length of the key id, and the key id, which is our point.
    package static let headerBytes = saltBytes + 4 + 1 + P256Agreement.pointBytes
    /// Size of the salt.
    package static let saltBytes = 16
    /// What encryption adds to a text without padding.
    package static let overheadBytes = headerBytes + 1 + AESGCM128.tagBytes
    /// The longest message that every push service takes (RFC 8030 section 7.2).
    package static let maximumMessageBytes = 4_096
    /// The longest text.
    package static let maximumTextBytes = maximumMessageBytes - overheadBytes
    /// The length that wakes are padded to: longer than any, and short enough for every service.
    package static let wakeBytes = 512
    /// Every message says so, whatever its length: the receiver needs one record only (RFC 8291 section 4).
    private static let recordSize: UInt32 = 4_096

    /// What would be random otherwise, for vectors.
    package struct Given {
        let scalar: SecretBytes
        let salt: [UInt8]
        let recordSize: UInt32

        /// Gives the sender's private scalar, 16 bytes of salt and the record size to be said.
        package init(scalar: SecretBytes, salt: [UInt8], recordSize: UInt32 = 4_096) {
            self.scalar = scalar
            self.salt = salt
            self.recordSize = recordSize
        }
    }

    private let agreement = P256Agreement()
    private let cipher = AESGCM128()
    private let contentKeys = ContentKeys()

    /// Makes room for messages.
    package init() {}

    /// Encrypts a text, with zeros behind it up to a length, so that the service cannot tell messages apart by theirs.
    ///
    /// Allocates nothing.
    ///
    /// - Parameters:
    ///   - text: At most ``maximumTextBytes``.
    ///   - publicKey: The receiver's point, 65 bytes.
    ///   - secret: The authentication secret, 16 bytes.
    ///   - paddedBytes: The length of text and padding; a longer text has no padding.
    ///   - message: Room for ``messageBytes(text:padded:)``.
    /// - Returns: The length of the message.
    /// - Throws: `malformedInput` when the text is too long, or the receiver's keys are none.
    package func encrypt(
        _ text: UnsafeRawBufferPointer, publicKey: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer,
        paddedBytes: Int, given: Given? = nil, into message: UnsafeMutableRawBufferPointer
    ) throws(CryptoError) -> Int {
        let count = Self.messageBytes(text: text.count, padded: paddedBytes)
        guard count <= Self.maximumMessageBytes, secret.count == SubscriptionKeys.authenticationSecretBytes else {
            throw CryptoError(.malformedInput)
        }
        let message = UnsafeMutableRawBufferPointer(rebasing: message[..<count])
        try writeHeader(into: message, receiver: publicKey, given: given)
        let record = UnsafeMutableRawBufferPointer(rebasing: message[Self.headerBytes...])
        record.copyMemory(from: text)
        let padding = UnsafeMutableRawBufferPointer(rebasing: record[text.count...])
        padding.initializeMemory(as: UInt8.self, repeating: 0)
        // The delimiter of the last record (RFC 8188 section 2); zeros follow.
        padding[0] = 0x02
        let tagStart = record.count - AESGCM128.tagBytes
        contentKeys.derive(
            receiver: publicKey, sender: UnsafeRawBufferPointer(rebasing: message[Self.pointRange]),
            authenticationSecret: secret, salt: UnsafeRawBufferPointer(rebasing: message[..<Self.saltBytes])
        ) { key, nonce in
            cipher.seal(
                UnsafeMutableRawBufferPointer(rebasing: record[..<tagStart]),
                tag: UnsafeMutableRawBufferPointer(rebasing: record[tagStart...]), key: key, nonce: nonce)
        }
        return count
    }

    /// The length of a message.
    package static func messageBytes(text: Int, padded: Int) -> Int { max(text, padded) + overheadBytes }

    /// Where our point stands, which is the key id.
    private static let pointRange = (saltBytes + 5)..<headerBytes

    /// Writes what stands before the record, and leaves the shared secret with ``contentKeys``.
    private func writeHeader(
        into message: UnsafeMutableRawBufferPointer, receiver: UnsafeRawBufferPointer, given: Given?
    ) throws(CryptoError) {
        let salt = UnsafeMutableRawBufferPointer(rebasing: message[..<Self.saltBytes])
        let point = UnsafeMutableRawBufferPointer(rebasing: message[Self.pointRange])
        if let given {
            precondition(given.salt.count == Self.saltBytes)
            salt.copyBytes(from: given.salt)
            try agreement.agree(
                with: receiver, scalar: given.scalar, ownPoint: point, sharedSecret: contentKeys.sharedSecret)
        } else {
            SecureRandom.fill(salt)
            try agreement.agree(with: receiver, ownPoint: point, sharedSecret: contentKeys.sharedSecret)
        }
        message.storeBytes(
            of: (given?.recordSize ?? Self.recordSize).bigEndian, toByteOffset: Self.saltBytes, as: UInt32.self)
        message[Self.saltBytes + 4] = UInt8(P256Agreement.pointBytes)
    }
}
