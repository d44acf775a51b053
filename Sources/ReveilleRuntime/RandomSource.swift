internal import CLinux

/// Where randomness comes from: the system for secrets and ids, a seed for simulations and tests.
package protocol RandomSource: Sendable {
    /// Overwrites the whole buffer.
    func fill(_ buffer: UnsafeMutableRawBufferPointer)
}

extension RandomSource {
    /// `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
            initialized = count
        }
    }

    /// Sixty-four random bits.
    package func uint64() -> UInt64 {
        var value: UInt64 = 0
        withUnsafeMutableBytes(of: &value) { fill($0) }
        return value
    }

    /// A number of `range`, each with the same probability.
    ///
    /// - Precondition: the range is not empty.
    package func uniform(_ range: Range<Int>) -> Int {
        precondition(!range.isEmpty, "nothing can be chosen from an empty range")
        let width = UInt64(bitPattern: Int64(range.upperBound) &- Int64(range.lowerBound))
        // Numbers of the last, incomplete block are drawn again (rejection keeps the choice even).
        let limit = UInt64.max - (UInt64.max % width + 1) % width
        var drawn = uint64()
        while drawn > limit { drawn = uint64() }
        return Int(truncatingIfNeeded: UInt64(bitPattern: Int64(range.lowerBound)) &+ drawn % width)
    }

    /// A number from 0 up to, but not including, 1, with 53 random bits.
    package func unitInterval() -> Double {
        Double(uint64() >> 11) * 0x1p-53
    }
}

/// The kernel's generator, seeded before any of our code runs.
package struct SystemRandom: RandomSource {
    /// The system's source.
    package init() {}

    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        let result = reveille_linux_random(start, buffer.count)
        // Without randomness no secret can be made: nothing sensible is left to do.
        precondition(result == 0, "the kernel gave no random bytes")
    }
}
