/// Repeatable randomness for simulations, tests and benchmarks: xoshiro256**, seeded through splitmix64 (Blackman and Vigna).
///
/// Never for secrets or ids. Several threads may draw, but then the order, and so the repetition, is lost.
package final class SeededRandom: RandomSource {
    private let state: Locked<State>

    /// A generator whose sequence depends on `seed` only.
    package init(seed: UInt64) {
        state = Locked(State(seed: seed))
    }

    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var offset = 0
        while offset < buffer.count {
            let word = state.withLock { $0.next() }
            withUnsafeBytes(of: word.littleEndian) { source in
                let byteCount = min(source.count, buffer.count - offset)
                for index in 0..<byteCount { buffer[offset + index] = source[index] }
                offset += byteCount
            }
        }
    }

    private struct State {
        var a: UInt64
        var b: UInt64
        var c: UInt64
        var d: UInt64

        init(seed: UInt64) {
            var seed = seed
            func splitmix() -> UInt64 {
                seed &+= 0x9E37_79B9_7F4A_7C15
                var mixed = seed
                mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                return mixed ^ (mixed >> 31)
            }
            a = splitmix()
            b = splitmix()
            c = splitmix()
            d = splitmix()
        }

        mutating func next() -> UInt64 {
            func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
                value << count | value >> (64 - count)
            }
            let result = rotated(b &* 5, 7) &* 9
            let shifted = b << 17
            c ^= a
            d ^= b
            b ^= c
            a ^= d
            c ^= shifted
            d = rotated(d, 45)
            return result
        }
    }
}
