internal import ReveilleBytes
package import ReveilleCore
internal import ReveilleCrypto
internal import ReveilleRuntime

/// Turns cursors into texts that clients can neither read nor make, and back.
package final class CursorSeal: Sendable {
    private static let octets = 24
    private static let additional = Array("reveille cursor".utf8)

    private let cipher: Locked<AESGCM>

    init(key: SecretBytes) {
        cipher = Locked(AESGCM(key: key))
    }

    /// The cursor as base64url; always of the same length.
    package func seal(_ cursor: Cursor) -> String {
        let fields = [cursor.profile.number, cursor.epoch, cursor.change]
        let plain = fields.flatMap { field in withUnsafeBytes(of: field.bigEndian) { Array($0) } }
        return Base64URL.encode(cipher.withLock { $0.seal(plain, additional: Self.additional) })
    }

    /// The cursor behind a text, or nil when this store did not make it.
    package func open(_ text: String) -> Cursor? {
        guard text.utf8.count < 128, let sealed = Base64URL.decode(text) else { return nil }
        // Whatever is wrong with a foreign text, the answer is the same.
        guard let plain = cipher.withLock({ try? $0.open(sealed, additional: Self.additional) }),
            plain.count == Self.octets
        else { return nil }
        let fields = (0..<3).map { index in
            plain[8 * index..<8 * index + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        return Cursor(profile: ProfileRow(fields[0]), epoch: fields[1], change: fields[2])
    }
}
