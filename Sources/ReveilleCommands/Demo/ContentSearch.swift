internal import ReveilleBytes
internal import ReveilleCrypto

/// Looks for private texts in octets, as they are and in the encodings they may hide in.
enum ContentSearch {
    /// The texts of `secrets` that occur in `octets` in any form.
    static func find(_ secrets: [String], in octets: [UInt8]) -> [String] {
        secrets.filter { secret in forms(of: Array(secret.utf8)).contains { contains($0, in: octets) } }
    }

    /// How many forms of each text are looked for.
    static var formCount: Int { forms(of: [0x41]).count }

    private static func forms(of secret: [UInt8]) -> [[UInt8]] {
        let hash = SHA256Digest.hash(secret)
        var forms = [secret, Array(Hex.encode(secret).utf8), Array(Hex.encode(hash).utf8), hash]
        forms.append(Array(Hex.encode(secret).uppercased().utf8))
        for padding in 0..<3 {
            // A text inside a longer one is encoded at one of three alignments; the characters that depend on what stands
            // around it are left out.
            let shifted = [UInt8](repeating: 0, count: padding) + secret
            let whole = Base64URL.encode(shifted)
            let start = padding == 0 ? 0 : padding + 1
            let end = shifted.count * 8 / 6
            let inner = Array(whole.utf8)[min(start, end)..<end]
            forms.append(Array(inner))
            forms.append(
                inner.map {
                    $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
                })
        }
        return forms.filter { !$0.isEmpty }
    }

    static func contains(_ needle: [UInt8], in octets: [UInt8]) -> Bool {
        guard let first = needle.first, octets.count >= needle.count else { return false }
        for start in 0...(octets.count - needle.count)
        where octets[start] == first && octets[start..<(start + needle.count)].elementsEqual(needle) {
            return true
        }
        return false
    }
}
