import ReveilleRuntime
import ReveilleTesting
import Testing

/// Gives the same words again and again.
private struct FixedRandom: RandomSource {
    let byte: UInt8
    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = byte }
    }
}

@Suite("Random sources")
struct RandomTests {
    @Test("a seed gives the sequence of xoshiro256** seeded through splitmix64")
    func knownSequence() {
        // Computed with an independent implementation of the authors' reference code.
        let random = SeededRandom(seed: 42)
        #expect(
            (0..<4).map { _ in random.uint64() } == [
                1546998764402558742, 6990951692964543102, 12544586762248559009, 17057574109182124193,
            ])
    }

    @Test("the same seed gives the same numbers, another seed others")
    func repeats() {
        #expect(SeededRandom(seed: 1).bytes(100) == SeededRandom(seed: 1).bytes(100))
        #expect(SeededRandom(seed: 1).bytes(100) != SeededRandom(seed: 2).bytes(100))
    }

    @Test("bytes fill buffers of every length", arguments: 0..<40)
    func lengths(count: Int) {
        #expect(SeededRandom(seed: 9).bytes(count).count == count)
        #expect(SeededRandom(seed: 9).bytes(count) == Array(SeededRandom(seed: 9).bytes(40).prefix(count)))
        #expect(SystemRandom().bytes(count).count == count)
    }

    @Test("the system's source does not repeat itself")
    func systemDiffers() {
        #expect(SystemRandom().bytes(32) != SystemRandom().bytes(32))
        #expect(SystemRandom().uint64() != SystemRandom().uint64())
    }

    @Test("a uniform choice stays in its range and reaches all of it", arguments: [0..<1, 0..<2, -3..<4, 10..<17])
    func uniform(range: Range<Int>) {
        let random = SeededRandom(seed: 3)
        var counts: [Int: Int] = [:]
        for _ in 0..<(range.count * 1000) { counts[random.uniform(range), default: 0] += 1 }
        #expect(Set(counts.keys) == Set(range))
        for count in counts.values { #expect(abs(count - 1000) < 200) }
    }

    @Test("a uniform choice from the widest ranges does not overflow")
    func widestRanges() {
        let random = SeededRandom(seed: 4)
        for range in [Int.min..<Int.max, Int.min..<0, 0..<Int.max] {
            for _ in 0..<100 { #expect(range.contains(random.uniform(range))) }
        }
    }

    @Test("the unit interval includes zero and excludes one")
    func unitInterval() {
        #expect(FixedRandom(byte: 0).unitInterval() == 0)
        #expect(FixedRandom(byte: 0xFF).unitInterval() < 1)
        #expect(FixedRandom(byte: 0xFF).unitInterval() > 0.999_999)
    }
}
