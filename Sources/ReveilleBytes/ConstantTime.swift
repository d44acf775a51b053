/// Comparison whose time does not tell how much of a secret a guess had right.
package enum ConstantTime {
    /// Whether both hold the same bytes.
    ///
    /// The time depends on the lengths only. Lengths are not secret here: every compared secret has a public length.
    @inline(never)
    package static func equal(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(a, b) { difference |= left ^ right }
        return difference == 0
    }
}
