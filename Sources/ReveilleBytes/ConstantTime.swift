/// Comparison whose time does not tell how much of a secret a guess had right.
package enum ConstantTime {
    /// Whether both hold the same bytes.
    ///
    /// The time depends on the lengths only. Lengths are not secret here: every compared secret has a public length.
    package static func equal(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        a.withContiguousBytes { a in b.withContiguousBytes { b in equalBytes(a, b) } }
    }

    /// Not inlined, so that no caller's knowledge of one side can shorten the loop.
    @inline(never)
    private static func equalBytes(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices { difference |= a[index] ^ b[index] }
        return difference == 0
    }
}
