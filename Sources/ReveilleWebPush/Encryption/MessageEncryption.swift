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

    /// Makes room for messages.
    package init() {}

    /// Encrypts a text, with zeros behind it up to a length, so that the service cannot tell messages apart by theirs.
    ///
    /// - Parameters:
    ///   - text: At most ``maximumTextBytes``.
    ///   - paddedBytes: The length of text and padding; a longer text has no padding.
    /// - Throws: `malformedInput` when the text is too long or the receiver's point is none.
    package func encrypt(
        _ text: [UInt8], for keys: SubscriptionKeys, paddedBytes: Int = 0, given: Given? = nil
    ) throws(CryptoError) -> [UInt8] {
        let contentBytes = max(text.count, paddedBytes)
        guard contentBytes <= Self.maximumTextBytes else { throw CryptoError(.malformedInput) }
        let agreed =
            if let given {
                try agreement.agree(with: keys.publicPoint, scalar: given.scalar)
            } else {
                try agreement.agree(with: keys.publicPoint)
            }
        var message = [UInt8](repeating: 0, count: contentBytes + Self.overheadBytes)
        message.withUnsafeMutableBytes { message in
            writeHeader(into: message, point: agreed.publicPoint, given: given)
            let record = UnsafeMutableRawBufferPointer(rebasing: message[Self.headerBytes...])
            record.copyBytes(from: text)
            // The delimiter of the last record (RFC 8188 section 2); zeros follow.
            record[text.count] = 0x02
            seal(record, salt: UnsafeRawBufferPointer(rebasing: message[..<Self.saltBytes]), agreed, keys)
        }
        return message
    }

    private func writeHeader(into message: UnsafeMutableRawBufferPointer, point: [UInt8], given: Given?) {
        let salt = UnsafeMutableRawBufferPointer(rebasing: message[..<Self.saltBytes])
        if let given {
            precondition(given.salt.count == Self.saltBytes)
            salt.copyBytes(from: given.salt)
        } else {
            SecureRandom.fill(salt)
        }
        message.storeBytes(
            of: (given?.recordSize ?? Self.recordSize).bigEndian, toByteOffset: Self.saltBytes, as: UInt32.self)
        message[Self.saltBytes + 4] = UInt8(point.count)
        let keyID = Self.saltBytes + 5
        UnsafeMutableRawBufferPointer(rebasing: message[keyID..<(keyID + point.count)]).copyBytes(from: point)
    }

    private func seal(
        _ record: UnsafeMutableRawBufferPointer, salt: UnsafeRawBufferPointer, _ agreed: borrowing P256Agreement.Result,
        _ keys: SubscriptionKeys
    ) {
        let tagStart = record.count - AESGCM128.tagBytes
        ContentKeys.derive(
            sharedSecret: agreed.sharedSecret, senderPoint: agreed.publicPoint, keys: keys, salt: salt
        ) { key, nonce in
            cipher.seal(
                UnsafeMutableRawBufferPointer(rebasing: record[..<tagStart]),
                tag: UnsafeMutableRawBufferPointer(rebasing: record[tagStart...]), key: key, nonce: nonce)
        }
    }
}
