internal import Glibc
internal import ReveilleBytes
internal import ReveilleCrypto

/// The derivation of a message's key and nonce (RFC 8291 section 3.4, RFC 8188 sections 2.2 and 2.3).
enum ContentKeys {
    private static let hashBytes = HMACSHA256.byteCount
    private static let keyInfoPrefix: StaticString = "WebPush: info\0"
    private static let keyInfo: StaticString = "Content-Encoding: aes128gcm\0\u{1}"
    private static let nonceInfo: StaticString = "Content-Encoding: nonce\0\u{1}"

    /// Lends key and nonce for the time of `body`, and wipes what they were made of.
    static func derive(
        sharedSecret: SecretBytes, senderPoint: [UInt8], keys: SubscriptionKeys, salt: UnsafeRawBufferPointer,
        _ body: (_ key: UnsafeRawBufferPointer, _ nonce: UnsafeRawBufferPointer) -> Void
    ) {
        withUnsafeTemporaryAllocation(byteCount: 5 * hashBytes, alignment: 16) { room in
            defer { if let start = room.baseAddress { explicit_bzero(start, room.count) } }
            func part(_ index: Int) -> UnsafeMutableRawBufferPointer {
                UnsafeMutableRawBufferPointer(rebasing: room[(index * hashBytes)..<((index + 1) * hashBytes)])
            }
            let (combined, input, extracted, key, nonce) = (part(0), part(1), part(2), part(3), part(4))
            keys.authenticationSecret.withUnsafeBytes { secret in
                sharedSecret.withUnsafeBytes { shared in
                    HMACSHA256.authenticate(shared, key: secret, into: combined)
                }
            }
            withKeyInfo(receiver: keys.publicPoint, sender: senderPoint) { info in
                HMACSHA256.authenticate(info, key: UnsafeRawBufferPointer(combined), into: input)
            }
            HMACSHA256.authenticate(UnsafeRawBufferPointer(input), key: salt, into: extracted)
            HMACSHA256.authenticate(bytes(of: keyInfo), key: UnsafeRawBufferPointer(extracted), into: key)
            HMACSHA256.authenticate(bytes(of: nonceInfo), key: UnsafeRawBufferPointer(extracted), into: nonce)
            body(
                UnsafeRawBufferPointer(rebasing: key[..<AESGCM128.keyBytes]),
                UnsafeRawBufferPointer(rebasing: nonce[..<AESGCM128.nonceBytes]))
        }
    }

    private static func bytes(of text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// Lends the info with the counter of the first and only block of HKDF's expansion (RFC 5869 section 2.3).
    private static func withKeyInfo(
        receiver: [UInt8], sender: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        let prefix = bytes(of: keyInfoPrefix)
        let count = prefix.count + receiver.count + sender.count + 1
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { info in
            info.copyMemory(from: prefix)
            UnsafeMutableRawBufferPointer(rebasing: info[prefix.count...]).copyBytes(from: receiver)
            UnsafeMutableRawBufferPointer(rebasing: info[(prefix.count + receiver.count)...]).copyBytes(from: sender)
            info[count - 1] = 1
            body(UnsafeRawBufferPointer(info))
        }
    }
}
