internal import Glibc
internal import ReveilleBytes
internal import ReveilleCrypto

/// The derivation of a message's key and nonce (RFC 8291 section 3.4, RFC 8188 sections 2.2 and 2.3), in memory that is used again
/// for each message and wiped after it.
///
/// Belongs to one thread.
final class ContentKeys {
    private static let hashBytes = HMACSHA256.byteCount
    private static let keyInfoPrefix: StaticString = "WebPush: info\0"
    private static let keyInfo: StaticString = "Content-Encoding: aes128gcm\0\u{1}"
    private static let nonceInfo: StaticString = "Content-Encoding: nonce\0\u{1}"

    /// Where the agreement writes what both sides know.
    let sharedSecret: UnsafeMutableRawBufferPointer
    private let code = HMACSHA256Context(key: SecretBytes([0]))
    private let room: UnsafeMutableRawBufferPointer
    private let combined: UnsafeMutableRawBufferPointer
    private let input: UnsafeMutableRawBufferPointer
    private let extracted: UnsafeMutableRawBufferPointer
    private let key: UnsafeMutableRawBufferPointer
    private let nonce: UnsafeMutableRawBufferPointer
    /// The info of the combined key, with the counter of the first and only block of HKDF's expansion (RFC 5869 section 2.3).
    private let info: UnsafeMutableRawBufferPointer

    init() {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 6 * Self.hashBytes, alignment: 16)
        func part(_ index: Int) -> UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(rebasing: room[(index * Self.hashBytes)..<((index + 1) * Self.hashBytes)])
        }
        self.room = room
        (sharedSecret, combined, input, extracted, key, nonce) = (part(0), part(1), part(2), part(3), part(4), part(5))
        let prefix = Self.bytes(of: Self.keyInfoPrefix)
        info = .allocate(byteCount: prefix.count + 2 * P256Agreement.pointBytes + 1, alignment: 16)
        info.copyMemory(from: prefix)
        info[info.count - 1] = 1
    }

    deinit {
        wipe()
        room.deallocate()
        info.deallocate()
    }

    /// Lends key and nonce for the time of `body`, and wipes them and what they were made of.
    func derive(
        receiver: UnsafeRawBufferPointer, sender: UnsafeRawBufferPointer, authenticationSecret: UnsafeRawBufferPointer,
        salt: UnsafeRawBufferPointer, _ body: (_ key: UnsafeRawBufferPointer, _ nonce: UnsafeRawBufferPointer) -> Void
    ) {
        defer { wipe() }
        let start = Self.keyInfoPrefix.utf8CodeUnitCount
        UnsafeMutableRawBufferPointer(rebasing: info[start...]).copyMemory(from: receiver)
        UnsafeMutableRawBufferPointer(rebasing: info[(start + receiver.count)...]).copyMemory(from: sender)
        code.authenticate(UnsafeRawBufferPointer(sharedSecret), key: authenticationSecret, into: combined)
        code.authenticate(UnsafeRawBufferPointer(info), key: UnsafeRawBufferPointer(combined), into: input)
        code.authenticate(UnsafeRawBufferPointer(input), key: salt, into: extracted)
        code.authenticate(Self.bytes(of: Self.keyInfo), key: UnsafeRawBufferPointer(extracted), into: key)
        code.authenticate(Self.bytes(of: Self.nonceInfo), key: UnsafeRawBufferPointer(extracted), into: nonce)
        body(
            UnsafeRawBufferPointer(rebasing: key[..<AESGCM128.keyBytes]),
            UnsafeRawBufferPointer(rebasing: nonce[..<AESGCM128.nonceBytes]))
    }

    private func wipe() {
        if let start = room.baseAddress { explicit_bzero(start, room.count) }
    }

    private static func bytes(of text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
